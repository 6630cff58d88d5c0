/** Writes the statements that create a declared table and its indexes. */
import { type Column, type ColumnType, primaryKeyOf, type Table, targetOf } from './table.ts';

export interface Dialect {
  readonly types: Readonly<Record<ColumnType, string>>;
  /** Whether tables and columns keep a comment. */
  readonly hasComments: boolean;
}

export const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;
const list = (names: readonly string[]) => names.map(identifier).join(', ');
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

export function createTable(table: Table, { types, hasComments }: Dialect): string[] {
  const columns = Object.entries(table.columns);
  const primaryKey = primaryKeyOf(table);
  const parts = [
    ...columns.map(([name, column]) => `${identifier(name)} ${definition(column, types)}`),
    ...(primaryKey.length > 0 ? [`PRIMARY KEY (${list(primaryKey)})`] : []),
    ...(table.unique ?? []).map((names) => `UNIQUE (${list(names)})`),
    ...columns.flatMap(([name, column]) => {
      const to = targetOf(column);
      return to
        ? [`FOREIGN KEY (${identifier(name)}) REFERENCES ${identifier(to.table)} (${identifier(to.column)})`]
        : [];
    }),
  ];
  const comments = [
    `COMMENT ON TABLE ${identifier(table.name)} IS ${literal(table.comment)}`,
    ...columns.flatMap(([name, { comment }]) =>
      comment ? [`COMMENT ON COLUMN ${identifier(table.name)}.${identifier(name)} IS ${literal(comment)}`] : [],
    ),
  ];
  return [`CREATE TABLE ${identifier(table.name)} (\n  ${parts.join(',\n  ')}\n)`, ...(hasComments ? comments : [])];
}

function definition({ type, nullable, unique }: Column, types: Dialect['types']): string {
  return `${types[type]}${nullable ? '' : ' NOT NULL'}${unique ? ' UNIQUE' : ''}`;
}

/** One for each foreign key that begins no key, and those declared. Written after the rows: that is faster. */
export function createIndexes(table: Table): string[] {
  const { name, columns, unique = [], indexes = [] } = table;
  const covered = new Set([primaryKeyOf(table), ...unique, ...indexes].map(([first]) => first));
  const foreign = Object.keys(columns).filter(
    (column) => columns[column]?.references && !columns[column].unique && !covered.has(column),
  );
  return [...foreign.map((column) => [column]), ...indexes].map(
    (names) => `CREATE INDEX ${identifier(`${name}_${names.join('_')}`)} ON ${identifier(name)} (${list(names)})`,
  );
}
