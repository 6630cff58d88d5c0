/** Writes tables and rows into PostgreSQL databases. */
import { parsePostgresUrl } from '../datasource-kit/index.ts';
import { connectError, loadConnect, WireFilter } from '../datasource-postgres/index.ts';
import { type Dialect, identifier } from './create-statements.ts';
import type { Row } from './table.ts';
import type { OpenTarget } from './writer.ts';

const POSTGRES: Dialect = {
  types: {
    integer: 'integer',
    decimal: 'numeric(14, 2)',
    real: 'double precision',
    text: 'text',
    boolean: 'boolean',
    date: 'date',
    timestamp: 'timestamp',
    json: 'jsonb',
  },
  hasComments: true,
};
const CONNECT_TIMEOUT_MS = 10_000;

/** A text that holds JSON would become a JSON string. */
function withParsed(row: Row, columns: readonly string[]): object {
  const parsed = columns.map((column) => [column, JSON.parse(String(row[column] ?? null)) as unknown]);
  return { ...row, ...Object.fromEntries(parsed) };
}

export const openPostgres: OpenTarget = async ({ url, signal }) => {
  const target = parsePostgresUrl(url);
  const schema = target.schema ?? 'public';
  const opening = { connectTimeoutMs: CONNECT_TIMEOUT_MS, filter: new WireFilter(), signal };
  const { destroyClient, openClient } = await loadConnect();
  const { client } = await openClient(target, opening).catch((error: unknown) => {
    throw connectError(error);
  });
  // The server rolls back what a closed connection leaves.
  const destroy = () => destroyClient(client);
  signal.addEventListener('abort', destroy, { once: true });
  const close = async () => {
    signal.removeEventListener('abort', destroy);
    if (signal.aborted) destroy();
    else await client.end();
  };
  try {
    await client.query(`BEGIN; SET LOCAL search_path TO ${identifier(schema)}; SET LOCAL lock_timeout TO '10s'`);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    dialect: POSTGRES,
    shown: target.maskedUrl,
    existing: async (names) => {
      const { rows } = await client.query<{ relname: string }>(
        'SELECT relname FROM pg_class WHERE relnamespace = $1::regnamespace AND relname = ANY ($2)',
        [identifier(schema), names],
      );
      return rows.map(({ relname }) => relname);
    },
    run: async (sql) => void (await client.query(sql)),
    insert: ({ name, columns }) => {
      const into = identifier(name);
      const names = Object.keys(columns).map(identifier).join(', ');
      // One parameter for all rows: no limit to their number, and the server knows the types.
      const sql = `INSERT INTO ${into} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${into}, $1)`;
      const documents = Object.keys(columns).filter((column) => columns[column]?.type === 'json');
      return {
        add: async (rows) => {
          const text = JSON.stringify(documents.length === 0 ? rows : rows.map((row) => withParsed(row, documents)));
          await client.query(sql, [text]);
        },
      };
    },
    commit: async () => void (await client.query('COMMIT')),
    [Symbol.asyncDispose]: close,
  };
};
