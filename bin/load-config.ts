/** Loads `atlas.config.ts` (or `.js`, `.mjs`) as it is: Node strips the types. */
import { existsSync, readFileSync } from 'node:fs';
import { type ResolveFnOutput, registerHooks, stripTypeScriptTypes } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AtlasConfig, AtlasError, messageOf } from '../kernel/index.ts';
import { withoutCredentials } from '../plugins/redaction-kit/index.ts';

const NAMES = ['atlas.config.ts', 'atlas.config.mts', 'atlas.config.js', 'atlas.config.mjs'];
const MODULE_SYNTAX = /^(?:import\s*[\w{*'"]|export\s*[\w{*])/m;

/** Path of the configuration in a folder, or `undefined`. */
export function findConfig(folder: string): string | undefined {
  return NAMES.map((name) => resolve(folder, name)).find((path) => existsSync(path));
}

/**
 * Makes `atlas-query` and `atlas-query/…` mean the running copy of the package, so that a configuration and the plugins
 * it imports share one kernel wherever they are installed. `resolveSpecifier` maps such a name to a file URL.
 */
export function bindPackage(resolveSpecifier: (specifier: string) => string | undefined): void {
  registerHooks({
    resolve(specifier, context, next) {
      const url = resolveSpecifier(specifier);
      return url === undefined ? asModule(next(specifier, context)) : { url, shortCircuit: true };
    },
  });
}

/** Without a `type` of `module` in its package.json, Node would take a file with `import` and `export` for CommonJS. */
function asModule(resolved: ResolveFnOutput): ResolveFnOutput {
  const { url, format } = resolved;
  if (format?.startsWith('module') || !/^file:.*\.[tj]s$/.test(url) || url.includes('/node_modules/')) return resolved;
  if (!MODULE_SYNTAX.test(readFileSync(fileURLToPath(url), 'utf8'))) return resolved;
  return { ...resolved, format: url.endsWith('.ts') ? 'module-typescript' : 'module' };
}

/** Imports a package as a file in `folder` would. */
export async function importFor(specifier: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  const parentURL = pathToFileURL(resolve(folder, 'atlas.config.ts')).href;
  const hooks = registerHooks({
    resolve: (wanted, context, next) => next(wanted, wanted === specifier ? { ...context, parentURL } : context),
  });
  try {
    return await import(specifier);
  } finally {
    hooks.deregister();
  }
}

/** `line 3, column 7: ` of an error of the configuration or of a file it imports; empty where it is not known. */
function placeOf(error: unknown, path: string): string {
  if (!(error instanceof Error)) return '';
  if (!(error instanceof SyntaxError)) return placeOfThrow(error, path) ?? '';
  return placeInSource(error, path) ?? placeInSource(parseErrorOf(path), path) ?? '';
}

const place = (file: string, path: string, line: string, column?: string | number) =>
  `${file === path ? '' : `${file}, `}line ${line}${column === undefined ? '' : `, column ${column}`}: `;

/** The place in the configuration, where it has a part in the error; our own errors explain themselves. */
function placeOfThrow(error: Error, path: string): string | undefined {
  const frames = [...(error.stack ?? '').matchAll(/(file:\/\/\/[^\s)]+):(\d+):(\d+)/g)];
  const own = frames.find(([, url]) => url?.split('?')[0] === pathToFileURL(path).href);
  // An import that is not found is thrown by the loader of modules, and its message names both files.
  const isExplained = error instanceof AtlasError || (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  const [, url = '', line = '', column] = own ?? (isExplained ? [] : (frames[0] ?? []));
  return url === '' ? undefined : place(fileURLToPath(url), path, line, column);
}

/** Node puts the place in front of the stack: file and line, the line itself, and a mark below the column, if any. */
function placeInSource(error: unknown, path: string): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, file, line] = /^(?:file:\/\/)?(\/.*):(\d+)\n/.exec(stack) ?? [];
  if (file === undefined || line === undefined) return undefined;
  const marked = /^.*\n(?:.*\n){1,2}?( *)\^/.exec(stack)?.[1];
  // Without a mark it is the end of a file: that of the line, unless several are shown.
  const column = marked ?? /^.*\n(.*)\n\n/.exec(stack)?.[1];
  return place(file, path, line, column === undefined ? undefined : column.length + 1);
}

/** The engine gives no place for plain JavaScript; the parser for TypeScript does. */
function parseErrorOf(path: string): unknown {
  const { emitWarning } = process;
  // Node would warn that the parser is experimental.
  process.emitWarning = () => {};
  try {
    return void stripTypeScriptTypes(readFileSync(path, 'utf8'), { sourceUrl: path });
  } catch (error) {
    return error;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Imports a configuration. Errors name the file and what it lacks, without a stack. */
export async function loadConfig(path: string): Promise<AtlasConfig> {
  let loaded: { default?: unknown };
  try {
    loaded = await import(pathToFileURL(path).href);
  } catch (error) {
    const why = withoutCredentials(`${placeOf(error, path)}${messageOf(error)}`);
    throw new AtlasError(`The configuration ${path} could not be loaded: ${why}`, {
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
