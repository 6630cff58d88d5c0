/** Opens the internal database on a PostgreSQL server. */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Client, CustomTypesConfig } from 'pg';
import { type PostgresCommand, PostgresCommands, type PostgresTarget } from '../datasource-kit/index.ts';
import { type Engine, type EngineSettings, knexConfig, MigratingPhase } from './engine.ts';
import { connectPostgres } from './postgres-client.ts';
import type { BatchStatement } from './row-types.ts';

/** Advisory lock that no other program takes: the letters "atlas", then 1. */
const MIGRATION_LOCK = 0x61_74_6c_61_73_01n;

/** A prepared statement is not there, or is there already: the connection behind the client is another one. */
const NAME_FAULTS: ReadonlySet<string> = new Set(['26000', '42P05']);

/** Behind a pooler, a statement of the same name may be another server's: then it is the same one. */
const nameOf = (statement: string) => `atlas_${createHash('sha256').update(statement).digest('hex').slice(0, 32)}`;

const GOODBYE_MS = 1_000;

/** Longest wait for one answer of a server that says nothing, before it is asked on another connection. */
const ANSWER_MS = 10_000;

/** Marks a connection as one that knex must not use again. */
function dispose(client: Client): void {
  Object.assign(client, { __knex__disposed: 'the connection has ended' });
}

function giveUpOn(client: Client): () => void {
  return () => {
    dispose(client);
    client.connection.stream.destroy();
  };
}

/** PostgreSQL's numbers of the types `json`, `jsonb` and `timestamptz`. */
const JSON_TYPES: readonly number[] = [114, 3802];
const TIMESTAMPTZ = 1184;

/** Values as a SQLite file answers them: JSON and times as texts, times in ISO 8601 with milliseconds. */
function typesLikeSqlite({ types }: Pick<typeof import('pg'), 'types'>): CustomTypesConfig {
  const parseTime = types.getTypeParser(TIMESTAMPTZ);
  const timeText = (text: string) => {
    const time: unknown = parseTime(text);
    return time instanceof Date ? time.toISOString() : text;
  };
  return {
    getTypeParser(type: number, format?: 'text' | 'binary') {
      if (JSON_TYPES.includes(type)) return String;
      return type === TIMESTAMPTZ ? timeText : types.getTypeParser(type, format as 'text');
    },
  } as CustomTypesConfig;
}

export async function openPostgres(server: PostgresTarget, settings: EngineSettings): Promise<Engine> {
  const [{ default: knex }, { default: BaseClient }, { default: pg }] = await Promise.all([
    import('knex'),
    import('knex/lib/dialects/postgres/index.js'),
    import('pg'),
  ]);
  const migrating = new MigratingPhase();
  const types = typesLikeSqlite(pg);

  const giveUps = new Set<() => void>();

  async function open(): Promise<Client> {
    // Ends before the wait for a connection of the pool does: a server that hangs is not a pool that is busy.
    const timeoutMs = Math.ceil(settings.acquireTimeoutMs * 0.8);
    const client = await connectPostgres(server, { timeoutMs, types });
    client.on('error', () => dispose(client));
    client.on('end', () => dispose(client));
    return client;
  }

  class PostgresClient extends BaseClient {
    override _acquireOnlyConnection(): Promise<Client> {
      return open();
    }

    /** A server that hangs does not say goodbye. */
    override async destroyRawConnection(client: Client): Promise<void> {
      const timer = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS);
      try {
        await client.end();
      } finally {
        clearTimeout(timer);
      }
    }

    override async _query(client: Client, query: DialectQuery): Promise<DialectQuery> {
      // A server that hangs must not hold connections, and calls that wait for them, forever.
      const giveUp = giveUpOn(client);
      const timer = migrating.on ? undefined : setTimeout(giveUp, settings.statementTimeoutMs);
      giveUps.add(giveUp);
      try {
        const done = await super._query(client, query);
        // So does PostgreSQL answer the commit of a transaction in which a statement has failed.
        const { command } = (done.response ?? {}) as { command?: string };
        if (query.sql === 'COMMIT;' && command === 'ROLLBACK') {
          throw new Error('the transaction was rolled back, because one of its statements had failed');
        }
        return done;
      } finally {
        clearTimeout(timer);
        giveUps.delete(giveUp);
      }
    }
  }

  const { schema } = server;
  const instance = knex({
    ...knexConfig(settings, settings.poolSize),
    client: PostgresClient,
    ...(schema !== undefined && { searchPath: [schema] }),
  } as Knex.Config);
  /** Names of the statements, all of them constants of plugins. Null behind a pooler that mixes connections. */
  let names: Map<string, string> | null = new Map();
  /** Named, a statement is parsed and planned once for each connection. */
  const named = ({ sql, json }: BatchStatement): PostgresCommand => {
    const statement = { text: sql.replace('?', '$1'), values: [json] };
    if (names === null) return statement;
    const name = names.get(sql) ?? nameOf(`${schema}:${sql}`);
    names.set(sql, name);
    return { ...statement, name };
  };
  /** Names of the statements that a connection has parsed. */
  const parsed = new WeakMap<Client, Set<string>>();

  async function execute(batch: readonly BatchStatement[]): Promise<void> {
    try {
      await send(batch.map(named));
    } catch (error) {
      if (names === null || !NAME_FAULTS.has((error as { code?: string }).code ?? '')) throw error;
      names = null;
      await send(batch.map(named));
    }
  }

  async function send(statements: readonly PostgresCommand[]): Promise<void> {
    const client: Client = await instance.client.acquireConnection();
    const giveUp = giveUpOn(client);
    const timer = setTimeout(giveUp, settings.statementTimeoutMs);
    giveUps.add(giveUp);
    const known = parsed.get(client) ?? new Set();
    parsed.set(client, known);
    try {
      await client.query(new PostgresCommands(() => statements, known)).finished;
    } finally {
      clearTimeout(timer);
      giveUps.delete(giveUp);
      await instance.client.releaseConnection(client);
    }
  }

  /** A connection besides the pool, all of which may be waiting for one another. */
  let watch: Client | undefined;
  let clockAheadMs = 0;

  async function answers(): Promise<boolean> {
    let isSilent = false;
    const timer = setTimeout(() => {
      isSilent = true;
      watch?.connection.stream.destroy();
    }, ANSWER_MS).unref();
    try {
      watch ??= await open();
      const askedAt = settings.now();
      const { rows } = await watch.query('SELECT extract(epoch from clock_timestamp()) * 1000 AS ms');
      clockAheadMs = Math.round(Number(rows[0].ms) - (askedAt + settings.now()) / 2);
      return true;
    } catch (error) {
      watch = undefined;
      // Any other failure came at once; no call waits.
      return !(isSilent || /timeout expired/.test(String(error)));
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    dialect: 'postgres',
    knex: instance,
    exists: () => true,
    get isMigrating() {
      return migrating.on;
    },
    silenceMs: settings.silenceMs,
    answers,
    get clockAheadMs() {
      return clockAheadMs;
    },
    execute,
    abandon() {
      for (const giveUp of giveUps) giveUp();
    },
    async close() {
      watch?.connection.stream.destroy();
      await instance.destroy();
    },
    migrating: (work) => migrating.during(work),
    async lock(trx) {
      await trx.raw(`set local lock_timeout = ${settings.migrationWaitMs}`);
      await trx.raw('set local statement_timeout = 0');
      await trx.raw(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      await trx.raw('set local lock_timeout = 0');
      if (schema === undefined) return;
      const found = await trx.select(trx.raw('1')).from('pg_namespace').where('nspname', schema).first();
      if (found === undefined) await trx.raw('create schema ??', [schema]);
    },
  };
}
