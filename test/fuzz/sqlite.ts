import Database from 'better-sqlite3';
import { encodeParam } from '../../plugins/datasource-kit/index.ts';
import { bind, describeSchema, Schema } from '../../plugins/datasource-sqlite/index.ts';
import type { FuzzDatabase, FuzzDialect, FuzzEngine, FuzzResult } from './engine.ts';

const dialect: FuzzDialect = {
  dbType: 'sqlite',
  schema: 'main',
  types: { int: 'INTEGER', real: 'REAL', text: 'TEXT' },
  tenantTypes: {
    int: ['BIGINT', 'NUMERIC', 'REAL'],
    text: ['VARCHAR(20)', 'TEXT COLLATE NOCASE', 'VARCHAR COLLATE RTRIM', 'UUID', ''],
  },
  ignoresCase: true,
  hasSetAll: false,
  hasLateral: false,
  hasInTable: true,
  hasQuantified: false,
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  wholeRow: (_, columns) => [
    `json_object(${columns.map((column) => `'k', ${column}`).join(', ')})`,
    `json_array(${columns.join(', ')})`,
    `concat_ws('|', ${columns.join(', ')})`,
  ],
  listed: (value, order) => `group_concat(${value}, ',' ORDER BY ${order})`,
};

class SqliteDatabase implements FuzzDatabase {
  private readonly db = new Database(':memory:');
  private readonly schema: Schema;

  constructor(script: string) {
    this.db.exec(script);
    this.schema = new Schema(this.db, 1);
  }

  async describe() {
    return describeSchema(this.db);
  }

  async query(sql: string): Promise<FuzzResult> {
    const statement = this.db.prepare<unknown[], unknown[]>(sql).raw().safeIntegers();
    return { columns: statement.columns().map(({ name }) => name), rows: statement.all() };
  }

  /** As the datasource runs it: after the engine's own check of what the statement opens and calls. */
  async run({ sql, tables, functions }: Parameters<FuzzDatabase['run']>[0], params: readonly unknown[]) {
    const statement = this.schema.prepare(sql, { tables, functions });
    const values = params.map((value) => bind(encodeParam(value)));
    return { columns: statement.columns().map(({ name }) => name), rows: statement.all(...values) };
  }

  async close() {
    this.db.close();
  }
}

export const sqliteEngine: FuzzEngine = {
  dialect,
  open: async (script) => new SqliteDatabase(script),
  close: async () => {},
};
