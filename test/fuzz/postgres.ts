import pg from 'pg';
import { describeSchemas, parameterText } from '../../plugins/datasource-postgres/index.ts';
import { startPostgres } from '../harness/postgres.ts';
import type { FuzzDatabase, FuzzDialect, FuzzEngine, FuzzResult } from './engine.ts';

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

const dialect: FuzzDialect = {
  dbType: 'postgres',
  schema: 'public',
  types: { int: 'integer', real: 'double precision', text: 'text' },
  tenantTypes: {
    int: ['bigint', 'smallint', 'numeric(10,0)'],
    text: ['varchar(20)', 'text COLLATE lenient', 'char(4)'],
  },
  ignoresCase: false,
  hasSetAll: true,
  hasLateral: true,
  hasInTable: false,
  hasQuantified: true,
  quote,
  wholeRow: (relation, columns) => [
    `${relation}::text`,
    `row_to_json(${relation})::text`,
    `to_jsonb(${relation})::text`,
    `ROW(${relation}.*)::text`,
    `jsonb_build_array(${columns.join(', ')})::text`,
    `concat_ws('|', ${columns.join(', ')})`,
  ],
  listed: (value, order) => `string_agg(${value}, ',' ORDER BY ${order})`,
};

/** Every database begins like this: empty, and with a collation to which `acme` and `ACME` are equal. */
const RESET = `DROP SCHEMA public CASCADE; CREATE SCHEMA public;
  CREATE COLLATION lenient (provider = icu, locale = 'und-u-ks-level2', deterministic = false);`;

/** Values as the server writes them, so that nothing is lost on the way. */
const asText = { getTypeParser: () => (value: string) => value };

class PostgresDatabase implements FuzzDatabase {
  private readonly client: pg.Client;
  private readonly release: () => void;

  constructor(client: pg.Client, release: () => void) {
    this.client = client;
    this.release = release;
  }

  describe() {
    return describeSchemas(async (sql, values) => {
      const { rows } = await this.client.query({
        text: sql,
        values: [...(values ?? [])],
        rowMode: 'array',
        types: asText,
      });
      return rows as (string | null)[][];
    });
  }

  query(sql: string) {
    return this.ask(sql, []);
  }

  run({ sql }: Parameters<FuzzDatabase['run']>[0], params: readonly unknown[]) {
    return this.ask(
      sql,
      params.map((value) => parameterText(value as string)),
    );
  }

  private async ask(text: string, values: unknown[]): Promise<FuzzResult> {
    const { fields, rows } = await this.client.query({ text, values, rowMode: 'array', types: asText });
    return { columns: fields.map(({ name }) => name), rows: rows as unknown[][] };
  }

  async close() {
    this.release();
  }
}

/** One server; databases are used again, as making one takes longer than emptying it. */
export async function openPostgres(): Promise<FuzzEngine> {
  const server = await startPostgres();
  const clients: pg.Client[] = [];
  const idle: pg.Client[] = [];
  const connect = async (url: string) => {
    const client = new pg.Client({ connectionString: url, options: '-c statement_timeout=20s' });
    await client.connect();
    clients.push(client);
    return client;
  };
  const admin = await connect(server.url);
  return {
    dialect,
    async open(script) {
      let client = idle.pop();
      if (client === undefined) {
        const name = `fuzz${clients.length}`;
        await admin.query(`CREATE DATABASE ${name}`);
        client = await connect(new URL(name, server.url).href);
      }
      const used = client;
      await used.query(RESET + script);
      return new PostgresDatabase(used, () => idle.push(used));
    },
    async close() {
      await Promise.all(clients.map((client) => client.end()));
      await server.stop();
    },
  };
}
