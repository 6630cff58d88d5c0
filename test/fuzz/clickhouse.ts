import type { TableDescription } from '../../kernel/index.ts';
import { type ChdbSession, openChdb, rowsOf } from '../harness/chdb.ts';
import type { FuzzDatabase, FuzzDialect, FuzzEngine, FuzzResult } from './engine.ts';

const quote = (name: string) => `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;

/** Every database goes by this name in statements: a schema is a database here, and each has its own name. */
const DATABASE = 'fuzz_database';
const NAMED = new RegExp(`\\b${DATABASE}\\b`, 'g');

/**
 * What the datasource sets, and tables that need neither engine nor order. Nothing is compiled: that takes longer than a
 * statement over so few rows.
 */
const SETTINGS = `SET join_use_nulls = 1, union_default_mode = 'DISTINCT', intersect_default_mode = 'DISTINCT',
  except_default_mode = 'DISTINCT', cast_keep_nullable = 1, default_table_engine = 'Memory', max_threads = 1,
  aggregate_functions_null_for_empty = 1,
  compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0,
  max_execution_time = 20, max_memory_usage = 2000000000`;

const dialect: FuzzDialect = {
  dbType: 'clickhouse',
  schema: DATABASE,
  types: { int: 'Nullable(Int64)', real: 'Nullable(Float64)', text: 'Nullable(String)' },
  tenantTypes: {
    int: ['Nullable(Int32)', 'Nullable(Int16)', 'Nullable(Decimal(10, 0))'],
    text: ['LowCardinality(Nullable(String))', 'Nullable(FixedString(12))'],
  },
  ignoresCase: false,
  hasSetAll: true,
  hasLateral: false,
  hasInTable: false,
  hasQuantified: false,
  hasNotNull: true,
  hasPlainNames: true,
  // Subqueries that name columns from outside it has in part.
  lacks: new Set([
    'outer columns',
    'outer columns in FROM',
    'conditions of joins',
    'joins in parentheses',
    'borrowed aliases',
    'UNION in recursion',
    'ORDER BY of a whole UNION',
    'FILTER',
  ]),
  // What it finds out before it reads a row depends on whether a name is a table's or a subquery's.
  isOwnFault: (error) =>
    /IN takes a list|of something else in FROM|correlated|\((?:LOGICAL_ERROR|ALIAS_REQUIRED|AMBIGUOUS_IDENTIFIER|ILLEGAL_AGGREGATION|ILLEGAL_TYPE_OF_ARGUMENT|INVALID_JOIN_ON_EXPRESSION|NO_COMMON_TYPE|NOT_IMPLEMENTED|INCORRECT_RESULT_OF_SCALAR_SUBQUERY|UNKNOWN_IDENTIFIER|UNKNOWN_TABLE|UNSUPPORTED_METHOD)\)|_STRUCTURES_MISMATCH/.test(
      error,
    ),
  quote,
  listedRows: (rows, columns) =>
    `(${rows
      .slice(1, -1)
      .split('), (')
      .map(
        (row) =>
          `SELECT ${row
            .split(', ')
            .map((value, at) => `${value} AS ${columns[at]}`)
            .join(', ')}`,
      )
      .join(' UNION ALL ')})`,
  wholeRow: (_, columns) => [
    `toString(tuple(${columns.join(', ')}))`,
    `concatWithSeparator('|', ${columns.map((column) => `toString(${column})`).join(', ')})`,
  ],
  listed: (value) => `arrayStringConcat(arraySort(groupArray(${value})), ',')`,
};

/** Orders and kinds of joins stay as they are written: changed ones lose rows at times, with one plan and not with the other. */
const PLAIN_PLANS = {
  enable_join_runtime_filters: 0,
  query_plan_convert_any_join_to_semi_or_anti_join: 0,
  query_plan_convert_join_to_in: 0,
  query_plan_convert_outer_join_to_inner_join: 0,
  query_plan_join_swap_table: "'false'",
  query_plan_merge_filter_into_join_condition: 0,
  query_plan_optimize_join_order_limit: 0,
  query_plan_use_new_logical_join_step: 0,
};

let databases = 0;

class ClickhouseDatabase implements FuzzDatabase {
  private readonly session: ChdbSession;
  private readonly name: string;

  constructor(session: ChdbSession, script: string) {
    databases += 1;
    this.session = session;
    this.name = `fuzz_${databases}`;
    session.query(`CREATE DATABASE ${this.name}`);
    for (const statement of script.split(';\n')) {
      // Memory tables have no index.
      if (statement.trim() !== '' && !statement.startsWith('CREATE INDEX')) this.ask(statement);
    }
  }

  async describe(): Promise<readonly TableDescription[]> {
    const { rows } = this.ask(
      `SELECT table, groupArray((name, type)) FROM system.columns WHERE database = '${this.name}' GROUP BY table`,
    );
    return rows.map(([name, columns]) => ({
      name: String(name),
      kind: 'table' as const,
      columns: (columns as [string, string][]).map(([column, type]) => ({ name: column, type, nullable: true })),
      primaryKey: [],
      foreignKeys: [],
    }));
  }

  async query(sql: string): Promise<FuzzResult> {
    return this.ask(sql);
  }

  async run({ sql }: Parameters<FuzzDatabase['run']>[0], params: readonly unknown[]): Promise<FuzzResult> {
    const bound = sql.replaceAll(/\{p(\d+):String\}/g, (_, number: string) => {
      const text = String(params[Number(number) - 1]).replaceAll(/[\\']/g, '\\$&');
      return `'${text}'`;
    });
    return this.ask(bound);
  }

  async plainly<T>(work: () => Promise<T>): Promise<T> {
    const set = (value: (name: string, plain: unknown) => unknown) =>
      this.session.query(
        `SET ${Object.entries(PLAIN_PLANS)
          .map(([name, plain]) => `${name} = ${value(name, plain)}`)
          .join(', ')}`,
      );
    set((_, plain) => plain);
    return work().finally(() => set(() => 'DEFAULT'));
  }

  private ask(sql: string): FuzzResult {
    this.session.query(`USE ${this.name}`);
    const { columns, rows } = rowsOf(this.session, sql.replaceAll(NAMED, this.name));
    // Columns of one name go by that of their table, and a table by that of its database, which no subquery has.
    return { columns: columns.map((column) => column.replace(`${this.name}.`, '')), rows };
  }

  async close(): Promise<void> {
    this.session.query(`DROP DATABASE ${this.name}`);
  }
}

export async function openClickhouse(): Promise<FuzzEngine> {
  const session = openChdb();
  session.query(SETTINGS);
  return {
    dialect,
    open: async (script) => new ClickhouseDatabase(session, script),
    close: async () => session.cleanup(),
  };
}
