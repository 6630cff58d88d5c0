import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp, type Migration } from '../../kernel/index.ts';
import { atlas, emptyFolder } from '../../test/harness/command.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import {
  chosenEngines,
  createNotes,
  migration,
  storing,
  type TestEngine,
} from '../../test/harness/internal-databases.ts';
import { internalDb } from './index.ts';

const addNote = (name: string, text: string) => migration(name, (trx) => trx('notes').insert({ text }));

/** Three slow migrations; the one named by TEST_KILL ends its process after its work. */
const CONFIG = `
  import { defineConfig, definePlugin, storeMigrations } from 'atlas-query';
  import { internalDb } from 'atlas-query/plugins/internal-db';
  const slow = (name, work) => ({
    name,
    async up(trx) {
      await work(trx);
      await new Promise((done) => setTimeout(done, 200));
      if (process.env.TEST_KILL === name) process.kill(process.pid, 'SIGKILL');
    },
  });
  const notes = definePlugin({
    name: 'notes', version: '1.0.0', type: 'core', description: 'Has tables.', needs: { internalDb },
    setup(ctx) {
      ctx.tap(storeMigrations, () => [
        slow('0001', (trx) => trx.schema.createTable('notes', (table) => { table.increments('id'); table.text('text'); })),
        slow('0002', (trx) => trx('notes').insert({ text: 'a' })),
        slow('0003', (trx) => trx('notes').insert({ text: 'b' })),
      ]);
    },
  });
  export default defineConfig({ plugins: [internalDb({ url: process.env.TEST_URL }), notes()] });
`;

describe.each(chosenEngines)('migrations on %s', (_, start) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await start();
  }, 120_000);
  afterAll(() => engine?.[Symbol.asyncDispose]());

  const boot = (url: string, migrations: readonly Migration[]) =>
    createTestApp({ plugins: [internalDb({ url }), storing('notes', migrations)], timeoutMs: 60_000 });
  const texts = (app: Awaited<ReturnType<typeof boot>>) =>
    app.get(internalDb).run((db) => db('notes').orderBy('id').pluck('text'));

  it('applies each once, at the first start', async () => {
    const url = await engine.fresh();
    for (const expected of [2, 0]) {
      await using app = await boot(url, [createNotes, addNote('0002-first', 'first')]);
      expect(await texts(app)).toEqual(['first']);
      const told = app.lines.filter(({ message }) => /were applied/.test(message));
      expect(told.map(({ fields }) => fields.applied)).toEqual(expected === 0 ? [] : [expected]);
      expect(await app.get(internalDb).migrate()).toEqual([]);
    }
  });

  it('applies in the order of names within a plugin, and of needs between plugins', async () => {
    await using app = await createTestApp({
      plugins: [
        storing('later', [addNote('0001-last', 'c')]),
        storing('first', [addNote('0003-b', 'b'), addNote('0002-a', 'a'), createNotes]),
        internalDb({ url: await engine.fresh() }),
      ].toReversed(),
    });
    expect(await texts(app)).toEqual(['a', 'b', 'c']);
    expect((await app.get(internalDb).migrations()).map(({ plugin, name }) => `${plugin} ${name}`)).toEqual([
      'first 0001-notes',
      'first 0002-a',
      'first 0003-b',
      'later 0001-last',
    ]);
  });

  it('keeps two plugins with equal names of migrations apart', async () => {
    await using app = await createTestApp({
      plugins: [
        internalDb({ url: await engine.fresh() }),
        storing('one', [createNotes]),
        storing('two', [addNote('0001-notes', 'two')]),
      ],
    });
    expect(await texts(app)).toEqual(['two']);
  });

  it('a failing one stops the start, leaves nothing of itself, and applies once it is corrected', async () => {
    const url = await engine.fresh();
    const broken = migration('0002-more', async (trx) => {
      await trx.schema.createTable('half', (table) => table.text('text'));
      await trx('notes').insert({ text: 'half' });
      await trx('nowhere').insert({ text: 'lost' });
    });
    await expect(boot(url, [createNotes, broken, addNote('0003-late', 'late')])).rejects.toThrow(
      /The migration "0002-more" of plugin "notes" failed and was rolled back: .*nowhere.*\. Nothing of it was kept/,
    );
    await using app = await boot(url, [createNotes, addNote('0002-more', 'whole'), addNote('0003-late', 'late')]);
    expect(await texts(app)).toEqual(['whole', 'late']);
    expect(await app.get(internalDb).run((db) => db.schema.hasTable('half'))).toBe(false);
  });

  it('one that swallows the failure of a statement does not count as applied by half', async () => {
    const url = await engine.fresh();
    const swallowing = migration('0002-more', async (trx) => {
      await trx('notes').insert({ text: 'kept or not' });
      await trx('nowhere')
        .insert({ text: 'lost' })
        .catch(() => {});
    });
    const started = await boot(url, [createNotes, swallowing]).then(
      async (app) => {
        await app.close();
        return true;
      },
      () => false,
    );
    await using app = await boot(url, [createNotes]);
    expect(await texts(app)).toEqual(started ? ['kept or not'] : []);
  });

  it('names what is missing before anything is done', async () => {
    const url = await engine.fresh();
    const config = { plugins: [internalDb({ url }), storing('notes', [createNotes])] };
    await using app = await createApp(config, { until: 'sealed', now: () => 0 });
    const db = app.get(internalDb);
    const missing = { plugin: 'notes', name: '0001-notes', appliedAt: undefined };
    const applied = { ...missing, appliedAt: '1970-01-01T00:00:00.000Z' };
    expect(await db.migrations()).toEqual([missing]);
    expect(await db.migrations()).toEqual([missing]);
    expect(await db.migrate()).toEqual([applied]);
    expect(await db.migrations()).toEqual([applied]);
  });

  it('warns of those that this composition does not know', async () => {
    const url = await engine.fresh();
    await (await boot(url, [createNotes, addNote('0002-future', 'future')])).close();
    await using app = await boot(url, [createNotes]);
    expect(app.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { migrations: ['notes: 0002-future'] } },
    ]);
  });

  it('refuses two of one name', async () => {
    await expect(boot(await engine.fresh(), [createNotes, createNotes])).rejects.toThrow(
      'Plugin "notes" brings two migrations "0001-notes".',
    );
  });

  it('may rebuild a table that others refer to', async () => {
    const tables = migration('0001-tables', async (trx) => {
      await trx.schema.createTable('owner', (table) => {
        table.increments('id');
        table.text('name');
      });
      await trx.schema.createTable('thing', (table) => {
        table.integer('owner').references('owner.id').onDelete('CASCADE');
      });
      await trx('owner').insert({ id: 1, name: 'x' });
      await trx('thing').insert({ owner: 1 });
    });
    const alter = migration('0002-alter', (trx) =>
      trx.schema.alterTable('owner', (table) => {
        table.text('name').notNullable().alter();
      }),
    );
    await using app = await boot(await engine.fresh(), [tables, alter]);
    const db = app.get(internalDb);
    expect(await db.run((knex) => knex('thing').pluck('owner'))).toEqual([1]);
    await expect(db.run((knex) => knex('thing').insert({ owner: 2 }))).rejects.toThrow(/foreign key/i);
  });

  it('two apps that start at once both come up, and each migration runs once', async () => {
    const url = await engine.fresh();
    const list = [createNotes, ...['a', 'b', 'c', 'd'].map((text, index) => addNote(`001${index}-${text}`, text))];
    const apps = await Promise.all([boot(url, list), boot(url, list), boot(url, list)]);
    for (const app of apps) expect(await texts(app)).toEqual(['a', 'b', 'c', 'd']);
    const applied = apps.flatMap(({ lines }) => lines.map(({ fields }) => Number(fields.applied ?? 0)));
    expect(applied.reduce((sum, count) => sum + count, 0)).toBe(list.length);
    for (const app of apps) await app.close();
  });

  it('so do two processes, also after one that was killed in the middle', { timeout: 120_000 }, async () => {
    const url = await engine.fresh();
    using folder = emptyFolder();
    writeFileSync(join(folder.path, 'atlas.config.ts'), CONFIG);
    const run = (env: Record<string, string>) => atlas(['boot'], { cwd: folder.path, env: { TEST_URL: url, ...env } });
    expect((await run({ TEST_KILL: '0002' })).stdout).toBe('');
    const runs = await Promise.all([run({}), run({})]);
    for (const { code, stdout } of runs) expect([code, stdout]).toEqual([0, expect.stringMatching(/plugins ready/)]);
    await using app = await createTestApp({ plugins: [internalDb({ url })] });
    expect(await texts(app)).toEqual(['a', 'b']);
    const warned = app.lines.filter(({ level }) => level === 'warn');
    expect(warned).toMatchObject([{ fields: { migrations: ['notes: 0001', 'notes: 0002', 'notes: 0003'] } }]);
  });
});
