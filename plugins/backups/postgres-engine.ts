/** Backs up the tables of a PostgreSQL database with its own tools. */
import { createHash } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { AtlasError } from '../../kernel/index.ts';
import { connectPostgres } from '../internal-db/index.ts';
import type { BackupEngine, TableState } from './api.ts';
import { type PostgresServer, startTool, type ToolsInit, toolsVersion } from './pg-tools.ts';

const CONNECT_MS = 10_000;
/** Longest wait of a restore for transactions that use the tables. */
const LOCK_MS = 60_000;

export interface PostgresEngineInit {
  readonly server: PostgresServer;
  /** Where verification may create a database. */
  readonly scratch: PostgresServer;
  readonly toolsDir: string | undefined;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Rows compare as texts, so both sides write them alike. */
const SAME_TEXTS = `SET timezone = 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET bytea_output = 'hex';
  SET extra_float_digits = 1; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0`;

async function connected<T>(
  server: PostgresServer,
  database: string,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = await connectPostgres(server, { timeoutMs: CONNECT_MS, database });
  const stop = () => client.connection.stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.query(SAME_TEXTS);
    return await work(client);
  } finally {
    signal.removeEventListener('abort', stop);
    await client.end().catch(() => {});
  }
}

async function schemaOf(client: Client, server: PostgresServer): Promise<string> {
  if (server.schema !== undefined) return server.schema;
  const { rows } = await client.query<{ name: string }>('SELECT current_schema() AS name');
  return rows[0]?.name ?? 'public';
}

async function existing(client: Client, schema: string, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename = ANY($2) ORDER BY 1',
    [schema, tables],
  );
  return rows.map(({ name }) => name);
}

/** What tables may use and are dumped without: extensions, and functions of triggers and indexes. */
async function preparations(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('CREATE EXTENSION IF NOT EXISTS %I SCHEMA %I', extname, nspname) AS statement
        FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname <> 'plpgsql'
      UNION ALL SELECT pg_get_functiondef(p.oid) FROM pg_proc p
        JOIN pg_namespace n ON n.oid = pronamespace JOIN pg_language l ON l.oid = prolang
        WHERE nspname = $1 AND prokind = 'f' AND lanname IN ('sql', 'plpgsql')
          AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`,
    [schema],
  );
  return rows.map(({ statement }) => statement);
}

async function statesOf(client: Client, schema: string, tables: readonly string[]): Promise<TableState[]> {
  const states: TableState[] = [];
  for (const name of tables) {
    const { rows } = await client.query<{ rows: string; digest: string }>(
      `SELECT count(*) AS rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text AS digest
        FROM ${quoted(schema)}.${quoted(name)} AS t`,
    );
    states.push({ name, rows: Number(rows[0]?.rows), digest: rows[0]?.digest ?? '' });
  }
  return states;
}

export function postgresEngine({ server, scratch, toolsDir }: PostgresEngineInit): BackupEngine {
  /** With tools for `target`, and a folder for their files. */
  async function withTools<T>(
    target: PostgresServer,
    signal: AbortSignal,
    work: (tools: ToolsInit) => Promise<T>,
  ): Promise<T> {
    const folder = mkdtempSync(join(tmpdir(), 'atlas-backup-'));
    try {
      return await work({ server: target, dir: toolsDir, folder, signal });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async function check(signal: AbortSignal): Promise<void> {
    const major = await connected(server, server.database, signal, async (client) => {
      const { rows } = await client.query<{ number: number }>(
        "SELECT current_setting('server_version_num')::int / 10000 AS number",
      );
      return rows[0]?.number ?? 0;
    });
    const tools = await withTools(server, signal, toolsVersion);
    if (tools >= major) return;
    throw new AtlasError(`The installed pg_dump is of version ${tools}, and the server of version ${major}.`, {
      code: 'configuration_error',
      reason: 'E_BACKUP_TOOLS',
      hint: `Install the client tools of PostgreSQL ${major}, or set SVC_BACKUP_TOOLS_DIR to the folder where they are.`,
    });
  }

  return {
    extension: '.dump',
    check,
    dump: (file, tables, signal) =>
      connected(server, server.database, signal, async (client) => {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        // The rows that are counted are those that the tool writes, whatever is written meanwhile.
        const { rows } = await client.query<{ id: string }>('SELECT pg_export_snapshot() AS id');
        const schema = await schemaOf(client, server);
        const found = await existing(client, schema, tables);
        const states = await statesOf(client, schema, found);
        await withTools(server, signal, async (tools) => {
          const { child, done } = startTool(tools, 'pg_dump', [
            '--format=custom',
            '--no-owner',
            '--no-privileges',
            '--lock-wait-timeout=30000',
            `--snapshot=${rows[0]?.id}`,
            ...found.map((name) => `--table=${quoted(schema)}.${quoted(name)}`),
          ]);
          if (child.stdout === null) throw new Error('pg_dump has no output');
          const written = pipeline(child.stdout, createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true }));
          written.catch(() => child.kill());
          await Promise.all([written, done]);
        });
        return states;
      }),
    async inspect(file, tables, signal) {
      const own = createHash('sha256').update(`${server.host}:${server.port}/${server.database}/${server.schema}`);
      // Always the same name: what a crash has left is dropped by the next verification.
      const name = `atlas_verify_${own.digest('hex').slice(0, 16)}`;
      const drop = `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`;
      const [schema, prepared] = await connected(server, server.database, signal, async (client) => {
        const found = await schemaOf(client, server);
        return [found, await preparations(client, found)] as const;
      });
      await connected(scratch, scratch.database, signal, async (client) => {
        await client.query(drop);
        await client.query(`CREATE DATABASE ${name} TEMPLATE template0`).catch((error: { code?: string }) => {
          if (error.code !== '42501') throw error;
          throw new AtlasError(
            'The user of the internal database may not create the database that verification needs.',
            {
              code: 'configuration_error',
              hint: 'Run ALTER ROLE … CREATEDB, or set SVC_BACKUP_SCRATCH_URL to a server where it may.',
            },
          );
        });
      });
      try {
        await connected(scratch, name, signal, async (client) => {
          await client.query(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`);
          await client.query('SET check_function_bodies = off');
          // What is missed by the tables shows when they are restored.
          for (const statement of prepared) await client.query(statement).catch(() => {});
        });
        await withTools(scratch, signal, async (tools) => {
          const args = ['--no-owner', '--no-privileges', '--exit-on-error', `--dbname=${name}`, file];
          await startTool(tools, 'pg_restore', args, { database: name }).done;
        });
        return await connected(scratch, name, signal, async (client) =>
          statesOf(client, schema, await existing(client, schema, tables)),
        );
      } finally {
        const always = AbortSignal.timeout(CONNECT_MS);
        await connected(scratch, scratch.database, always, (client) => client.query(drop)).catch(() => {});
      }
    },
    async restore(file, tables, signal) {
      const [schema, found] = await connected(server, server.database, signal, async (client) => {
        const name = await schemaOf(client, server);
        return [name, await existing(client, name, tables)] as const;
      });
      await withTools(server, signal, async (tools) => {
        const options = `-c lock_timeout=${LOCK_MS}`;
        const psql = startTool(tools, 'psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', '-'], { options });
        const script = startTool(tools, 'pg_restore', [
          '--no-owner',
          '--no-privileges',
          '--exit-on-error',
          '-f',
          '-',
          file,
        ]);
        const input = psql.child.stdin;
        if (input === null || script.child.stdout === null) throw new Error('psql has no input');
        // The lock of every table makes running transactions end first, and others wait for the commit.
        const names = found.map((name) => `${quoted(schema)}.${quoted(name)}`).join(', ');
        input.write(`BEGIN;\n${names === '' ? '' : `DROP TABLE ${names};\n`}`);
        script.child.stdout.pipe(input, { end: false });
        try {
          await Promise.race([script.done, psql.done]);
          await script.done;
          if (psql.child.exitCode === null) input.end('\nCOMMIT;\n');
          await psql.done;
        } catch (error) {
          // Without a commit, the connection that ends takes everything back.
          psql.child.kill();
          script.child.kill();
          await psql.done.catch(() => {});
          throw error;
        }
      });
    },
  };
}
