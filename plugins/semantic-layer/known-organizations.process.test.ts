import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { type LayerFolder, layerFolder } from '../../test/harness/layer-folder.ts';
import { startPostgres } from '../../test/harness/postgres.ts';
import { internalDb } from '../internal-db/index.ts';
import { semanticLayer } from './index.ts';
import { ReloadingLayer } from './reloading-layer.ts';

const FILES = { 'entities/a.yml': 'table: a\n', '.orgs/acme/entities/own.yml': 'table: own\n' };
const GONE = { code: 'not_available', reason: 'E_SEMANTIC_LAYER_GONE' };
const limits = { checkIntervalMs: 0, contextBytes: 16_384, exploreBytes: 16_384 };

const start = ({ dir }: LayerFolder, url: string | undefined) =>
  createTestApp({ plugins: [internalDb({ url }), semanticLayer({ dir, watchIntervalMs: 20, checkIntervalMs: 0 })] });
const namesOf = async (app: Awaited<ReturnType<typeof start>>, orgId: string) =>
  (await app.get(semanticLayer).modelFor(orgId)).entities.map(({ name }) => name);

describe('organizations with their own layer', () => {
  test.each(['sqlite', 'postgres'])(
    'are known after a restart, by the internal database on %s',
    async (dialect) => {
      using folder = layerFolder(FILES);
      using database = layerFolder();
      await using cleanup = new AsyncDisposableStack();
      let url = `sqlite:${join(database.dir, 'atlas.db')}`;
      if (dialect === 'postgres') {
        const server = await startPostgres();
        cleanup.defer(() => server.stop());
        url = server.url;
      }
      {
        await using app = await start(folder, url);
        expect(await namesOf(app, 'acme')).toEqual(['own']);
        folder.write('.orgs/late/entities/own.yml', 'table: own\n');
        expect(await namesOf(app, 'late')).toEqual(['own']);
      }
      folder.remove('.orgs');
      for (let restart = 0; restart < 2; restart++) {
        await using app = await start(folder, url);
        await expect(namesOf(app, 'acme')).rejects.toMatchObject(GONE);
        await expect(namesOf(app, 'late')).rejects.toMatchObject(GONE);
        await expect(namesOf(app, 'a/b')).rejects.toMatchObject({ code: 'not_available' });
        expect(await namesOf(app, 'other')).toEqual(['a']);
      }
      folder.write('.orgs/acme/entities/own.yml', 'table: own\n');
      await using app = await start(folder, url);
      expect(await namesOf(app, 'acme')).toEqual(['own']);
    },
    60_000,
  );

  test('are known until the server stops when there is no database', async () => {
    using folder = layerFolder(FILES);
    await using app = await start(folder, undefined);
    folder.remove('.orgs');
    await expect(namesOf(app, 'acme')).rejects.toMatchObject(GONE);
  });

  test('get no layer while their folder cannot be read or is not a folder', async () => {
    using folder = layerFolder({ ...FILES, '.orgs/file': 'text' });
    symlinkSync('loop', join(folder.dir, '.orgs/loop'));
    symlinkSync('nowhere', join(folder.dir, '.orgs/dangling'));
    symlinkSync('acme', join(folder.dir, '.orgs/linked'));
    const layer = new ReloadingLayer({ dir: folder.dir, ...limits });
    for (const orgId of ['file', 'loop', 'dangling']) {
      await expect(layer.for({ orgId }), orgId).rejects.toMatchObject({ code: 'not_available' });
    }
    expect((await layer.for({ orgId: 'linked' })).entities.map(({ name }) => name)).toEqual(['own']);
    folder.remove('.orgs/linked');
    await expect(layer.for({ orgId: 'linked' })).rejects.toMatchObject(GONE);
  });
});
