import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composePreset } from '../../bin/compose.ts';
import { createApp } from '../../kernel/index.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { connectTo, engines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { type InternalDb, storeTables } from '../internal-db/index.ts';
import { command, serverIn } from './fixtures/organization-server.ts';

const started: TestEngine[] = [];
const folder = emptyFolder();
afterAll(async () => {
  for (const engine of started) await engine[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

describe.each(engines)('the tables on %s', (name, start) => {
  let env: Record<string, string>;
  beforeAll(async () => {
    const engine = await start();
    started.push(engine);
    env = serverIn(join(folder.path, name), await engine.fresh());
    expect(await command(['migrate', '--apply'], folder.path, env)).toMatchObject({ code: 0 });
  }, 60_000);

  it('are all listed by their plugins, with columns that exist', async () => {
    const { config, options } = composePreset({ ...env, SVC_PROVIDER: 'offline' });
    await using app = await createApp(config, { ...options, until: 'sealed' });
    const listed = (await app.call(storeTables, undefined, app.scope())).map(({ value }) => value);
    const db = app.get<InternalDb>({ pluginName: 'internal-db' });
    const query =
      name === 'sqlite'
        ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        : 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()';
    const answer = await db.run((knex) => knex.raw(query));
    const found: string[] = (answer.rows ?? answer).map((row: { name: string }) => row.name);
    const unlisted = found.filter(
      (table) => table !== 'atlas_migrations' && !listed.some((one) => one.table === table),
    );
    expect(unlisted).toEqual([]);
    for (const { table, sealed = [] } of listed.filter((one) => found.includes(one.table))) {
      const columns = Object.keys(await db.run((knex) => knex(table).columnInfo()));
      expect(columns, table).toEqual(expect.arrayContaining([...sealed]));
    }
  });

  it('are read as they are at one moment, while others write', async () => {
    const { config, options } = composePreset({ ...env, SVC_PROVIDER: 'offline' });
    await using app = await createApp(config, { ...options, until: 'sealed' });
    const other = connectTo(env.DATABASE_URL ?? '');
    await app.get<InternalDb>({ pluginName: 'internal-db' }).snapshot(async (trx) => {
      const rows = () => trx('semantic_layer_organizations').pluck('org_id');
      const before = await rows();
      await other('semantic_layer_organizations').insert({ org_id: 'late' });
      expect(await rows()).toEqual(before);
    });
    expect(await other('semantic_layer_organizations').pluck('org_id')).toContain('late');
    await other.destroy();
  });

  it('are not left out silently where their plugin is not in the composition', async () => {
    const { AUTHLIB_SECRET: _, ...without } = env;
    const out = join(folder.path, `${name}-partial.zip`);
    const refused = await command(['export', '--out', out], folder.path, without);
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /plugins about which the composition says nothing: admin-sso, auth-managed\..*--partial/,
      ),
    });
    expect(existsSync(out)).toBe(false);
    const partial = await command(['export', '--out', out, '--partial'], folder.path, without);
    expect(partial).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Left out: the tables of admin-sso, auth-managed.'),
    });
  });
});

describe('an export', () => {
  const env = () => serverIn(join(folder.path, 'small'), `sqlite:${join(folder.path, 'small.db')}`);

  it('that is stopped leaves no file', async () => {
    await command(['migrate', '--apply'], folder.path, env());
    const db = connectTo(env().DATABASE_URL ?? '');
    const rows = Array.from({ length: 400 }, (_, index) => ({
      ...{ id: `id-${index}`, timestamp: '2026-01-15T12:00:00.123Z', auth_mode: 'none', sql: 'x'.repeat(20_000) },
      ...{ duration_ms: 1, row_count: 1, success: true, tables: '[]', request_id: 'r', surface: 'api' },
    }));
    await db.batchInsert('audit_log', rows, 50);
    await db.destroy();
    const stop = new AbortController();
    const out = join(folder.path, 'stopped.zip');
    const running = command(['export', '--out', out], folder.path, env(), stop.signal);
    while (!readdirSync(folder.path).some((name) => name.endsWith('.part'))) await new Promise(setImmediate);
    stop.abort();
    expect((await running).code).not.toBe(0);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('stopped.zip'))).toEqual([]);
  }, 60_000);

  it.each<[string, string[], RegExp]>([
    ['without a name', [], /--out/],
    ['into a folder that is not there', ['--out', 'nowhere/a.zip'], /cannot be written: the folder does not exist/],
    ['onto a folder', ['--out', 'small'], /exists and is not overwritten/],
  ])('%s is refused', async (_, flags, says) => {
    await command(['migrate', '--apply'], folder.path, env());
    const refused = await command(['export', ...flags], folder.path, env());
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(says) });
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('of no database is refused', async () => {
    const { DATABASE_URL: _, AUTHLIB_SECRET: __, ...none } = env();
    expect((await command(['export', '--out', 'a.zip'], folder.path, none)).stderr).toMatch(
      /^There is no internal database: DATABASE_URL is not set/,
    );
    const missing = { ...env(), DATABASE_URL: 'sqlite:nowhere.db' };
    expect((await command(['export', '--out', 'a.zip'], folder.path, missing)).stderr).toMatch(
      /lacks \d+ migrations.*check DATABASE_URL/,
    );
    expect(existsSync('nowhere.db')).toBe(false);
  });
});
