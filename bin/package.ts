/** The package that runs: its version and its files, from the sources in a clone as from the packed package. */
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** Extension of this very file, and so of all others: `.ts` in a clone, `.js` in the packed package. */
export const extension = extname(import.meta.url);

/** A file of the package. The compiled files stand one folder deeper than their sources. */
export function packageUrl(path: string): URL {
  return new URL(extension === '.ts' ? `../${path}` : `../../${path}`, import.meta.url);
}

export function packageVersion(): string {
  return JSON.parse(readFileSync(packageUrl('package.json'), 'utf8')).version;
}
