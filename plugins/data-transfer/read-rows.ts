/** Reads a table in pages of bounded size, in the order of its primary key. */
import type { Knex } from 'knex';
import { AtlasError } from '../../kernel/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { type Column, quoted, rowsOf, type Table } from './columns.ts';
import { type ArchivedRow, archivedValue, readExpression } from './values.ts';

type Dialect = InternalDb['dialect'];

const PAGE_ROWS = 500;
/** A page of more has one row. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Keys are read as texts, which both engines compare with a column by the column's type. */
const keyText = ({ name }: Column) => `CAST(${quoted(name)} AS text)`;

const SIZES: Readonly<Record<Dialect, (column: string) => string>> = {
  sqlite: (column) => `length(CAST(${column} AS blob))`,
  postgres: (column) => `octet_length(CAST(${column} AS text))`,
};

type Key = readonly string[];

interface Page {
  readonly from: Key | undefined;
  readonly to: Key;
  readonly isLast: boolean;
}

function rangeOf(key: readonly Column[], page: Pick<Page, 'from'> & Partial<Page>): [string, string[]] {
  const columns = `(${key.map(({ name }) => quoted(name)).join(', ')})`;
  const places = `(${key.map(() => '?').join(', ')})`;
  const bounds = [
    ...(page.from === undefined ? [] : [`${columns} > ${places}`]),
    ...(page.to === undefined ? [] : [`${columns} <= ${places}`]),
  ];
  return [bounds.length === 0 ? '' : `WHERE ${bounds.join(' AND ')}`, [...(page.from ?? []), ...(page.to ?? [])]];
}

/** Looks how large the next rows are, so that a page of long texts has fewer of them. */
async function nextPage(
  trx: Knex,
  dialect: Dialect,
  { name, columns, key }: Table,
  from?: Key,
): Promise<Page | undefined> {
  const size = columns.map((column) => `coalesce(${SIZES[dialect](quoted(column.name))}, 0)`).join(' + ');
  const keys = key.map((column, index) => `${keyText(column)} AS k${index}`).join(', ');
  const order = key.map((column) => quoted(column.name)).join(', ');
  const [where, bindings] = rangeOf(key, { from });
  const found = await rowsOf<Record<string, string>>(
    trx,
    `SELECT ${keys}, ${size} AS size FROM ${quoted(name)} ${where} ORDER BY ${order} LIMIT ${PAGE_ROWS}`,
    bindings,
  );
  if (found.length === 0) return undefined;
  let bytes = 0;
  const count = found.findIndex((row) => {
    bytes += Number(row.size);
    return bytes > PAGE_BYTES;
  });
  const rows = count < 0 ? found.length : Math.max(1, count);
  const last = found[rows - 1];
  return {
    from,
    to: key.map((_, index) => String(last?.[`k${index}`])),
    isLast: count < 0 && found.length < PAGE_ROWS,
  };
}

/** Yields the rows in the form of archives. Throws for a table without a primary key. */
export async function* readRows(trx: Knex, dialect: Dialect, table: Table): AsyncGenerator<ArchivedRow> {
  const { name, columns, key } = table;
  if (key.length === 0) {
    throw new AtlasError(`The table "${name}" cannot be exported, because it has no primary key.`, {
      code: 'configuration_error',
      hint: 'Its plugin has to give it one in a migration.',
    });
  }
  const selected = columns.map((column) => `${readExpression(column, dialect)} AS ${quoted(column.name)}`).join(', ');
  const order = key.map((column) => quoted(column.name)).join(', ');
  for (let page = await nextPage(trx, dialect, table); page !== undefined; ) {
    const [where, bindings] = rangeOf(key, page);
    const sql = `SELECT ${selected} FROM ${quoted(name)} ${where} ORDER BY ${order}`;
    for (const row of await rowsOf<Record<string, unknown>>(trx, sql, bindings)) {
      yield Object.fromEntries(columns.map((column) => [column.name, archivedValue(row[column.name], column.kind)]));
    }
    page = page.isLast ? undefined : await nextPage(trx, dialect, table, page.to);
  }
}
