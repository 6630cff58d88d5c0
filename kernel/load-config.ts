/** Loading `atlas.config.ts` (or `.js`, `.mjs`) as it is: Node strips the types. */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AtlasConfig } from './define-config.ts';
import { AtlasError, messageOf } from './errors.ts';

const NAMES = ['atlas.config.ts', 'atlas.config.mts', 'atlas.config.js', 'atlas.config.mjs'];

/** Path of the configuration in a folder, or `undefined`. */
export function findConfig(folder: string): string | undefined {
  return NAMES.map((name) => resolve(folder, name)).find((path) => existsSync(path));
}

/**
 * Makes `atlas` and `atlas/…` mean the running copy of the package, so that a configuration and the plugins it
 * imports share one kernel wherever they are installed. `resolveSpecifier` maps such a name to a file URL.
 */
export function bindPackage(resolveSpecifier: (specifier: string) => string | undefined): void {
  registerHooks({
    resolve(specifier, context, next) {
      const url = specifier === 'atlas' || specifier.startsWith('atlas/') ? resolveSpecifier(specifier) : undefined;
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}

/** Imports a configuration. Errors name the file and what it lacks, without a stack. */
export async function loadConfig(path: string): Promise<AtlasConfig> {
  let loaded: { default?: unknown };
  try {
    loaded = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new AtlasError(`The configuration ${path} could not be loaded: ${messageOf(error)}`, {
      code: 'configuration_error',
      reason: 'E_CONFIG_LOAD',
      cause: error,
    });
  }
  const config = loaded.default as Partial<AtlasConfig> | undefined;
  const plugins = config?.plugins;
  if (!Array.isArray(plugins)) {
    throw new AtlasError(`The configuration ${path} has no plugins.`, {
      code: 'configuration_error',
      reason: 'E_CONFIG_SHAPE',
      hint: 'Export default defineConfig({ plugins: [ … ] }).',
    });
  }
  const wrong = plugins.findIndex((entry) => typeof entry !== 'object' || entry === null || !('definition' in entry));
  if (wrong >= 0) {
    throw new AtlasError(`In the configuration ${path}, item ${wrong + 1} of plugins is not a plugin entry.`, {
      code: 'configuration_error',
      reason: 'E_CONFIG_SHAPE',
      hint: 'Call the plugin: http(), not http.',
    });
  }
  return { plugins };
}
