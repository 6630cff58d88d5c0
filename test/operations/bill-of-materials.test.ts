/** The bill of materials of a release. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { productionPackages } from '../../scripts/production-packages.ts';
import { billOfMaterials } from '../../scripts/sbom.ts';

const ROOT = join(import.meta.dirname, '../..');

const installed = productionPackages(ROOT);
const { dependencies, devDependencies, peerDependencies, version } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);

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
