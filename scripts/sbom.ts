/** Writes the software bill of materials of the package, in CycloneDX JSON: `npm run sbom -- FILE`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { productionPackages } from './production-packages.ts';

const ROOT = join(import.meta.dirname, '..');
const PACKAGE_FILE = 'package.json';
const LOCK_FILE = 'package-lock.json';
/** What would make two runs differ. */
const OF_ONE_RUN = ['serialNumber', 'timestamp'];

type Manifest = Record<string, unknown>;

/** A manifest without what only development and optional features need. */
function withoutDevelopment(manifest: Manifest): Manifest {
  const { devDependencies, peerDependencies, peerDependenciesMeta, scripts, allowScripts, ...rest } = manifest;
  return rest;
}

/**
 * The bill of what an installation brings. npm is shown a lock file of those packages alone: with `--omit dev` it leaves
 * out whatever a package for development needs as well, such as `pg`.
 */
export function billOfMaterials(): string {
  const parent = mkdtempSync(join(tmpdir(), 'atlas-sbom-'));
  // npm names the bill by its folder.
  const folder = join(parent, 'atlas-query');
  try {
    mkdirSync(folder);
    const read = (file: string): Manifest => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
    const { packages, ...lock } = read(LOCK_FILE) as Manifest & { packages: Record<string, Manifest> };
    const kept = productionPackages(ROOT).map(({ path }) => [path, packages[path]] as const);
    const own = withoutDevelopment(packages[''] ?? {});
    writeFileSync(join(folder, PACKAGE_FILE), JSON.stringify(withoutDevelopment(read(PACKAGE_FILE))));
    writeFileSync(
      join(folder, LOCK_FILE),
      JSON.stringify({ ...lock, packages: Object.fromEntries([['', own], ...kept]) }),
    );
    const bill = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const fixed = JSON.parse(bill, (key, value) => (OF_ONE_RUN.includes(key) ? undefined : value));
    return `${JSON.stringify(fixed, null, 2)}\n`;
  } finally {
    rmSync(parent, { recursive: true });
  }
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (file === undefined) throw new Error('Give the file to write.');
  writeFileSync(file, billOfMaterials());
}
