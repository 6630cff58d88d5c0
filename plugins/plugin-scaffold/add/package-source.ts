/** Reads what a package says of itself before it is installed: from a folder, a packed file or the registry. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { satisfies, validRange } from 'semver';
import { AtlasError, messageOf } from '../../../kernel/index.ts';
import { wrongUse } from '../../cli/index.ts';
import { output } from './run-program.ts';

export interface PackageManifest {
  readonly name?: string;
  readonly version?: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface PackageSource {
  readonly name: string;
  readonly version: string;
  /** What the package manager is given. */
  readonly spec: string;
}

const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
/** A name, and behind an `@` a version, a range or a tag. */
const PACKAGE_SPEC = /^((?:@[^@/\s]+\/)?[^@/\s]+)(?:@([\w.~^<>=*|+ -]+))?$/;

const noPackage = (given: string) =>
  wrongUse(`"${given}" is neither a package name nor a path.`, 'Such as: @acme/atlas-calendar, ./company-calendar.');

function parsed(text: string, from: string): PackageManifest {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Told below.
  }
  throw new AtlasError(`The package.json of ${from} cannot be read: it is not JSON.`, { hint: 'Correct it first.' });
}

/** `undefined` when the argument is no path, but the name of a package. */
function pathOf(given: string, cwd: string): string | undefined {
  if (/^~[/\\]/.test(given)) return join(homedir(), given.slice(2));
  if (/^(?:\.{1,2}$|\.{0,2}[/\\]|[A-Za-z]:[/\\]|file:)/.test(given)) return resolve(cwd, given.replace(/^file:/, ''));
  // A plugin that was created here is meant before one of the registry.
  const beside = resolve(cwd, given);
  return PACKAGE_NAME.test(given) && existsSync(join(beside, 'package.json')) ? beside : undefined;
}

async function manifestAt(path: string, given: string, signal: AbortSignal): Promise<PackageManifest> {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined)
    throw wrongUse(`There is nothing at ${given}.`, 'Give the folder of a plugin, or a packed one.');
  if (status.isDirectory()) {
    const file = join(path, 'package.json');
    if (!existsSync(file))
      throw wrongUse(`${given} is no package: it has no package.json.`, 'Give the folder of a plugin.');
    return parsed(readFileSync(file, 'utf8'), given);
  }
  try {
    return parsed(await output('tar', ['-xzOf', path, 'package/package.json'], { signal }), given);
  } catch (error) {
    signal.throwIfAborted();
    throw wrongUse(`${given} is no packed package (${messageOf(error)}).`, 'Make one with "npm pack".');
  }
}

async function manifestInRegistry(given: string, cwd: string, signal: AbortSignal): Promise<PackageManifest> {
  const [, name = ''] = PACKAGE_SPEC.exec(given) ?? [];
  if (!PACKAGE_NAME.test(name)) throw noPackage(given);
  let text: string;
  try {
    text = await output('npm', ['view', '--json', given, 'name', 'version', 'peerDependencies'], { cwd, signal });
  } catch (error) {
    signal.throwIfAborted();
    const isUnknown = /\b404\b|not found|no match/i.test(messageOf(error));
    throw new AtlasError(
      isUnknown
        ? `There is no package "${given}".`
        : `The package "${given}" could not be looked up: ${messageOf(error)}.`,
      {
        hint: isUnknown
          ? 'Check the name, or give the path of a folder: ./my-plugin.'
          : 'Check the network and the registry of npm.',
      },
    );
  }
  if (text.trim() === '')
    throw new AtlasError(`The package "${name}" has no such version.`, { hint: `See: npm view ${name} versions` });
  const found = parsed(text, given) as PackageManifest | PackageManifest[];
  // Several versions of a range, the newest one last.
  const newest = Array.isArray(found) ? found.at(-1) : found;
  return newest ?? {};
}

/** `version`: of the Atlas that runs. Throws unless the package is a plugin that works with it. */
export async function packageSource(
  given: string,
  { cwd, signal, version }: { readonly cwd: string; readonly signal: AbortSignal; readonly version: string },
): Promise<PackageSource> {
  const path = pathOf(given, cwd);
  const manifest =
    path === undefined ? await manifestInRegistry(given, cwd, signal) : await manifestAt(path, given, signal);
  const { name = '', version: own = '0.0.0', peerDependencies = {} } = manifest;
  if (!PACKAGE_NAME.test(name))
    throw wrongUse(`The package at ${given} has no name.`, 'Give it one in its package.json.');
  const range = peerDependencies['atlas-query'];
  if (range === undefined) {
    throw new AtlasError(`"${name}" is no plugin for Atlas: it has no peer dependency on atlas-query.`, {
      hint: `If it is one, add "peerDependencies": { "atlas-query": "^${version}" } to its package.json.`,
    });
  }
  if (validRange(range) === null || !satisfies(version, range, { includePrerelease: true })) {
    throw new AtlasError(`"${name}" ${own} works with atlas-query ${range}; this is ${version}.`, {
      hint:
        path === undefined
          ? `Add a version that works with it: atlas plugin add ${name}@<version>`
          : 'Change its peer dependency once it works with this version.',
    });
  }
  return { name, version: own, spec: path ?? given };
}
