/** Finds the source that repeats the rows of others in a join. */
import type { Column, RowSet, RowSource } from './row-set.ts';

type Columns = ReadonlySet<Column>;

/**
 * The first source of which the layer says that several rows may meet one row of `counted`. `fixed`: columns that have
 * one value in every group.
 */
export function multiplierOf(
  counted: readonly RowSource[],
  fixed: readonly Column[],
  rows: RowSet,
): RowSource | undefined {
  const start = [...counted.map((source) => rows.row(source)), ...fixed];
  const single = rows.determined(start);
  const constant = rows.determined(fixed);
  return rows.sources.find((source) => {
    if (single.has(rows.row(source))) return false;
    // Beside a source that is held to one name, such as one role, one row may be left of a table without a key.
    const others = source.keys?.primary.length === 0 ? [...rows.named].filter((other) => other !== source) : [];
    const named = others.map((other) => rows.row(other));
    const determined = named.length === 0 ? single : rows.determined([...start, ...named]);
    if (determined.has(rows.row(source))) return false;
    const known = rows.columnsOf(source).filter((column) => determined.has(column));
    const partners = new Map(known.map((column) => [column, partnersOf(column, determined, rows)] as const));
    const repeats = source.groupKey === undefined ? tableRepeats : groupRepeats;
    return repeats(source, partners, constant, rows);
  });
}

/** The sources that a column is joined to and that have one row. */
type Partners = ReadonlyMap<Column, ReadonlySet<RowSource>>;

function partnersOf(column: Column, determined: Columns, rows: RowSet): Set<RowSource> {
  const sources = [...rows.equals(column)].map(({ source }) => source);
  return new Set(
    sources.filter((source) => source !== undefined && source !== column.source && determined.has(rows.row(source))),
  ) as Set<RowSource>;
}

/** Groups that are joined on a part of their key. */
function groupRepeats({ groupKey = [] }: RowSource, partners: Partners): boolean {
  return groupKey.some((column) => (partners.get(column)?.size ?? 0) > 0);
}

/** Rows that are joined on the columns of a join to one row, or on the whole primary key of the other side. */
function tableRepeats({ keys }: RowSource, partners: Partners, constant: Columns, rows: RowSet): boolean {
  if (keys === undefined) return false;
  const known = [...partners.keys()];
  const isPartOfKey = known.every(({ name }) => keys.primary.includes(name));
  const possible = new Set([...partners.values()].flatMap((sources) => [...sources]));
  return [...possible].some((partner) => {
    const joined = known.filter((column) => partners.get(column)!.has(partner));
    const names = joined.map(({ name }) => name);
    const declared = keys.repeating.find((columns) => columns.every((name) => names.includes(name)));
    const toKey = coversKey(partner, joined, rows);
    if (declared === undefined && !(toKey && keys.primary.length > 0)) return false;
    // Further columns of another source, or without a key, may leave one row: those of a product in a warehouse, say.
    const restrictsNothing = (column: Column) => (toKey ? joined.includes(column) : declared!.includes(column.name));
    return isPartOfKey || known.every((column) => restrictsNothing(column) || constant.has(column));
  });
}

/** Whether the columns are equal to those of a key of the other side. */
function coversKey(partner: RowSource, joined: readonly Column[], rows: RowSet): boolean {
  const equal = joined.flatMap((column) => [...rows.equals(column)]).filter(({ source }) => source === partner);
  return partner.keys?.unique.some((key) => key.every((name) => equal.some((one) => one.name === name))) === true;
}
