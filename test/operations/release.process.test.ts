/** What is published: a package of the same bytes wherever it is packed, with its notices, and its bill of materials. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { productionPackages } from '../../scripts/production-packages.ts';
import { billOfMaterials } from '../../scripts/sbom.ts';
import { emptyFolder } from '../harness/command.ts';

const ROOT = join(import.meta.dirname, '../..');
const MOST_NOTICES_BYTES = 250_000;
const folder = emptyFolder();
afterAll(() => folder[Symbol.dispose]());

const installed = productionPackages(ROOT);
const { dependencies, devDependencies, peerDependencies, version } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);

/** A clone with the files as they are here, all changed at one time. */
function cloneTo(path: string, changedAt: Date): string {
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of listed.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    cpSync(join(ROOT, file), join(path, file));
    utimesSync(join(path, file), changedAt, changedAt);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'));
  return path;
}

function pack(clone: string): string {
  const packed = execFileSync('npm', ['pack', '--json'], {
    cwd: clone,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return join(clone, JSON.parse(packed)[0].filename);
}

const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

describe('the package', () => {
  it('has the same bytes in another folder and at another time, and the notices of all that it brings', () => {
    const first = pack(cloneTo(join(folder.path, 'a'), new Date('2024-02-03T04:05:06Z')));
    const second = pack(cloneTo(join(folder.path, 'further/down/b'), new Date('2031-10-11T12:13:14Z')));
    expect(hashOf(second)).toBe(hashOf(first));

    const notices = execFileSync('tar', ['-xzOf', first, 'package/THIRD-PARTY-NOTICES'], { encoding: 'utf8' });
    for (const { name, version } of installed) expect(notices).toContain(`${name} ${version} (`);
    expect(notices).toContain('Permission is hereby granted');
    expect(notices.length).toBeLessThan(MOST_NOTICES_BYTES);
  }, 600_000);
});

describe('the bill of materials', () => {
  const bill = JSON.parse(billOfMaterials());
  const components: { name: string; version: string; purl: string; licenses: unknown[]; hashes: { alg: string }[] }[] =
    bill.components;

  it('is CycloneDX, of this version, and the same at every run', () => {
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: expect.stringMatching(/^1\.\d$/), version: 1 });
    expect(bill.metadata.component).toMatchObject({
      name: 'atlas-query',
      version,
      purl: `pkg:npm/atlas-query@${version}`,
    });
    expect(JSON.parse(billOfMaterials())).toEqual(bill);
  });

  it('has what an installation brings, and nothing of development or optional features', () => {
    const named = (items: readonly { name: string; version: string }[]) =>
      [...new Set(items.map((item) => `${item.name}@${item.version}`))].sort();
    expect(named(components)).toEqual(named(installed));
    for (const name of Object.keys(dependencies)) expect(components.map((item) => item.name)).toContain(name);
    const others = { ...devDependencies, ...peerDependencies };
    for (const name of ['vitest', 'typescript', 'pg-boss', 'vite']) {
      expect(others).toHaveProperty([name]);
      expect(components.map((item) => item.name)).not.toContain(name);
    }
  });

  it('has address, license and hash of each, and what needs what', () => {
    for (const { name, version, purl, licenses, hashes } of components) {
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect(licenses.length, name).toBeGreaterThan(0);
      expect(hashes[0]?.alg, name).toBe('SHA-512');
    }
    const references = new Set(bill.dependencies.map(({ ref }: { ref: string }) => ref));
    for (const { dependsOn = [] } of bill.dependencies) for (const ref of dependsOn) expect(references).toContain(ref);
  });
});
