/** Data of one server go into another, on the same engine or the other one, and come back equal. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBuiltIn } from '../../test/harness/built-in-server.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { connectTo, engines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { Client, PASSWORD } from '../../test/harness/managed-server.ts';
import { command, filledServer, KEY, LARGE, serverIn } from './fixtures/organization-server.ts';

const DATA = [
  'auth_user',
  'auth_account',
  'auth_organization',
  'auth_member',
  'auth_invitation',
  'semantic_layer_organizations',
  'audit_log',
  'conversations',
  'conversation_messages',
  'conversation_counts',
  'usage_questions',
  'usage_days',
  'usage_totals',
  'actions',
  'action_history',
  'scheduled_tasks',
  'scheduled_runs',
  'scheduled_deliveries',
];

const folder = emptyFolder();
const started: Record<string, TestEngine> = {};
let source: Record<string, string>;
let archive = '';
beforeAll(async () => {
  for (const [name, start] of engines) started[name] = await start();
  source = await filledServer(join(folder.path, 'source'), `sqlite:${join(folder.path, 'source.db')}`);
  archive = join(folder.path, 'all.zip');
  const { code, stderr } = await command(['export', '--out', archive], folder.path, source);
  expect([code, stderr]).toEqual([0, '']);
}, 120_000);
afterAll(async () => {
  for (const engine of Object.values(started)) await engine[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const fresh = (engine: 'sqlite' | 'postgres') => started[engine]?.fresh() as Promise<string>;
let count = 0;
/** A server that has nothing yet. */
async function target(engine: 'sqlite' | 'postgres') {
  count += 1;
  return serverIn(join(folder.path, `target-${count}`), await fresh(engine));
}
const importInto = (env: Record<string, string>, file = archive, ...flags: string[]) =>
  command(['migrate-import', file, ...flags], folder.path, env);

/** Every row as SQLite has it, with its storage classes. */
function rowsOf(url: string | undefined): Record<string, unknown[]> {
  const db = new Sqlite((url ?? '').slice(7), { readonly: true });
  const all = DATA.map((table) => {
    const columns = (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => `"${name}"`);
    const list = columns.map((name) => `${name}, typeof(${name})`).join(', ');
    const rows = db.prepare(`SELECT ${list} FROM ${table}`).raw().safeIntegers().all();
    return [
      table,
      rows.map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))).sort(),
    ];
  });
  db.close();
  return Object.fromEntries(all);
}

function filesIn(dir: string): Record<string, string> {
  const found = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    found.map(({ parentPath, name }) => [
      join(parentPath, name).slice(dir.length),
      readFileSync(join(parentPath, name), 'utf8'),
    ]),
  );
}

describe('an archive', () => {
  it('is for its owner only, and lists what it has', async () => {
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.part'))).toEqual([]);
    const again = await command(['export', '--out', archive], folder.path, source);
    expect(again).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('exists and is not overwritten'),
    });
  });

  it('comes back equal from SQLite through PostgreSQL', async () => {
    const [middle, last] = [await target('postgres'), await target('sqlite')];
    const imported = await importInto(middle);
    expect([imported.stderr, imported.code]).toEqual(['', 0]);
    const second = join(folder.path, 'second.zip');
    expect(await command(['export', '--out', second], folder.path, middle)).toMatchObject({ code: 0, stderr: '' });
    expect(await importInto(last, second)).toMatchObject({ code: 0, stderr: '' });

    const [before, after] = [rowsOf(source.DATABASE_URL), rowsOf(last.DATABASE_URL)];
    for (const table of DATA) {
      expect(before[table]?.length, table).toBeGreaterThan(0);
      expect(after[table], table).toEqual(before[table]);
    }
    const layers = [source, middle, last].map(({ SVC_SEMANTIC_DIR = '' }) => filesIn(SVC_SEMANTIC_DIR));
    expect(Object.keys(layers[0] ?? {})).toContain('/.orgs/acme/entities/visits.yml');
    expect([layers[1], layers[2]]).toEqual([layers[0], layers[0]]);

    const db = connectTo(middle.DATABASE_URL ?? '');
    const [message] = await db('conversation_messages').where({ position: '9007199254740993', state: 'complete' });
    expect(message.parts[0].text).toBe(`NUL \0 and ${LARGE}`);
    expect(await db('action_history').max('id as last').first()).toMatchObject({ last: '3' });
    const [{ id }] = await db('action_history')
      .insert({
        action_id: (await db('actions').first('id')).id,
        move: 'x',
        at: new Date(),
        auth_mode: 'm',
        surface: 's',
        request_id: 'r',
      })
      .returning('id');
    expect(id).toBe('4');
    await db.destroy();
  }, 120_000);

  it.each(['sqlite', 'postgres'] as const)(
    'lets users go on where it was imported, on %s',
    async (engine) => {
      const env = await target(engine);
      expect(await importInto(env)).toMatchObject({ code: 0 });
      await using server = await startBuiltIn(env);
      const boss = new Client(server);
      expect((await boss.signIn('boss@example.com', PASSWORD)).status).toBe(200);
      expect((await new Client(server).signIn('boss@example.com', 'wrong password')).status).toBe(401);
      const { tasks } = (await boss.send('/api/v1/scheduled-tasks')).body;
      expect(tasks).toMatchObject([{ name: 'Daily', enabled: true, nextRunAt: expect.stringMatching(/T08:00:00/) }]);
      const ann = new Client(server);
      await ann.signIn('ann@example.com', PASSWORD);
      const { conversations } = (await ann.send('/api/v1/conversations')).body;
      expect(conversations.map(({ title }: { title: string }) => title)).toContain('How many customers are there?');
      const { members } = (await boss.send('/api/auth/organization/list-members')).body;
      expect(members).toHaveLength(2);
      // What triggers keep is there, too.
      expect((await boss.send('/api/v1/admin/users')).body).toMatchObject({ total: 2, users: [{}, {}] });
    },
    120_000,
  );

  it('can be imported again, and changes nothing then', async () => {
    const env = await target('sqlite');
    await importInto(env);
    const before = rowsOf(env.DATABASE_URL);
    const again = await importInto(env);
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/audit_log\s*│\s*0\s*│\s*1,?2\d\d/);
    expect(rowsOf(env.DATABASE_URL)).toEqual(before);
  }, 60_000);

  it('is checked by a dry run, which changes nothing', async () => {
    const env = await target('sqlite');
    expect(await importInto(env, archive, '--dry-run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Dry run'),
    });
    expect([existsSync((env.DATABASE_URL ?? '').slice(7)), existsSync(env.SVC_SEMANTIC_DIR ?? '')]).toEqual([
      false,
      false,
    ]);
    await command(['migrate', '--apply'], folder.path, env);
    expect(await importInto(env, archive, '--dry-run')).toMatchObject({ code: 0 });
    expect(rowsOf(env.DATABASE_URL).auth_user).toEqual([]);
  }, 60_000);
});

describe('an import is refused, and changes nothing,', () => {
  it.each(['sqlite', 'postgres'] as const)(
    'where another row has the key, on %s',
    async (engine) => {
      const env = await target(engine);
      await importInto(env);
      const db = connectTo(env.DATABASE_URL ?? '');
      await db('auth_user').where({ email: 'ann@example.com' }).update({ name: 'Another' });
      await db('audit_log').delete();
      expect(await importInto(env)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/"auth_user" has another row of the same key.*nothing was imported/),
      });
      await db('auth_user')
        .where({ email: 'ann@example.com' })
        .update({ name: 'Somebody', id: 'other' })
        .catch(() => undefined);
      expect(await db('audit_log').count('* as n').first()).toEqual({ n: engine === 'sqlite' ? 0 : '0' });
      await db.destroy();
    },
    60_000,
  );

  it('where another user has the address', async () => {
    const env = await target('postgres');
    await command(['migrate', '--apply'], folder.path, env);
    const db = connectTo(env.DATABASE_URL ?? '');
    const at = new Date();
    await db('auth_user').insert({
      id: 'x',
      name: 'x',
      email: 'ann@example.com',
      emailVerified: false,
      createdAt: at,
      updatedAt: at,
    });
    const refused = await importInto(env);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'A row cannot be added to the table "auth_user": another row there has the same value',
      ),
    });
    expect(refused.stderr).not.toContain('ann@example.com');
    expect([await db('auth_user').count('* as n').first(), existsSync(env.SVC_SEMANTIC_DIR ?? '')]).toEqual([
      { n: '1' },
      false,
    ]);
    await db.destroy();
  }, 60_000);

  it('where a semantic file differs', async () => {
    const env = await target('sqlite');
    const { SVC_SEMANTIC_DIR = '' } = env;
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(SVC_SEMANTIC_DIR, 'entities'), { recursive: true });
    writeFileSync(join(SVC_SEMANTIC_DIR, 'entities/orders.yml'), 'table: mine\n');
    expect(await importInto(env)).toMatchObject({ code: 1, stderr: expect.stringContaining('entities/orders.yml') });
    expect(Object.keys(filesIn(SVC_SEMANTIC_DIR))).toEqual(['/entities/orders.yml']);
  });

  it('where its secrets could not be read', async () => {
    const { SVC_ENCRYPTION_KEY: _, ...env } = await target('sqlite');
    const refused = await importInto({ ...env, SVC_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') });
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /secrets that were encrypted with another key.*Add the other server's SVC_ENCRYPTION_KEY/,
      ),
    });
    expect(existsSync((env.DATABASE_URL ?? '').slice(7))).toBe(false);
    const both = `${Buffer.alloc(32, 9).toString('base64')},${KEY}`;
    expect(await importInto({ ...env, SVC_ENCRYPTION_KEY: both })).toMatchObject({ code: 0 });
  }, 60_000);

  it('where a part of the server is turned off', async () => {
    const { SVC_ACTIONS_ENABLED: _, ...env } = await target('sqlite');
    expect(await importInto(env)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/rows of the table "actions".*SVC_ACTIONS_ENABLED/),
    });
    expect(rowsOf2(env)).toBe(0);
  }, 60_000);
});

const rowsOf2 = ({ DATABASE_URL = '' }: Record<string, string>) =>
  new Sqlite(DATABASE_URL.slice(7), { readonly: true }).prepare('SELECT count(*) FROM auth_user').pluck().get();
