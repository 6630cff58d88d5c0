import { createHash, randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authResolve, definePlugin, scheduleCollect } from '../../kernel/index.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { createNotes, storing } from '../../test/harness/internal-databases.ts';
import {
  INSTALL_POSTGRES,
  installedPostgres,
  type PostgresServer,
  startPostgres,
} from '../../test/harness/postgres.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { Issuer, makeKey, NOW, sign } from '../../test/harness/token-issuer.ts';
import { audit } from '../audit/index.ts';
import { authByot } from '../auth-byot/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { backups } from './index.ts';
import { sqliteEngine } from './sqlite-engine.ts';

const PATH = '/api/v1/platform/backups';
const START = Date.UTC(2026, 0, 15, 12);
const DAY_MS = 86_400_000;

interface Backup {
  readonly id: string;
  readonly status: string;
  readonly storagePath: string;
  readonly errorMessage: string | null;
  readonly operation: string | null;
  readonly installation: string | null;
}

/** An administrator of the organization that a header names. */
const boss = definePlugin({
  name: 'test-boss',
  version: '1.0.0',
  type: 'auth',
  description: 'Takes every caller for an administrator.',
  setup(ctx) {
    const actor = { id: 'boss', label: 'boss@example.com', role: 'admin', mode: 'test', claims: {} } as const;
    ctx.tap(authResolve, ({ headers }) => ({ actor, orgId: (headers['x-org'] as string | undefined) ?? null }));
    ctx.tap(storeTables, () => [{ table: 'notes' }]);
  },
});

const closing = (path: string) => {
  const db = new Sqlite(path);
  return Object.assign(db, { [Symbol.dispose]: () => void db.close() });
};

type Options = Parameters<typeof backups>[0];

async function start(url: string | undefined, dir: string, options: Options = {}) {
  const clock = { now: START };
  const app = await createTestApp({
    plugins: [
      http({ port: 0 }),
      internalDb({ url }),
      boss(),
      storing('notes', [createNotes]),
      audit(),
      backups({ dir, ...options }),
    ],
    now: () => clock.now,
    timeoutMs: 60_000,
  });
  const send = async (method: 'GET' | 'POST' | 'DELETE', path = '', payload?: object, headers = {}) => {
    const request = { method, url: PATH + path, headers, ...(payload !== undefined && { payload }) };
    const response = await app.inject(request);
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return { status: response.statusCode, body: response.json<any>() };
  };
  const list = async (query = ''): Promise<Backup[]> => (await send('GET', query)).body.backups;
  const notes = async (): Promise<string[]> =>
    (await app.get(internalDb).run((db) => db('notes').orderBy('text'))).map(({ text }: { text: string }) => text);
  const add = (...texts: string[]) =>
    app.get(internalDb).run((db) => db('notes').insert(texts.map((text) => ({ text }))));
  const changes = async () =>
    (await app.inject({ method: 'GET', url: '/api/v1/admin/audit/changes' }))
      .json<{ changes: { action: string; userId: string }[] }>()
      .changes.map(({ action, userId }) => `${action} by ${userId}`);
  const nightly = async () => {
    const [job] = await app.call(scheduleCollect, undefined, app.scope());
    await job?.value.run(app.scope());
  };
  return { nightly, app, clock, send, list, notes, add, changes, [Symbol.asyncDispose]: () => app.close() };
}

const system = installedPostgres();
let postgres: PostgresServer | undefined;
afterAll(async () => postgres?.stop());

/** A new database of both kinds, and the options that it takes. */
const kinds = [
  ['sqlite', describe, async (dir: string) => ({ url: `sqlite:${join(dir, randomUUID(), 'atlas.db')}`, options: {} })],
  [
    'postgres',
    suiteNeeding('postgresql', system !== undefined, INSTALL_POSTGRES),
    async () => {
      postgres ??= await startPostgres({}, system);
      const name = `atlas_${randomUUID().replaceAll('-', '')}`;
      const client = new pg.Client(postgres.url);
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return { url: postgres.url.replace(/postgres$/, name), options: { toolsDir: join(system ?? '', 'bin') } };
    },
  ],
] as const;

for (const [kind, suite, fresh] of kinds) {
  suite(`on ${kind}`, { timeout: 60_000 }, () => {
    it('are made, verified, restored and deleted', async () => {
      using folder = emptyFolder();
      const { url, options } = await fresh(folder.path);
      const dir = join(folder.path, 'backups');
      await using server = await start(url, dir, options);
      await server.add("Zoë's", 'two\nlines', '💾');
      expect((await server.send('GET')).body).toEqual({ backups: [], total: 0, limit: 50, offset: 0 });

      const made = await server.send('POST');
      expect([made.status, made.body]).toEqual([
        201,
        {
          id: expect.any(String),
          createdAt: new Date(START).toISOString(),
          sizeBytes: expect.any(Number),
          status: 'completed',
          storagePath: expect.stringContaining(dir),
          retentionExpiresAt: new Date(START + 30 * DAY_MS).toISOString(),
          errorMessage: null,
          checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
          verifiedAt: null,
          installation: expect.stringMatching(/^[0-9a-f-]{36}$/),
          operation: null,
        },
      ]);
      const { id, storagePath, sizeBytes } = made.body;
      expect(statSync(storagePath)).toMatchObject({ size: sizeBytes, mode: 0o100600 });
      expect(statSync(dir).mode & 0o777).toBe(0o700);
      for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
      expect(await server.list()).toEqual([made.body]);
      expect((await server.send('GET', `/${id}`)).body).toEqual(made.body);

      await server.add('later');
      expect((await server.send('POST', `/${id}/verify`)).body).toMatchObject({
        status: 'verified',
        verifiedAt: new Date(START).toISOString(),
        errorMessage: null,
      });
      expect(readdirSync(dir).filter((name) => !name.startsWith(id))).toEqual([]);

      for (const [body, status] of [
        [undefined, 400],
        [{}, 422],
        [{ confirm: 'yes' }, 422],
        [{ confirm: id, now: true }, 422],
      ] as const) {
        expect([body, (await server.send('POST', `/${id}/restore`, body)).status]).toEqual([body, status]);
      }
      server.clock.now += 1_000;
      expect(await server.notes()).toContain('later');
      const restored = await server.send('POST', `/${id}/restore`, { confirm: id });
      expect([restored.status, restored.body]).toEqual([200, expect.objectContaining({ id, status: 'verified' })]);
      expect(await server.notes()).toEqual(["Zoë's", 'two\nlines', '💾'].sort());
      await server.add('works again');

      // What was there before can be restored, too.
      const [before] = await server.list();
      expect(before).toMatchObject({ status: 'completed', operation: null });
      expect((await server.send('POST', `/${before?.id}/restore`, { confirm: before?.id })).status).toBe(200);
      expect(await server.notes()).toContain('later');
      expect(await server.list()).toHaveLength(3);
      expect(await server.changes()).toEqual(
        expect.arrayContaining(['backup.created by boss', 'backup.verified by boss', 'backup.restored by boss']),
      );

      expect((await server.send('DELETE', `/${id}`)).body).toEqual({ success: true });
      expect(existsSync(storagePath)).toBe(false);
      expect((await server.send('DELETE', `/${id}`)).status).toBe(404);
      expect(await server.changes()).toContain('backup.deleted by boss');
    });

    it('are refused when their file has changed, and a failed restore changes nothing', async () => {
      using folder = emptyFolder();
      const { url, options } = await fresh(folder.path);
      await using server = await start(url, join(folder.path, 'backups'), options);
      await server.add('one');
      const { id, storagePath } = (await server.send('POST')).body;
      const bytes = readFileSync(storagePath);
      bytes[bytes.length - 10] = (bytes[bytes.length - 10] ?? 0) ^ 1;
      writeFileSync(storagePath, bytes);
      const restored = await server.send('POST', `/${id}/restore`, { confirm: id });
      expect([restored.status, restored.body]).toEqual([
        503,
        expect.objectContaining({ error: 'unavailable', message: expect.stringContaining('checksum differs') }),
      ]);
      expect(await server.notes()).toEqual(['one']);
      expect((await server.send('POST', `/${id}/verify`)).body).toMatchObject({
        status: 'failed',
        errorMessage: expect.stringContaining('checksum differs'),
      });
      expect((await server.send('POST', `/${id}/restore`, { confirm: id })).status).toBe(409);
      rmSync(storagePath);
      expect((await server.send('DELETE', `/${id}`)).status).toBe(200);

      // A dump that is not what the database held at that moment.
      const other = (await server.send('POST')).body;
      await server.app.get(internalDb).run(async (db) => {
        const { content } = await db('backups').where({ id: other.id }).first();
        const changed = JSON.parse(content);
        changed.tables.find(({ name }: { name: string }) => name === 'notes').digest = '0';
        await db('backups')
          .where({ id: other.id })
          .update({ content: JSON.stringify(changed) });
      });
      expect((await server.send('POST', `/${other.id}/verify`)).body).toMatchObject({
        status: 'failed',
        errorMessage: 'Verification failed: rows of the table notes differ.',
      });
    });

    it('are made one at a time, and what a crash has left does not stay', async () => {
      using folder = emptyFolder();
      const { url, options } = await fresh(folder.path);
      const dir = join(folder.path, 'backups');
      await using server = await start(url, dir, options);
      const statuses = (await Promise.all([1, 2, 3].map(() => server.send('POST')))).map(({ status }) => status);
      expect(statuses.sort()).toEqual([201, 409, 409]);
      const path = join(dir, 'x.db');
      writeFileSync(`${path}.partial`, 'half');
      const installation = (await server.list())[0]?.installation;
      const left = {
        id: randomUUID(),
        installation,
        status: 'in_progress',
        size_bytes: 0,
        storage_path: path,
        slot: 1,
      };
      const times = { created_at: new Date(START).toISOString(), retention_expires_at: new Date(START).toISOString() };
      await server.app.get(internalDb).run((db) =>
        db('backups').insert({
          ...left,
          ...times,
          operation: 'create',
          lease_until: new Date(START + 60_000).toISOString(),
        }),
      );
      expect((await server.send('POST')).status).toBe(409);
      expect((await server.send('DELETE', `/${left.id}`)).status).toBe(409);
      // One whose file was complete is none the worse for it.
      const [whole] = (await server.list()).filter(({ id }) => id !== left.id);
      await server.app.get(internalDb).run((db) =>
        db('backups')
          .where({ id: whole?.id })
          .update({
            status: 'in_progress',
            operation: 'create',
            checksum: null,
            lease_until: new Date(0).toISOString(),
          }),
      );
      expect(await server.list()).toContainEqual(whole);
      server.clock.now += 61_000;
      expect(await server.list()).toContainEqual(
        expect.objectContaining({ id: left.id, status: 'failed', errorMessage: expect.stringContaining('stopped') }),
      );
      expect(existsSync(`${path}.partial`)).toBe(false);
      expect(existsSync(whole?.storagePath ?? '')).toBe(true);
      expect((await server.send('POST')).status).toBe(201);
    });

    it('are deleted in time, and made each night', async () => {
      using folder = emptyFolder();
      const { url, options } = await fresh(folder.path);
      const dir = join(folder.path, 'backups');
      await using server = await start(url, dir, { ...options, retentionDays: 1, maxBackups: 2 });
      for (const status of [201, 201, 409]) expect((await server.send('POST')).status).toBe(status);

      // Both are too old, and the newest good one stays until there is another.
      server.clock.now += 31 * DAY_MS;
      await server.nightly();
      const [only, ...others] = await server.list();
      expect([only?.status, others]).toEqual(['completed', []]);
      server.clock.now += 2 * DAY_MS;
      await server.nightly();
      const [newest, ...older] = await server.list();
      expect([newest?.id === only?.id, newest?.status, older]).toEqual([false, 'completed', []]);
      expect(readdirSync(dir).sort()).toEqual([expect.stringContaining(`${newest?.id}`), `${newest?.id}.json`]);
    });

    it('of other installations with the same folder are used only where these are named', async () => {
      using folder = emptyFolder();
      const dir = join(folder.path, 'backups');
      const [one, two] = [await fresh(folder.path), await fresh(folder.path)];
      await using first = await start(one.url, dir, { ...one.options, retentionDays: 1 });
      await first.add('kept');
      const made: Backup = (await first.send('POST')).body;
      const { id } = made;
      // Files of a version that did not record it.
      const [old, oldPath] = [randomUUID(), (name: string) => made.storagePath.replace(id, name)];
      copyFileSync(made.storagePath, oldPath(old));
      const { installation: _, ...described } = JSON.parse(readFileSync(join(dir, `${id}.json`), 'utf8'));
      writeFileSync(join(dir, `${old}.json`), JSON.stringify({ ...described, id: old }));

      await using second = await start(two.url, dir, { ...two.options, retentionDays: 1, maxBackups: 2 });
      const told = second.app.lines.filter(({ message }) => message.includes('not known to have made'));
      expect(told.map(({ fields }) => fields)).toMatchObject([{ others: 2 }]);
      expect(await second.list()).toEqual([]);
      expect(await second.list(`?installation=${made.installation}`)).toMatchObject([{ id }]);
      expect((await second.list('?installation=any')).map((backup) => backup.id).sort()).toEqual([id, old].sort());
      for (const [asked, hint] of [
        [id, `?installation=${made.installation}`],
        [old, '?installation=any'],
      ] as const) {
        for (const [method, path, body] of [
          ['GET', '', undefined],
          ['POST', '/verify', undefined],
          ['POST', '/restore', { confirm: asked }],
          ['DELETE', '', undefined],
        ] as const) {
          const refused = await second.send(method, `/${asked}${path}`, body);
          expect([path, refused.status, refused.body.message]).toEqual([path, 404, expect.stringContaining(hint)]);
        }
      }
      const own: Backup = (await second.send('POST')).body;
      expect(own.installation).not.toBe(made.installation);
      for (const path of [`/${old}/verify?installation=any`, `/${id}/verify?installation=${made.installation}`]) {
        expect((await second.send('POST', path)).body).toMatchObject({ status: 'verified' });
      }
      const path = `/${id}/restore?installation=${made.installation}`;
      expect((await second.send('POST', path, { confirm: id })).status).toBe(200);
      expect(await second.notes()).toEqual(['kept']);
      // It remains itself, also with the data of another.
      expect((await second.list()).map(({ installation }) => installation)).toEqual([
        own.installation,
        own.installation,
      ]);
      expect(await first.list()).toMatchObject([{ id, installation: made.installation }]);

      // Each deletes its own ones in time, and those of another are off the list when they are gone.
      second.clock.now += 40 * DAY_MS;
      await second.nightly();
      expect(await second.list()).toHaveLength(1);
      expect(await second.list('?installation=any')).toHaveLength(3);
      await first.send('DELETE', `/${id}`);
      await second.nightly();
      expect(await second.list(`?installation=${made.installation}`)).toEqual([]);
      expect((await second.send('DELETE', `/${old}?installation=any`)).status).toBe(200);
      expect(existsSync(oldPath(old))).toBe(false);
    });

    it('belong to administrators of the platform', async () => {
      using folder = emptyFolder();
      const { url, options } = await fresh(folder.path);
      await using server = await start(url, join(folder.path, 'backups'), options);
      const id = randomUUID();
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['POST', '', undefined],
        ['GET', `/${id}`, undefined],
        ['POST', `/${id}/verify`, undefined],
        ['POST', `/${id}/restore`, { confirm: id }],
        ['DELETE', `/${id}`, undefined],
      ] as const) {
        const refused = await server.send(method, path, body, { 'x-org': 'acme' });
        expect([path, refused.status, refused.body.error]).toEqual([path, 403, 'forbidden']);
        if (path !== '') expect([path, (await server.send(method, path, body)).status]).toEqual([path, 404]);
      }
      for (const query of ['limit=0', 'limit=201', 'limit=x', 'offset=-1']) {
        expect([query, (await server.send('GET', `?${query}`)).status]).toEqual([query, 400]);
      }
      expect((await server.send('GET', '?limit=200&offset=5')).body).toMatchObject({ backups: [], offset: 5 });
      expect((await server.send('GET', `/${'x'.repeat(65)}`)).status).toBe(400);
    });

    it('fail in one sentence when there is no room for them', async () => {
      using folder = emptyFolder();
      const { url, options } = await fresh(folder.path);
      const dir = join(folder.path, 'backups');
      await using server = await start(url, dir, options);
      rmSync(dir, { recursive: true });
      writeFileSync(dir, 'in the way');
      const refused = await server.send('POST');
      expect([refused.status, refused.body.error]).toEqual([503, 'unavailable']);
      rmSync(dir);
      mkdirSync(dir);
      expect((await server.send('POST')).status).toBe(201);
    });
  });
}

suiteNeeding(
  'postgresql',
  system !== undefined,
  INSTALL_POSTGRES,
)('the tools of PostgreSQL', () => {
  let folder: ReturnType<typeof emptyFolder>;
  beforeAll(() => {
    folder = emptyFolder();
  });
  afterAll(() => folder[Symbol.dispose]());

  it('have to be there', async () => {
    const { url } = await kinds[1][2]();
    await using server = await start(url, join(folder.path, 'backups'), { toolsDir: folder.path });
    expect(await server.send('POST')).toMatchObject({
      status: 400,
      body: { error: 'configuration_error', message: expect.stringContaining('pg_dump of PostgreSQL was not found') },
    });
    expect(await server.list()).toEqual([]);
  });

  it('have to be of the version of the server, and never see a secret in their arguments', async () => {
    const fresh = new URL((await kinds[1][2]()).url);
    const client = new pg.Client(fresh.href);
    await client.connect();
    await client.query("create role keeper superuser login password 'pass-0f3a9'");
    await client.end();
    Object.assign(fresh, { username: 'keeper', password: 'pass-0f3a9' });
    const url = fresh.href;
    const toolsDir = join(folder.path, 'tools');
    mkdirSync(toolsDir);
    const log = join(folder.path, 'arguments');
    const real = join(system ?? '', 'bin');
    const tool = (name: string, version: string) =>
      writeFileSync(
        join(toolsDir, name),
        `#!/bin/sh\necho "$@" >> ${log}\n[ "$1" = --version ] && { echo "pg_dump (PostgreSQL) ${version}"; exit; }\nexec ${real}/${name} "$@"\n`,
        { mode: 0o755 },
      );
    tool('pg_dump', '9.6');
    await using server = await start(url, join(folder.path, 'backups'), { toolsDir });
    expect(await server.send('POST')).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/pg_dump is of version 9, and the server of version \d+/) },
    });
    for (const name of ['pg_dump', 'pg_restore', 'psql']) tool(name, '99');
    const { id } = (await server.send('POST')).body;
    await server.send('POST', `/${id}/verify`);
    await server.send('POST', `/${id}/restore`, { confirm: id });
    const said = readFileSync(log, 'utf8');
    expect(said).toContain('--format=custom');
    expect(said).not.toContain('pass-0f3a9');
  });
});

it('are not bad because a verification could not be tried, and cannot be deleted where nothing can', async () => {
  using folder = emptyFolder();
  const { url } = await kinds[0][2](folder.path);
  const dir = join(folder.path, 'backups');
  await using server = await start(url, dir);
  const { id, storagePath } = (await server.send('POST')).body;
  mkdirSync(`${storagePath}.scratch`);
  expect(await server.send('POST', `/${id}/verify`)).toMatchObject({ status: 503, body: { error: 'unavailable' } });
  expect(await server.list()).toMatchObject([
    { status: 'completed', errorMessage: expect.stringContaining('Verification failed: ') },
  ]);
  rmSync(`${storagePath}.scratch`, { recursive: true });
  expect(await server.send('POST', `/${id}/verify`)).toMatchObject({
    body: { status: 'verified', errorMessage: null },
  });

  renameSync(dir, `${dir}.away`);
  writeFileSync(dir, 'in the way');
  expect(await server.send('DELETE', `/${id}`)).toMatchObject({ status: 503, body: { error: 'unavailable' } });
  rmSync(dir);
  renameSync(`${dir}.away`, dir);
  expect((await server.send('DELETE', `/${id}`)).status).toBe(200);
  expect(existsSync(storagePath)).toBe(false);
});

it('of a version that did not record installations are restored, and the installation stays', async () => {
  using folder = emptyFolder();
  const { url } = await kinds[0][2](folder.path);
  const dir = join(folder.path, 'backups');
  await using server = await start(url, dir);
  await server.add('old');
  const { id, storagePath, installation } = (await server.send('POST')).body;
  {
    using db = closing(storagePath);
    db.exec(`DROP TABLE backup_installation; DROP INDEX backups_installation_index;
      ALTER TABLE backups DROP COLUMN installation; DELETE FROM atlas_migrations WHERE name = '0002-installation'`);
  }
  const checksum = createHash('sha256').update(readFileSync(storagePath)).digest('hex');
  await server.app.get(internalDb).run((db) => db('backups').where({ id }).update({ checksum, installation: null }));
  await server.add('new');
  const restored = await server.send('POST', `/${id}/restore?installation=any`, { confirm: id });
  expect([restored.status, restored.body.installation]).toEqual([200, null]);
  expect(await server.notes()).toEqual(['old']);
  expect((await server.send('POST')).body).toMatchObject({ status: 'completed', installation });
});

it('are restored into a database in which others write at that moment', async () => {
  using folder = emptyFolder();
  const [path, file] = [join(folder.path, 'atlas.db'), join(folder.path, 'backup.db')];
  using db = closing(path);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (text); INSERT INTO notes VALUES (1)');
  const engine = sqliteEngine(path);
  const { signal } = new AbortController();
  await engine.dump(file, ['notes'], signal);
  db.exec('INSERT INTO notes VALUES (2); BEGIN IMMEDIATE; INSERT INTO notes VALUES (3)');
  const restored = engine.restore(file, ['notes'], signal);
  await expect(Promise.race([restored, sleep(1_500, 'waits')])).resolves.toBe('waits');
  db.exec('COMMIT');
  await restored;
  expect(db.prepare('SELECT text FROM notes').pluck().all()).toEqual([1]);
});

it('are not available without an internal database', async () => {
  using folder = emptyFolder();
  await using server = await start(undefined, join(folder.path, 'backups'));
  expect(await server.send('GET', '?limit=x')).toMatchObject({ status: 404, body: { error: 'not_available' } });
  expect(await server.send('POST')).toMatchObject({ status: 404, body: { error: 'not_available' } });
});

it('are closed to administrators of tenants, whose token names no organization', async () => {
  using folder = emptyFolder();
  const key = await makeKey('k-1');
  const issuer = await Issuer.start(key);
  await using app = await createTestApp({
    now: NOW,
    plugins: [
      http({ port: 0 }),
      internalDb({ url: `sqlite:${folder.path}/atlas.db` }),
      authRoles(),
      authByot({ jwksUrl: issuer.jwksUrl, issuer: 'https://id.example.com/', audience: 'atlas' }),
      semanticLayer({ dir: folder.path }),
      sqlGuard(),
      rowSecurity({ column: 'tenant', claim: 'tenant' }),
      backups({ dir: join(folder.path, 'backups') }),
    ],
  });
  const authorization = `Bearer ${await sign(key, { role: 'admin', tenant: 1 })}`;
  for (const [method, path] of [
    ['GET', ''],
    ['POST', ''],
    ['GET', '/x'],
    ['DELETE', '/x'],
  ] as const) {
    const answer = await app.inject({ method, url: PATH + path, headers: { authorization } });
    expect([method, path, answer.statusCode]).toEqual([method, path, 403]);
    expect(answer.json<{ message: string }>().message).toContain('your token names no organization');
  }
  await issuer.stop();
});
