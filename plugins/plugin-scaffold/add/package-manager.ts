/** Installs a package with the package manager of the project, and takes that back. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AtlasError, messageOf } from '../../../kernel/index.ts';
import { wrongUse } from '../../cli/index.ts';
import { output } from './run-program.ts';

interface Manager {
  readonly name: 'npm' | 'pnpm' | 'yarn';
  readonly locks: readonly string[];
  install(spec: string, name: string, isWorkspaceRoot: boolean): readonly string[];
  remove(name: string, isWorkspaceRoot: boolean): readonly string[];
}

/** Yarn needs the protocol before a path, and newer ones the name before that. */
const yarnSpec = (spec: string, name: string) => (/^(?:[/\\]|[A-Za-z]:)/.test(spec) ? `${name}@file:${spec}` : spec);
const root = (isWorkspaceRoot: boolean) => (isWorkspaceRoot ? ['--workspace-root'] : []);

const MANAGERS: readonly Manager[] = [
  {
    name: 'npm',
    locks: ['package-lock.json', 'npm-shrinkwrap.json'],
    install: (spec) => ['install', '--no-audit', '--no-fund', '--', spec],
    remove: (name) => ['uninstall', '--no-audit', '--no-fund', '--', name],
  },
  {
    name: 'pnpm',
    locks: ['pnpm-lock.yaml'],
    install: (spec, _name, isRoot) => ['add', ...root(isRoot), spec],
    remove: (name, isRoot) => ['remove', ...root(isRoot), name],
  },
  {
    name: 'yarn',
    locks: ['yarn.lock'],
    install: (spec, name) => ['add', yarnSpec(spec, name)],
    remove: (name) => ['remove', name],
  },
];

/** By the lock file; where there are several, by `packageManager` of package.json; without one, npm. */
export function packageManager(folder: string): Manager {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) {
    throw wrongUse('There is no package.json in this folder, so nothing can be installed.', 'Run: npm init --yes');
  }
  const locked = MANAGERS.filter(({ locks }) => locks.some((file) => existsSync(join(folder, file))));
  const [first, second] = locked;
  if (first !== undefined && second === undefined) return first;
  const named = /"packageManager"\s*:\s*"([a-z]+)/.exec(readFileSync(manifest, 'utf8'))?.[1];
  const found = MANAGERS.find(({ name }) => name === named);
  if (found !== undefined) return found;
  if (first === undefined || second === undefined) return MANAGERS[0] as Manager;
  throw wrongUse(
    `The folder has the lock files of ${locked.map(({ name }) => name).join(' and ')}.`,
    'Remove those that are not used, or set packageManager in package.json.',
  );
}

/** The files that an installation changes, as they were. */
export class ProjectFiles {
  readonly #before: readonly { readonly path: string; readonly bytes: Buffer | undefined }[];

  constructor(folder: string, more: readonly string[] = []) {
    const locks = MANAGERS.flatMap(({ locks: files }) => files);
    const paths = ['package.json', ...locks, 'pnpm-workspace.yaml'].map((file) => join(folder, file));
    this.#before = [...paths, ...more].map((path) => ({
      path,
      bytes: existsSync(path) ? readFileSync(path) : undefined,
    }));
  }

  restore(): void {
    for (const { path, bytes } of this.#before) {
      if (bytes === undefined) rmSync(path, { force: true });
      else if (!existsSync(path) || !readFileSync(path).equals(bytes)) writeFileSync(path, bytes);
    }
  }
}

interface Installing {
  readonly folder: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

const isWorkspaceRoot = (folder: string) => existsSync(join(folder, 'pnpm-workspace.yaml'));

export async function install(manager: Manager, spec: string, { folder, name, signal }: Installing): Promise<void> {
  try {
    await output(manager.name, manager.install(spec, name, isWorkspaceRoot(folder)), { cwd: folder, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new AtlasError(`"${name}" could not be installed: ${messageOf(error)}.`, {
      hint: `Nothing was changed. Try it by hand to see more: ${manager.name} ${manager.install(spec, name, isWorkspaceRoot(folder)).join(' ')}`,
      cause: error,
    });
  }
}

/** Removes what was installed. Failures are of no matter: the files of the project are restored in any case. */
export async function uninstall(manager: Manager, { folder, name, signal }: Installing): Promise<void> {
  await output(manager.name, manager.remove(name, isWorkspaceRoot(folder)), { cwd: folder, signal }).catch(() => '');
}
