/** Emits JavaScript and declarations to `dist/` for the packed package, with the demos, their layers and the notices. */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { PluginEntry } from '../kernel/index.ts';
import { withOptionComments } from './option-comments.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

rmSync('dist', { recursive: true, force: true });
// Types are checked by `npm run types`; checking them takes as long as emitting.
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json', '--noCheck'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

// Demos with their layers, and templates for authors of plugins, as they are.
for (const folder of globSync('{semantic,plugins/demo-data/*/,plugins/plugin-scaffold/templates}')) {
  cpSync(folder, join('dist', folder), { recursive: true });
}

writeFileSync('THIRD-PARTY-NOTICES', thirdPartyNotices());

await import('./build-console.ts');

for (const path of globSync('dist/plugins/*/index.js')) {
  const exported: Readonly<Record<string, unknown>> = await import(resolve(path));
  for (const value of Object.values(exported)) {
    const options = (value as Partial<PluginEntry> | undefined)?.definition?.options;
    if (options === undefined) continue;
    for (const file of ['index.d.ts', 'options.d.ts'].flatMap((name) => globSync(join(dirname(path), name)))) {
      writeFileSync(file, withOptionComments(readFileSync(file, 'utf8'), options));
    }
  }
}
