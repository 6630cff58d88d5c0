/** Reads tables, views and columns of the connection's databases in two catalogue queries, however many there are. */
import type { TableColumn, TableDescription } from '../../../kernel/index.ts';
import type { Cell } from '../../datasource-kit/index.ts';
import { isNullable } from '../values/types.ts';
import type { Query } from './query.ts';

/** The rows of a materialized view without a table of its own are in one that nobody asks by name. */
const OWN = "database IN ({databases:Array(String)}) AND NOT startsWith(name, '.inner') AND NOT is_temporary";

const TABLES = `SELECT database, name, engine, engine_full, total_rows, primary_key, sorting_key, partition_key, comment
  FROM system.tables WHERE ${OWN} ORDER BY database, name`;

/** Without SELECT on a column, the login does not see it here. */
const COLUMNS = `SELECT database, table, name, type, comment FROM system.columns
  WHERE database IN ({databases:Array(String)}) AND default_kind <> 'EPHEMERAL' ORDER BY database, table, position`;

const VIEWS = new Set(['View', 'MaterializedView', 'LiveView', 'WindowView']);
/** Engines in which a key stands for one row; in all others several rows may have the same. */
const HAS_UNIQUE_KEY = /^(?:EmbeddedRocksDB|KeeperMap|Redis)$/;

const tableOf = ([database, table]: readonly Cell[]) => JSON.stringify([database, table]);

function columnOf([, , name, type, comment]: readonly Cell[]): TableColumn {
  return {
    name: String(name),
    type: String(type),
    nullable: isNullable(String(type)),
    ...(comment && { comment: String(comment) }),
  };
}

/**
 * The comment of the table with what decides how fast it answers, for the people and models that write statements:
 * its engine, by what it is sorted and partitioned, and for a distributed one which tables it shows.
 */
function commentOf(row: readonly Cell[]): string {
  const [, , engine, full, , primary, sorting, partition, comment] = row.map((cell) => String(cell ?? ''));
  const shows = /^(Distributed|Merge|Buffer)\(.*\)/.exec(full ?? '')?.[0].slice(0, 200);
  const facts = [
    shows ?? engine ?? '',
    ...(sorting ? [`sorted by ${sorting}`] : []),
    ...(primary && primary !== sorting
      ? [`primary key ${primary}${HAS_UNIQUE_KEY.test(engine ?? '') ? '' : ', not unique'}`]
      : []),
    ...(partition ? [`partitioned by ${partition}`] : []),
    ...(/Replacing|Collapsing/.test(engine ?? '') ? ['rows of one key are merged later'] : []),
  ];
  return `${comment ? `${comment.replace(/[.\s]+$/, '')}. ` : ''}${facts.join('; ')}.`;
}

/**
 * `database`: that of the connection; `more`: others of the same server that statements name. `withUnreadable`: also
 * the tables of which the login may read no column, which are then without any.
 */
export async function describeDatabases(
  query: Query,
  database: string,
  more: readonly string[] = [],
  withUnreadable = false,
): Promise<TableDescription[]> {
  const databases = [...new Set([database, ...more])];
  const tables = await query(TABLES, { databases });
  const columns = Map.groupBy(await query(COLUMNS, { databases }), tableOf);
  return tables.flatMap((row) => {
    const [schema, name, engine, , rows] = row;
    const own = columns.get(tableOf(row)) ?? [];
    if (own.length === 0 && !withUnreadable) return [];
    const isView = VIEWS.has(String(engine));
    return [
      {
        schema: String(schema),
        name: String(name),
        kind: isView ? ('view' as const) : ('table' as const),
        columns: own.map(columnOf),
        // Declared for one table, keys would not be looked for in the rows of all others.
        primaryKey: [],
        foreignKeys: [],
        ...(rows === null || isView ? {} : { estimatedRows: Number(rows) }),
        comment: commentOf(row),
      },
    ];
  });
}
