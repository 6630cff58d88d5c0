/** Checks at the start that the packages which a plugin loads later are installed. */
import { createRequire } from 'node:module';
import { AtlasError } from '../../kernel/index.ts';

function isMissing(name: string, from: string): boolean {
  try {
    createRequire(from).resolve(name);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
  }
}

/** `from`: the URL of the module that loads them. Throws `configuration_error` with the command that installs them. */
export function requirePackages(names: readonly string[], from: string): void {
  const missing = names.filter((name) => isMissing(name, from));
  if (missing.length === 0) return;
  const listed = missing.map((name) => `"${name}"`).join(', ');
  throw new AtlasError(
    `${missing.length === 1 ? `The package ${listed} is` : `The packages ${listed} are`} not installed.`,
    {
      code: 'configuration_error',
      reason: 'E_PACKAGE_MISSING',
      hint: `Run: npm i ${missing.join(' ')}`,
    },
  );
}
