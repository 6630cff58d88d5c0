/**
 * Finds out which rows of an expected statement may change places: those that its ORDER BY leaves equal. For that the
 * statement is run once more with what it orders by as further columns, and without its LIMIT cutting such rows apart.
 */
import {
  DEFAULT_LIMITS,
  type Expr,
  fold,
  type NamedColumn,
  type OrderTerm,
  parseStatement,
  printSelect,
  type Select,
  type SelectCore,
  type SqlDialect,
} from '../sql-kit/index.ts';
import { type Cell, cellOf } from './cells.ts';
import type { ComparedResult, ExpectedResult, RowGroup } from './compare-results.ts';
import { firstUnmatched } from './match-rows.ts';

/** Rows that are read beyond a LIMIT, to see which are equal to its last row. */
const ROWS_BEYOND = 200;
const KEY_PREFIX = 'atlas_order_key_';

export interface GoldOrder {
  /** The statement with its keys; `undefined`: they cannot be told, so every row keeps its place. */
  readonly sql: string | undefined;
  /** Places of the keys among the columns of the statement. */
  readonly keys: readonly (number | 'last')[];
}

/** `undefined`: the statement has no order of its own, or cannot be read, which the guard then tells. */
export function goldOrder(sql: string, dialect: SqlDialect): GoldOrder | undefined {
  const select = parsed(sql, dialect);
  if (select === undefined || select.orderBy.length === 0) return undefined;
  const columns = select.first.kind === 'core' ? select.first.columns : [];
  const keys = select.orderBy.map((term) => outputOf(term, columns));
  const isOpen = select.rest.length === 0 && isPlainCore(select);
  const isUnknown = (key: number | undefined, index: number) =>
    key === undefined && (!isOpen || select.orderBy[index]?.expr.kind === 'number');
  if (keys.some(isUnknown)) return { sql: undefined, keys: [] };
  const added = select.orderBy
    .filter((_, index) => keys[index] === undefined)
    .map(({ expr }, index): NamedColumn => ({ kind: 'column', expr, alias: `${KEY_PREFIX}${index}`, text: undefined }));
  const { first } = select;
  const keyed: Select = {
    ...select,
    first: first.kind === 'core' ? { ...first, columns: [...columns, ...added] } : first,
    limit: beyond(select.limit),
  };
  return { sql: printSelect(keyed, dialect), keys: keys.map((key) => key ?? 'last') };
}

function parsed(sql: string, dialect: SqlDialect): Select | undefined {
  try {
    return parseStatement(sql, dialect, DEFAULT_LIMITS);
  } catch {
    return undefined;
  }
}

/** A further column changes neither its rows nor their number. */
function isPlainCore({ first }: Select): boolean {
  return first.kind === 'core' && !first.distinct && first.distinctOn === undefined;
}

/** The place of the output column that a term orders by. After a `*` places are not known. */
function outputOf({ expr }: OrderTerm, columns: SelectCore['columns']): number | undefined {
  const star = columns.findIndex(({ kind }) => kind === 'star');
  const known = star < 0 ? columns.length : star;
  if (expr.kind === 'number') {
    const place = Number(expr.value) - 1;
    return Number.isInteger(place) && place >= 0 && place < known ? place : undefined;
  }
  if (expr.kind !== 'name' || expr.table !== undefined) return undefined;
  const place = columns.findIndex((column) => nameOf(column) === fold(expr.name));
  return place >= 0 && place < known ? place : undefined;
}

function nameOf(column: SelectCore['columns'][number]): string | undefined {
  if (column.kind === 'star') return undefined;
  const name = column.alias ?? (column.expr.kind === 'name' ? column.expr.name : undefined);
  return name === undefined ? undefined : fold(name);
}

function beyond(limit: Expr | undefined): Expr | undefined {
  if (limit?.kind !== 'number' || !/^\d+$/.test(limit.value)) return limit;
  return { ...limit, value: String(Number(limit.value) + ROWS_BEYOND) };
}

/** The groups of rows with equal keys, of which together `count` rows are expected. */
export function orderedGroups(result: ComparedResult, { keys }: GoldOrder, count: number): ExpectedResult {
  const added = keys.filter((key) => key === 'last').length;
  const columns = result.columns.slice(0, result.columns.length - added);
  let next = columns.length;
  const keyColumns = keys.map((key) => result.columns[key === 'last' ? next++ : key] ?? '');
  const keyOf = (row: ComparedResult['rows'][number]): Cell[] => keyColumns.map((name) => cellOf(row[name]));
  const groups: { rows: ComparedResult['rows'][number][]; key: Cell[] }[] = [];
  for (const row of result.rows) {
    const key = keyOf(row);
    const last = groups.at(-1);
    if (last !== undefined && firstUnmatched([key], [last.key]) === undefined) last.rows.push(row);
    else groups.push({ rows: [row], key });
  }
  let left = count;
  const taken = groups.map(({ rows }): RowGroup => {
    const take = Math.min(left, rows.length);
    left -= take;
    return { rows, take };
  });
  return { columns, groups: taken.filter(({ take }) => take > 0) };
}

/** Every row keeps its place. */
export const inGivenOrder = ({ columns, rows }: ComparedResult): ExpectedResult => ({
  columns,
  groups: rows.map((row) => ({ rows: [row], take: 1 })),
});
