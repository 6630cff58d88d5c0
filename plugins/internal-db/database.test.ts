import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePlugin, httpRoutes, type Route } from '../../kernel/index.ts';
import { selfSigned } from '../../test/harness/certificate.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import {
  chosenEngines,
  createNotes,
  engines,
  storing,
  type TestEngine,
} from '../../test/harness/internal-databases.ts';
import { startPostgres } from '../../test/harness/postgres.ts';
import { health } from '../health/index.ts';
import { http } from '../http/index.ts';
import { insertRows, internalDb } from './index.ts';

const notesApi = definePlugin({
  name: 'notes-api',
  version: '1.0.0',
  type: 'core',
  description: 'Routes that need the database.',
  needs: { internalDb },
  setup(ctx, _options, needs) {
    const note = Type.Object({ text: Type.String() });
    const routes: Route[] = [
      {
        method: 'POST',
        path: '/api/v1/notes',
        summary: 'Keeps a note.',
        tag: 'Notes',
        right: 'public',
        body: note,
        responses: { 200: Type.Object({ texts: Type.Array(Type.String()) }) },
        async handle({ body }) {
          await needs.internalDb.run((db) => db('notes').insert(body as object));
          return { body: { texts: await needs.internalDb.run((db) => db('notes').orderBy('id').pluck('text')) } };
        },
      },
    ];
    ctx.tap(httpRoutes, () => needs.internalDb.routes(routes));
  },
});

const boot = (options: Parameters<typeof internalDb>[0] = {}) =>
  createTestApp({
    plugins: [
      http({ port: 0 }),
      health({ cacheTtlMs: 0, waitMs: 5_000, firstWaitMs: 5_000 }),
      // A slow machine takes its time to open a database.
      internalDb({ acquireTimeoutMs: 20_000, silenceMs: 2_500, ...options }),
      storing('notes', [createNotes]),
      notesApi(),
    ],
    timeoutMs: 60_000,
  });

const post = (app: TestApp, text: unknown) =>
  app.inject({ method: 'POST', url: '/api/v1/notes', payload: { text } as object });

async function healthOf(app: TestApp): Promise<Record<string, unknown>> {
  const { checks } = (await app.inject({ method: 'GET', url: '/api/health' })).json<{
    checks: Record<string, Record<string, unknown>>;
  }>();
  return checks.internalDb ?? {};
}

describe('without a database', () => {
  it('what needs it is not available, before the request is looked at', async () => {
    await using app = await boot();
    const answer = await post(app, 17);
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({
      error: 'not_available',
      message: expect.stringMatching(/internal database.* Set DATABASE_URL/),
      requestId: expect.any(String),
    });
    expect(await healthOf(app)).toEqual({ status: 'not_configured' });
  });

  it('routes say which errors that may be, with a database and without', async () => {
    using folder = emptyFolder();
    const route = {
      method: 'GET',
      path: '/x',
      summary: '',
      tag: '',
      right: 'public',
      responses: {},
      errors: ['conflict'],
    };
    const handle = () => ({});
    for (const options of [{}, { url: `sqlite:${folder.path}/atlas.db` }]) {
      await using app = await boot(options);
      const [shown] = app.get(internalDb).routes([{ ...route, handle } as Route]);
      expect(shown).toMatchObject({ path: '/x', errors: ['conflict', 'not_available', 'unavailable'], handle });
    }
  });

  it('so is the service itself', async () => {
    await using app = await boot();
    const db = app.get(internalDb);
    expect(db.configured).toBe(false);
    const work = async () => 1;
    for (const call of [db.run(work), db.transaction(work), db.migrations(), db.migrate()]) {
      await expect(call).rejects.toMatchObject({ code: 'not_available' });
    }
  });
});

it('the library is loaded only where there is a database', async () => {
  using folder = emptyFolder();
  const loaded = (options: string) => `
    import { createRequire } from 'node:module';
    import { createApp } from '${new URL('../../kernel/index.ts', import.meta.url).href}';
    import { internalDb } from '${new URL('./index.ts', import.meta.url).href}';
    await using app = await createApp({ plugins: [internalDb(${options})] });
    const { cache } = createRequire(import.meta.url);
    process.stdout.write(String(Object.keys(cache).some((path) => /node_modules.(knex|pg|better-sqlite3)./.test(path))));
  `;
  const run = (options: string) =>
    spawnSync(process.execPath, ['--input-type=module', '--eval', loaded(options)], { encoding: 'utf8' }).stdout;
  expect(run('')).toBe('false');
  expect(run(JSON.stringify({ url: `sqlite:${folder.path}/atlas.db` }))).toBe('true');
});

describe.each(chosenEngines)('on %s', (name, start) => {
  let engine: TestEngine;
  let app: TestApp;
  beforeAll(async () => {
    engine = await start();
    app = await boot({ url: await engine.fresh() });
  }, 120_000);
  afterAll(async () => {
    await app?.close();
    await engine?.[Symbol.asyncDispose]();
  });
  const db = () => app.get(internalDb);
  const count = async (text: string) => (await db().run((knex) => knex('notes').where({ text }).pluck('id'))).length;

  it('serves routes and shows its health', async () => {
    expect((await post(app, 'hello')).json()).toEqual({ texts: ['hello'] });
    expect((await post(app, 17)).statusCode).toBe(422);
    expect(await healthOf(app)).toEqual({ status: 'ok', latencyMs: expect.any(Number) });
    expect(db()).toMatchObject({ configured: true, dialect: name });
  });

  it('commits what succeeds and rolls back what fails, whatever is thrown', async () => {
    await db().transaction((trx) => trx('notes').insert({ text: 'committed' }));
    expect(await count('committed')).toBe(1);
    for (const fault of [new Error('no'), 'no', undefined]) {
      const failing = db().transaction(async (trx) => {
        await trx('notes').insert({ text: 'rolled back' });
        throw fault;
      });
      expect(
        await failing.then(
          () => 'done',
          (error: unknown) => error,
        ),
      ).toBe(fault);
    }
    expect(await count('rolled back')).toBe(0);
  });

  it('writes the rows of several statements together or not at all', async () => {
    const notes = (order: number) => ({ sql: insertRows(db().dialect, 'notes', ['text']), order, isById: false });
    const [first, second] = [notes(1), notes(2)];
    const write = (...texts: string[]) =>
      db().write(texts.map((text, index) => ({ statement: index === 0 ? first : second, row: { text } })));
    await write('together', 'with this');
    await expect(write('alone', 'together')).rejects.toMatchObject({ code: expect.stringMatching(/23505|UNIQUE/) });
    await Promise.all([write('before', 'after'), write('lost', 'together').catch(() => {}), write('further', 'rows')]);
    const stored = await Promise.all(['together', 'with this', 'alone', 'before', 'after', 'lost', 'rows'].map(count));
    expect(stored).toEqual([1, 1, 0, 1, 1, 0, 1]);
  });

  it('passes on what the statement did wrong, without its values', async () => {
    const insert = () => db().run((knex) => knex('notes').insert({ text: 'a secret value' }));
    await insert();
    const error = await insert().catch((caught: Error) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ code: expect.stringMatching(/^23505$|^SQLITE_CONSTRAINT_UNIQUE$/) });
    expect(JSON.stringify({ ...(error as Error), message: (error as Error).message })).not.toContain('secret');
  });

  it('transactions do not mix with what runs beside them', async () => {
    const slow = db().transaction(async (trx) => {
      await trx('notes').insert({ text: 'beside' });
      await sleep(50);
      throw new Error('no');
    });
    const others = Array.from({ length: 20 }, (_, index) =>
      db().run((knex) => knex('notes').insert({ text: `other ${index}` })),
    );
    await expect(slow).rejects.toThrow('no');
    await Promise.all(others);
    expect(await count('beside')).toBe(0);
    expect(await count('other 19')).toBe(1);
  });

  it('says at once that a transaction must not wait for a second connection', async () => {
    const inner = [
      () => db().run((knex) => knex('notes').select()),
      () => db().transaction((trx) => trx('notes').select()),
    ];
    for (const work of inner) {
      await expect(db().transaction(work)).rejects.toThrow(/second connection inside a transaction/);
    }
    const over = Promise.withResolvers<void>();
    let later: Promise<unknown> | undefined;
    await db().transaction(async () => {
      later = over.promise.then(() => db().run((knex) => knex('notes').select()));
    });
    over.resolve();
    await expect(later).resolves.toBeInstanceOf(Array);
  });

  it('knex may be used in every other way, also nested', async () => {
    await db().transaction(async (trx) => {
      await trx('notes').insert({ text: 'outer' });
      await trx
        .transaction(async (nested) => {
          await nested('notes').insert({ text: 'inner' });
          throw new Error('no');
        })
        .catch(() => {});
    });
    expect([await count('outer'), await count('inner')]).toEqual([1, 0]);
  });

  it('answers unavailable once it is closed', async () => {
    const other = await boot({ url: await engine.fresh() });
    await other.close();
    await expect(other.get(internalDb).run((knex) => knex('notes').select())).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});

describe('a PostgreSQL server that goes away', () => {
  it('is answered with 503, shows in the health, and heals without a restart', { timeout: 120_000 }, async () => {
    await using server = await startPostgres();
    await using app = await boot({ url: server.url });
    expect((await post(app, 'before')).statusCode).toBe(200);
    const db = app.get(internalDb);
    // Breaks in the middle of a transaction.
    const broken = db.transaction(async (trx) => {
      await trx('notes').insert({ text: 'in the middle' });
      await server.pause();
      await trx('notes').insert({ text: 'too late' });
    });
    await expect(broken).rejects.toMatchObject({ code: 'unavailable' });
    for (const text of ['one', 'two']) {
      const answer = await post(app, text);
      expect(answer.statusCode).toBe(503);
      expect(answer.headers['retry-after']).toBe('5');
      expect(answer.json()).toMatchObject({
        error: 'unavailable',
        message: expect.stringMatching(
          // Which of the two is seen depends on how far the server is with its end.
          /^The internal database is not available: the (server does not accept connections|connection was lost)/,
        ),
        retryAfterSeconds: 5,
        requestId: expect.any(String),
      });
    }
    expect(await healthOf(app)).toMatchObject({ status: 'error', message: expect.stringContaining('not available') });
    await server.resume();
    expect((await post(app, 'after')).json()).toEqual({ texts: ['before', 'after'] });
    expect(await healthOf(app)).toMatchObject({ status: 'ok' });
    expect(JSON.stringify(app.lines)).not.toContain('atlas@');
  });

  it('that takes no connections for its database is answered with 503 too', { timeout: 120_000 }, async () => {
    await using server = await startPostgres();
    const admin = new pg.Client(server.url);
    await admin.connect();
    try {
      await admin.query('create database refusing');
      await using app = await boot({ url: server.url.replace(/postgres$/, 'refusing') });
      expect((await post(app, 'before')).statusCode).toBe(200);
      await admin.query('alter database refusing allow_connections false');
      await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'refusing'");
      for (const text of ['one', 'two', 'three']) {
        const answer = await post(app, text);
        expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([503, 'unavailable']);
      }
      expect(await healthOf(app)).toMatchObject({
        status: 'error',
        message: expect.stringContaining('the server does not let it be used now'),
      });
      await admin.query('alter database refusing allow_connections true');
      expect((await post(app, 'after')).json()).toEqual({ texts: ['before', 'after'] });
      expect(await healthOf(app)).toMatchObject({ status: 'ok' });
    } finally {
      await admin.end();
    }
  });

  it('whose table is missing is an internal error, which is logged', { timeout: 120_000 }, async () => {
    await using server = await startPostgres();
    await using app = await boot({ url: server.url });
    await app.get(internalDb).run((db) => db.schema.dropTable('notes'));
    const answer = await post(app, 'lost');
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(app.lines)).toContain('does not exist');
  });

  it('stops the start with one sentence while it is down or the password is wrong', { timeout: 120_000 }, async () => {
    await using server = await startPostgres();
    const wrong = new URL(server.url);
    wrong.password = 'hunter2-wrong';
    const refused = await boot({ url: wrong.href }).catch((error: Error) => error.message);
    expect(refused).toMatch(
      /The internal database is not available: the server refuses the credentials\. .*DATABASE_URL/,
    );
    await server.pause();
    const down = await boot({ url: server.url }).catch((error: Error) => error.message);
    expect(down).toMatch(
      /one problem:\n.*The internal database is not available: the server does not accept connections/,
    );
    expect(`${refused}${down}`).not.toMatch(/hunter2|127\.0\.0\.1|postgres:\/\/postgres/);
  });

  const pair = selfSigned();
  it.skipIf(pair === undefined)(
    'encrypts, and looks at the certificate when the URL says so',
    { timeout: 120_000 },
    async () => {
      await using server = await startPostgres();
      using folder = emptyFolder();
      const admin = new pg.Client(server.url);
      await admin.connect();
      const { data } = (await admin.query("select current_setting('data_directory') as data")).rows[0];
      const owner = statSync(data);
      for (const [name, text = ''] of [
        ['server.key', pair?.key],
        ['server.crt', pair?.certificate],
      ] as const) {
        writeFileSync(join(data, name), text, { mode: 0o600 });
        chownSync(join(data, name), owner.uid, owner.gid);
      }
      writeFileSync(join(folder.path, 'ca.crt'), pair?.certificate ?? '');
      await admin.query('alter system set ssl = on');
      await admin.query('select pg_reload_conf()');
      await admin.end();
      const url = server.url.replace('127.0.0.1', 'localhost');
      const trusted = `${url}?sslmode=verify-full&sslrootcert=${join(folder.path, 'ca.crt')}`;
      for (const [tried, encrypted] of [
        [`${url}?sslmode=disable`, false],
        [url, true],
        [trusted, true],
      ] as const) {
        await using app = await boot({ url: tried });
        const ssl = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
        expect((await app.get(internalDb).run((db) => db.raw(ssl))).rows).toEqual([{ ssl: encrypted }]);
      }
      await expect(boot({ url: `${url}?sslmode=verify-full` })).rejects.toThrow(
        /encrypted connection that can be trusted/,
      );
    },
  );
});

describe('a PostgreSQL server that stays', () => {
  let server: TestEngine;
  beforeAll(async () => {
    server = await engines[1][1]();
  }, 120_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('writes on when prepared statements are gone, as behind a pooler', { timeout: 60_000 }, async () => {
    await using app = await boot({ url: await server.fresh(), poolSize: 1 });
    const db = app.get(internalDb);
    const notes = (order: number) => ({ sql: insertRows('postgres', 'notes', ['text']), order, isById: false });
    const texts = ['prepared', 'gone', 'without a name'];
    for (const text of texts) {
      const rows = [text, `${text}, too`].map((row, index) => ({ statement: notes(index), row: { text: row } }));
      await db.write(rows);
      await db.run((knex) => knex.raw('deallocate all'));
    }
    const stored = await db.run((knex) => knex('notes').orderBy('id').pluck('text'));
    expect(stored).toEqual(texts.flatMap((text) => [text, `${text}, too`]));
  });

  it('connections that the server ended are replaced before they are used', { timeout: 120_000 }, async () => {
    const url = await server.fresh();
    await using app = await boot({ url, poolSize: 1 });
    await post(app, 'one');
    const { client } = await app.get(internalDb).run(async (knex) => knex);
    const connection: pg.Client = await client.acquireConnection();
    const ended = new Promise((resolve) => connection.once('end', resolve));
    await client.releaseConnection(connection);
    const admin = new pg.Client(url);
    await admin.connect();
    const others =
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()';
    expect((await admin.query(others)).rows.length).toBeGreaterThan(0);
    await admin.end();
    await ended;
    expect((await post(app, 'two')).json()).toEqual({ texts: ['one', 'two'] });
  });

  it('a statement that hangs is given up, and its connection with it', { timeout: 120_000 }, async () => {
    await using app = await boot({
      url: await server.fresh(),
      poolSize: 1,
      statementTimeoutMs: 2_000,
    });
    const db = app.get(internalDb);
    await expect(db.run((knex) => knex.raw('select pg_sleep(60)'))).rejects.toMatchObject({ code: 'unavailable' });
    expect((await post(app, 'after')).statusCode).toBe(200);
  });

  it('a transaction in which a failed statement was ignored is not taken for committed', {
    timeout: 120_000,
  }, async () => {
    await using app = await boot({ url: await server.fresh() });
    const ignoring = app.get(internalDb).transaction(async (trx) => {
      await trx('notes').insert({ text: 'lost' });
      await trx('nowhere')
        .insert({ text: 'lost' })
        .catch(() => {});
    });
    await expect(ignoring).rejects.toThrow(/rolled back/);
  });

  it('says what it may not do', { timeout: 120_000 }, async () => {
    const used = await server.fresh();
    const admin = await boot({ url: used });
    await admin.get(internalDb).run((db) => db.raw("create role reader login password 'geheim'"));
    await admin.close();
    for (const database of [used, await server.fresh()]) {
      const message = await boot({ url: database.replace(/\/\/.*@/, '//reader:geheim@') }).catch(
        (error: Error) => error.message,
      );
      expect(message).toMatch(/cannot be looked up or recorded: .*permission denied.*\. Give the user in DATABASE_URL/);
      expect(message).not.toContain('geheim');
    }
  });

  it('keeps its tables in the schema that the URL names', { timeout: 120_000 }, async () => {
    await using app = await boot({ url: `${await server.fresh()}?schema=Atlas` });
    expect((await post(app, 'here')).statusCode).toBe(200);
    const { rows } = await app
      .get(internalDb)
      .run((db) =>
        db.raw("select table_schema from information_schema.tables where table_name in ('notes', 'atlas_migrations')"),
      );
    expect(rows).toEqual([{ table_schema: 'Atlas' }, { table_schema: 'Atlas' }]);
  });
});

/** A proxy before a server that can be frozen: nothing passes, and no connection is closed. */
async function frozenAtWill(target: URL) {
  const sockets = new Set<Socket>();
  let frozen = false;
  const proxy = createServer((inner) => {
    const outer = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => {
        if (!frozen) to.write(chunk);
      });
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(target);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    freeze(now: boolean) {
      frozen = now;
    },
    [Symbol.dispose]() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('a PostgreSQL server that does not answer', () => {
  it('holds up neither health nor start nor stop, and heals', { timeout: 120_000 }, async () => {
    await using server = await startPostgres();
    using way = await frozenAtWill(new URL(server.url));
    await using app = await boot({ url: way.url, statementTimeoutMs: 5_000, acquireTimeoutMs: 5_000 });
    await post(app, 'before');
    way.freeze(true);
    expect(await healthOf(app)).toMatchObject({ status: 'error', message: expect.stringContaining('does not answer') });
    expect((await post(app, 'lost')).statusCode).toBe(503);
    const message = await boot({ url: way.url, acquireTimeoutMs: 300 }).catch((error: Error) => error.message);
    expect(message).toMatch(/The internal database is not available: the server does not answer/);
    way.freeze(false);
    let tries = 0;
    const postAnother = async () => {
      tries += 1;
      return (await post(app, `after ${tries}`)).json<object>();
    };
    await expect.poll(postAnother, { timeout: 60_000 }).toHaveProperty('texts');
    // The question that was asked before may still hang.
    await expect.poll(() => healthOf(app), { timeout: 60_000 }).toMatchObject({ status: 'ok' });
    way.freeze(true);
    await app.close();
  });
});

describe('a SQLite file', () => {
  it('is created with its folder, readable by this user only, and is durable', async () => {
    using folder = emptyFolder();
    const path = `${folder.path}/new/atlas.db`;
    await using app = await boot({ url: `sqlite:${path}` });
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
    const pragma = (name: string) => app.get(internalDb).run((db) => db.raw(`pragma ${name}`));
    expect(await pragma('journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(await pragma('synchronous')).toEqual([{ synchronous: 2 }]);
    expect(await pragma('foreign_keys')).toEqual([{ foreign_keys: 1 }]);
  });

  it('keeps the rights of a file that was there', async () => {
    using folder = emptyFolder();
    const path = `${folder.path}/atlas.db`;
    new Sqlite(path).close();
    chmodSync(path, 0o640);
    await using app = await boot({ url: `sqlite:${path}` });
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect((await post(app, 'x')).statusCode).toBe(200);
  });

  it('that is moved away is answered with 503, and heals once it is back', async () => {
    using folder = emptyFolder();
    const path = `${folder.path}/atlas.db`;
    await using app = await boot({ url: `sqlite:${path}` });
    await post(app, 'before');
    for (const end of ['', '-wal', '-shm']) renameSync(`${path}${end}`, `${path}.away${end}`);
    const answer = await post(app, 'lost');
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ error: 'unavailable', requestId: expect.any(String) });
    expect(answer.body).not.toContain(folder.path);
    expect(await healthOf(app)).toMatchObject({ status: 'error' });
    for (const end of ['', '-wal', '-shm']) {
      if (statSync(`${path}.away${end}`, { throwIfNoEntry: false })) renameSync(`${path}.away${end}`, `${path}${end}`);
    }
    expect((await post(app, 'after')).json()).toEqual({ texts: ['before', 'after'] });
  });

  it('whose folder is moved away is answered with 503, and heals once it is back', async () => {
    using folder = emptyFolder();
    const place = join(folder.path, 'data');
    await using app = await boot({ url: `sqlite:${place}/atlas.db` });
    await post(app, 'before');
    renameSync(place, `${place}.away`);
    const answer = await post(app, 'lost');
    expect(answer.statusCode).toBe(503);
    expect(answer.body).not.toContain(folder.path);
    renameSync(`${place}.away`, place);
    expect((await post(app, 'after')).json()).toEqual({ texts: ['before', 'after'] });
  });

  it('that another process writes to is waited for, without holding up the process', async () => {
    using folder = emptyFolder();
    const path = `${folder.path}/atlas.db`;
    await using app = await boot({ url: `sqlite:${path}`, busyTimeoutMs: 1_500 });
    await using patient = await boot({ url: `sqlite:${path}`, busyTimeoutMs: 20_000 });
    const other = new Sqlite(path);
    other.exec('begin immediate');
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 5);
    const late = await post(app, 'too late');
    clearInterval(ticking);
    expect(late.statusCode).toBe(503);
    expect(late.json()).toMatchObject({ message: expect.stringContaining('another process holds its file') });
    expect(ticks).toBeGreaterThan(5);
    const work = app.get(internalDb).transaction((trx) => trx('notes').insert({ text: 'never' }));
    await expect(work).rejects.toMatchObject({ code: 'unavailable' });
    const waiting = post(patient, 'in time');
    await sleep(100);
    other.exec('commit');
    other.close();
    expect((await waiting).json()).toEqual({ texts: ['in time'] });
  });

  it('is locked from the beginning of a transaction, so that one which reads first can still write', async () => {
    using folder = emptyFolder();
    const path = `${folder.path}/atlas.db`;
    await using app = await boot({ url: `sqlite:${path}` });
    const other = new Sqlite(path, { timeout: 0 });
    await app.get(internalDb).transaction(async (trx) => {
      await trx('notes').select();
      expect(() => other.exec("insert into notes (text) values ('between')")).toThrow(/locked/);
      await trx('notes').insert({ text: 'mine' });
    });
    other.close();
    expect(await app.get(internalDb).run((db) => db('notes').pluck('text'))).toEqual(['mine']);
  });

  it('that is full is answered with 503 and heals once there is room', async () => {
    using folder = emptyFolder();
    await using app = await boot({ url: `sqlite:${folder.path}/atlas.db` });
    const db = app.get(internalDb);
    const big = () => db.transaction((trx) => trx('notes').insert({ text: 'x'.repeat(100_000) }));
    await db.run((knex) => knex.raw('pragma max_page_count = 8'));
    await expect(big()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no disk space'),
    });
    // A read still succeeds; what questions meet is a failed write.
    const ready = async () => (await app.inject({ method: 'GET', url: '/api/health/ready' })).json<object>();
    const full = expect.stringContaining('there is no disk space left');
    expect(await ready()).toMatchObject({ status: 'error', failing: { internalDb: full } });
    expect(await healthOf(app)).toMatchObject({ status: 'error', message: full });
    await db.run((knex) => knex.raw('pragma max_page_count = 100000'));
    expect(await healthOf(app)).toEqual({ status: 'ok', latencyMs: expect.any(Number) });
    await big();
    expect(await db.run((knex) => knex('notes').pluck('id'))).toHaveLength(1);
    const tables = await db.run((knex) => knex('sqlite_master').where({ type: 'table' }).pluck('name'));
    expect(tables.filter((name) => name.startsWith('atlas_write'))).toEqual([]);
  });

  it('is not written to by health reports while it works', async () => {
    using folder = emptyFolder();
    const path = `${folder.path}/atlas.db`;
    await using app = await boot({ url: `sqlite:${path}` });
    const other = new Sqlite(path);
    const version = () => other.pragma('data_version', { simple: true });
    const before = version();
    for (let call = 0; call < 5; call += 1) expect(await healthOf(app)).toMatchObject({ status: 'ok' });
    expect(version()).toBe(before);
    other.close();
  });

  it.each([
    ['a folder', (folder: string) => `sqlite:${folder}`, /cannot be opened|is a folder/],
    ['something else', () => `sqlite:${import.meta.filename}`, /is no SQLite database/],
    ['below a file', () => `sqlite:${import.meta.filename}/atlas.db`, /no folder|not there|cannot be opened/],
  ])('that is %s stops the start with one sentence', async (_, url, expected) => {
    using folder = emptyFolder();
    const message = await boot({ url: url(folder.path) }).catch((error: Error) => error.message);
    expect(message).toMatch(/The internal database is not available: /);
    expect(message).toMatch(expected);
  });
});
