import { type DuckDBConnection, DuckDBInstance, StatementType } from '@duckdb/node-api';
import {
  bindAll,
  describeSchema,
  engineSettings,
  FINAL_SETTINGS,
  Verifier,
} from '../../plugins/datasource-duckdb/index.ts';
import { encodeParam } from '../../plugins/datasource-kit/index.ts';
import type { FuzzDatabase, FuzzDialect, FuzzEngine, FuzzResult } from './engine.ts';

const ENUM = `ENUM (${['acme', 'ACME', "b''x", 'eu', 'us', 'EU'].map((value) => `'${value}'`).join(', ')})`;

const dialect: FuzzDialect = {
  dbType: 'duckdb',
  schema: 'main',
  types: { int: 'INTEGER', real: 'DOUBLE', text: 'VARCHAR' },
  tenantTypes: {
    int: ['BIGINT', 'SMALLINT', 'HUGEINT', 'UINTEGER', 'DECIMAL(10,0)'],
    text: ['VARCHAR(20)', 'VARCHAR COLLATE NOCASE', 'VARCHAR COLLATE NOCASE.NOACCENT', ENUM],
  },
  ignoresCase: true,
  hasSetAll: true,
  hasLateral: true,
  hasInTable: false,
  hasQuantified: true,
  isFriendly: true,
  // A text beside a whole row is an error or not, by whether the plan comes to compare them.
  isOwnFault: (error) => /^(?:INTERNAL|FATAL|Invalid) Error|to the destination type STRUCT/.test(error),
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  wholeRow: (relation, columns) => [
    `CAST(${relation} AS VARCHAR)`,
    `to_json(${relation})::VARCHAR`,
    `row_to_json(${relation})::TEXT`,
    `struct_values(${relation})::VARCHAR`,
    `list_transform([${relation}], x -> x)::VARCHAR`,
    `(SELECT {'k': ${relation}}::VARCHAR)`,
    `json_array(${columns.join(', ')})::VARCHAR`,
    `concat_ws('|', ${columns.join(', ')})`,
  ],
  // A text by itself is refused as an order.
  listed: (value, order) => `string_agg(${value}, ',' ORDER BY ${order} || '')`,
  listedRows: (rows, columns) => `(SELECT * FROM (VALUES ${rows}) AS x (${columns.join(', ')}))`,
};

/** Joins with many sources, as shrinking a statement makes them, may have more rows than there is memory for. */
const MOST_ROWS = 50_000;

/**
 * The keys of one side of a join are made a filter of the other, and get below an ORDER BY with LIMIT there, where they
 * change which rows are the first. With `u` (id, other) of 1 to 10, and `i` (id, t) of 1 to 7, where 3, 5 and 7 have a 2
 * as t, this should find nothing and finds five times 3:
 * SELECT w.id FROM (SELECT id FROM i WHERE t = 2) i LEFT JOIN (SELECT a.id FROM u a, (SELECT id, other FROM u) b
 * ORDER BY 1 LIMIT 5) s ON i.id = s.id JOIN u w ON s.id = w.id OR i.id < 0
 */
const PLAIN_PLANS = ["SET GLOBAL disabled_optimizers = 'join_filter_pushdown'"];

class DuckdbDatabase implements FuzzDatabase {
  private readonly script: string;
  private instance: DuckDBInstance;
  private connection: DuckDBConnection;
  private readonly verifier = new Verifier();

  static async open(script: string): Promise<DuckdbDatabase> {
    return new DuckdbDatabase(script, await start(script));
  }

  private constructor(script: string, { instance, connection }: Awaited<ReturnType<typeof start>>) {
    this.script = script;
    this.instance = instance;
    this.connection = connection;
  }

  describe() {
    return describeSchema(this.connection);
  }

  query(sql: string): Promise<FuzzResult> {
    return this.whole(() => this.ask(sql, []));
  }

  async plainly<T>(work: () => Promise<T>): Promise<T> {
    const { instance, connection } = this;
    ({ instance: this.instance, connection: this.connection } = await start(this.script, PLAIN_PLANS));
    return work().finally(async () => {
      await this.close();
      Object.assign(this, { instance, connection });
    });
  }

  /** As the datasource runs it: after the engine's own plan was checked for what the statement reads and calls. */
  async run({ sql, tables, functions }: Parameters<FuzzDatabase['run']>[0], values: readonly unknown[]) {
    const params = values.map(encodeParam);
    return this.whole(async () => {
      await this.verifier.check(this.connection, { sql, params, tables, functions });
      return this.ask(sql, params);
    });
  }

  /** A fault of the engine's own makes it refuse everything from then on, so it is started again. */
  private async whole(run: () => Promise<FuzzResult>): Promise<FuzzResult> {
    try {
      return await run();
    } catch (error) {
      if (dialect.isOwnFault?.((error as Error).message)) {
        await this.close();
        ({ instance: this.instance, connection: this.connection } = await start(this.script));
      }
      throw error;
    }
  }

  private async ask(sql: string, params: ReturnType<typeof encodeParam>[]): Promise<FuzzResult> {
    const statement = await this.connection.prepare(sql);
    try {
      if (statement.statementType !== StatementType.SELECT) throw new Error('Only statements that read can be run.');
      bindAll(statement, params);
      const reader = await statement.runAndReadUntil(MOST_ROWS);
      if (!reader.done) throw new Error('There are too many rows to compare.');
      return { columns: reader.columnNames(), rows: reader.getRowsJson() };
    } finally {
      statement.destroySync();
    }
  }

  async close() {
    this.connection.closeSync();
    this.instance.closeSync();
  }
}

/** In memory nothing can be opened for reading only; everything else is as the datasource sets it. */
async function start(script: string, further: readonly string[] = []) {
  const { access_mode: _, ...settings } = engineSettings({ threads: 1, memoryLimitMb: 512, tempLimitMb: 0 }, '');
  const instance = await DuckDBInstance.create(':memory:', settings);
  const connection = await instance.connect();
  await connection.run(script);
  for (const setting of [...further, ...FINAL_SETTINGS]) await connection.run(setting);
  return { instance, connection };
}

export const duckdbEngine: FuzzEngine = {
  dialect,
  open: (script) => DuckdbDatabase.open(script),
  close: async () => {},
};
