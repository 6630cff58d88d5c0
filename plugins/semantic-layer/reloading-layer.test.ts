import { mkdirSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { generateLayer, writeLayer } from '../../test/harness/generate-layer.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import type { SemanticModel } from './model.ts';
import { ReloadingLayer } from './reloading-layer.ts';

const limits = { checkIntervalMs: 0, contextBytes: 16_384, exploreBytes: 16_384 };
const scope = (orgId: string | null = null) => ({ orgId });
const names = (model: SemanticModel) => model.entities.map(({ name }) => name);

/** Waits for a model for which `isWanted` holds; the interval between two checks may have to pass first. */
async function eventually(layer: ReloadingLayer, isWanted: (model: SemanticModel) => boolean): Promise<SemanticModel> {
  const wanted = async () => {
    const model = await layer.modelFor(null);
    return isWanted(model) ? model : undefined;
  };
  return (await vi.waitUntil(wanted, { timeout: 15_000, interval: 10 })) as SemanticModel;
}

describe('changes', () => {
  test('are noticed without a restart: changed, added, removed and renamed files', async () => {
    using folder = layerFolder({ 'entities/a.yml': 'table: a\n', 'entities/b.yml': 'table: b\n' });
    const layer = new ReloadingLayer({ dir: folder.dir, ...limits });
    expect(names(await layer.modelFor(null))).toEqual(['a', 'b']);
    folder.write('entities/a.yml', 'table: a2\n');
    expect(names(await eventually(layer, ({ version }) => version === 2))).toEqual(['a2', 'b']);
    folder.write('entities/c.yml', 'table: c\n');
    expect(names(await eventually(layer, ({ version }) => version === 3))).toEqual(['a2', 'b', 'c']);
    folder.remove('entities/b.yml');
    expect(names(await eventually(layer, ({ version }) => version === 4))).toEqual(['a2', 'c']);
    renameSync(join(folder.dir, 'entities/c.yml'), join(folder.dir, 'entities/d.yml'));
    const model = await eventually(layer, ({ version }) => version === 5);
    expect(model.entity('c')?.file).toBe('entities/d.yml');
  });

  test('of the same size within one tick of the clock are noticed', async () => {
    using folder = layerFolder({ 'entities/a.yml': 'table: a\n' });
    const layer = new ReloadingLayer({ dir: folder.dir, ...limits });
    for (const name of ['b', 'c', 'd']) {
      await layer.modelFor(null);
      folder.write('entities/a.yml', `table: ${name}\n`);
      expect(names(await eventually(layer, (model) => model.entity(name) !== undefined))).toEqual([name]);
    }
  });

  test('without a change of content make no new version', async () => {
    using folder = layerFolder({ 'entities/a.yml': 'table: a\n' });
    const layer = new ReloadingLayer({ dir: folder.dir, ...limits });
    const before = await layer.modelFor(null);
    utimesSync(join(folder.dir, 'entities/a.yml'), 1, 1);
    expect(await layer.modelFor(null)).toBe(before);
  });

  test('that break a file are reported; the others still work, and a repaired file is back', async () => {
    using folder = layerFolder({ 'entities/a.yml': 'table: a\n', 'entities/b.yml': 'table: b\n' });
    const seen: number[] = [];
    const layer = new ReloadingLayer({ dir: folder.dir, ...limits, onVersion: ({ version }) => seen.push(version) });
    await layer.modelFor(null);
    folder.write('entities/a.yml', 'table: [\n');
    const broken = await eventually(layer, ({ problems }) => problems.length > 0);
    expect(names(broken)).toEqual(['b']);
    expect(broken.problems[0]?.file).toBe('entities/a.yml');
    folder.write('entities/a.yml', 'table: a\n');
    expect(names(await eventually(layer, ({ problems }) => problems.length === 0))).toEqual(['a', 'b']);
    expect(seen).toEqual([1, 2, 3]);
  });

  test('a folder that is created later is loaded', async () => {
    using folder = layerFolder();
    const layer = new ReloadingLayer({ dir: join(folder.dir, 'semantic'), ...limits });
    expect((await layer.modelFor(null)).problems).toHaveLength(1);
    folder.write('semantic/entities/a.yml', 'table: a\n');
    expect((await eventually(layer, ({ entities }) => entities.length === 1)).problems).toEqual([]);
  });

  test('reach the text index', async () => {
    using folder = layerFolder();
    writeLayer(folder.dir, generateLayer(60));
    const layer = new ReloadingLayer({ dir: folder.dir, ...limits });
    const before = await layer.modelFor(null);
    await layer.contextFor(before, 'anything');
    folder.write('entities/zeppelins.yml', 'table: zeppelins\ndescription: Airships.\n');
    folder.remove(before.entities[0]!.file);
    const after = await eventually(layer, ({ version }) => version === 2);
    expect(await layer.contextFor(after, 'How many airships?')).toContain('## zeppelins: Airships.');
    expect(await layer.contextFor(before, 'How many airships?'), 'the old version').not.toContain('zeppelins');
  });
});

describe('a request', () => {
  test('keeps the version it began with', async () => {
    using folder = layerFolder({ 'entities/a.yml': 'table: a\n' });
    const layer = new ReloadingLayer({ dir: folder.dir, ...limits });
    const early = scope();
    const pinned = await layer.for(early);
    folder.write('entities/b.yml', 'table: b\n');
    await eventually(layer, ({ version }) => version === 2);
    expect(await layer.for(early)).toBe(pinned);
    expect(await layer.for({ orgId: null, parent: { orgId: null, parent: early } })).toBe(pinned);
    expect(names(await layer.for(scope()))).toEqual(['a', 'b']);
  });

  test('that comes first waits for the load; the event loop stays free', async () => {
    using folder = layerFolder();
    writeLayer(folder.dir, generateLayer(400));
    const layer = new ReloadingLayer({ dir: folder.dir, ...limits });
    expect([layer.current().version, layer.entityCount]).toEqual([0, 0]);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const models = await Promise.all([
      layer.for(scope()),
      layer.for(scope()),
      layer.ready().then(() => layer.current()),
    ]);
    isOver = true;
    expect(layer.entityCount).toBe(400);
    expect(new Set(models).size).toBe(1);
    expect(models[0]?.entities).toHaveLength(400);
    expect(turns).toBeGreaterThan(10);
  });

  test('that waits when the layer is closed is rejected', async () => {
    using folder = layerFolder();
    writeLayer(folder.dir, generateLayer(400));
    const layer = new ReloadingLayer({ dir: folder.dir, ...limits });
    const waiting = layer.ready();
    layer.close();
    await expect(waiting).rejects.toThrow(/abort/);
  });
});

describe('an organization', () => {
  test('has its own layer when it has a folder, else the default layer', async () => {
    using folder = layerFolder({
      'entities/a.yml': 'table: a\n',
      '.orgs/acme/entities/own.yml': 'table: own\n',
    });
    const layer = new ReloadingLayer({ dir: folder.dir, ...limits });
    expect(names(await layer.for(scope('acme')))).toEqual(['own']);
    expect(names(await layer.for(scope('other')))).toEqual(['a']);
    expect(names(await layer.for(scope()))).toEqual(['a']);
    folder.write('.orgs/other/entities/x.yml', 'table: x\n');
    expect(names(await layer.for(scope('other')))).toEqual(['x']);
  });

  test('whose own layer was removed gets none: the default layer may show what was masked', async () => {
    using folder = layerFolder({
      'entities/a.yml': 'table: a\n',
      '.orgs/acme/entities/own.yml': 'table: own\n',
      '.orgs/other/entities/own.yml': 'table: own\n',
    });
    const layer = new ReloadingLayer({ dir: folder.dir, ...limits });
    expect(names(await layer.for(scope('acme')))).toEqual(['own']);
    folder.remove('.orgs');
    for (const orgId of ['acme', 'other']) {
      await expect(layer.for(scope(orgId))).rejects.toMatchObject({
        code: 'not_available',
        message: expect.stringContaining(orgId),
      });
    }
    expect(names(await layer.for(scope('third')))).toEqual(['a']);
    folder.write('.orgs/acme/entities/own.yml', 'table: own\n');
    expect(names(await layer.for(scope('acme')))).toEqual(['own']);
  });

  test.each(['../..', '.', '..', '', 'a/b', 'a\\b', 'a\0b', '.orgs', 'x'.repeat(129)])(
    '%j names no folder: it gets no layer where organizations have their own',
    async (orgId) => {
      using folder = layerFolder({ 'entities/a.yml': 'table: a\n' });
      const shared = new ReloadingLayer({ dir: folder.dir, ...limits });
      expect(names(await shared.for(scope(orgId)))).toEqual(['a']);
      mkdirSync(join(folder.dir, '.orgs/entities'), { recursive: true });
      const layer = new ReloadingLayer({ dir: folder.dir, ...limits });
      for (const each of [layer, shared]) {
        await expect(each.for(scope(orgId))).rejects.toMatchObject({ reason: 'E_ORGANIZATION_UNMAPPED' });
        expect(names(await each.for(scope('other')))).toEqual(['a']);
      }
    },
  );
});
