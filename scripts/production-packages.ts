/** Lists the packages that an installation without development has, as package-lock.json places them. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface ProductionPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  /** From the root of the repository, such as `node_modules/pg`. */
  readonly path: string;
}

/** Where a package finds another by its name: in its own folder, or in one further up. */
function placeOf(name: string, from: string, places: Readonly<Record<string, LockedPackage>>): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = folder === '' || folder === '.' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (places[place] !== undefined) return place;
    if (folder === '' || folder === '.') return undefined;
  }
}

/** What a package cannot do without, and what is optional in it; peers only where they are needed. */
function neededBy(locked: LockedPackage, isRoot: boolean): string[] {
  const peers = Object.keys(locked.peerDependencies ?? {}).filter(
    (name) => !isRoot && locked.peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys(locked.dependencies ?? {}), ...Object.keys(locked.optionalDependencies ?? {}), ...peers];
}

/** Sorted by place. `optional`: names of optional packages that are installed besides. */
export function productionPackages(root: string, optional: readonly string[] = []): ProductionPackage[] {
  const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const found = new Map<string, LockedPackage>();
  const visit = (name: string, from: string) => {
    const place = placeOf(name, from, packages);
    const locked = place === undefined ? undefined : packages[place];
    // What is made for another system is in the lock file, and not installed.
    if (place === undefined || locked === undefined || found.has(place) || !existsSync(join(root, place))) return;
    found.set(place, locked);
    for (const needed of neededBy(locked, false)) visit(needed, place);
  };
  for (const name of [...neededBy(packages[''] ?? {}, true), ...optional]) visit(name, '');
  return [...found]
    .map(([path, { version = '', license }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      license,
      path,
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
