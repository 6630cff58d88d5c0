/** Reads sample rows of a table and reduces them at once to what a layer says about each column. */
import { AtlasError, type SqlResult, type TableDescription } from '../../kernel/index.ts';
import type { DimensionType } from '../semantic-layer/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import { isTime, typeOf } from './column-type.ts';
import { holdsCredential, isCategory, isLookup, isLookupLabel, isPrivateTime, samplesOf } from './sensitive.ts';

export const SAMPLED_ROWS = 1_000;
/** Rows of a larger table in which the values of categories, keys and joins are searched. */
const SEARCHED_ROWS = 20_000;
/**
 * Tables with more rows are read at random places where the engine can do that, and in any order. Their rows are not
 * counted, and their ranges of times not searched.
 */
const LARGE_TABLE_ROWS = 100_000;
/** Distinct values that are read: more than the samples kept, to recognize columns with too many. */
const MAX_DISTINCT_VALUES = 50;
/** Columns of a larger table whose values are searched. */
const MAX_SEARCHED_COLUMNS = 30;

const TIME_NAME = /epoch|unix|time|(^|_)(ts|at|on|since|until|date|expires|expiry)(_|$)/i;
/** What numbers may stand for, by value and the column's name. */
const CODED: readonly ((value: number, name: string) => boolean)[] = [
  (value) => value === 0 || value === 1,
  (value) => Number.isInteger(value) && /^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(String(value)),
  // From 1990 on, in seconds or milliseconds.
  (value, name) =>
    TIME_NAME.test(name) &&
    Number.isInteger(value) &&
    /^[6-9]\d{8}$|^[1-4]\d{9}$|^([6-9]\d|[1-4]\d\d)\d{10}$/.test(String(value)),
];

export type Read = (sql: string) => Promise<SqlResult>;

export interface ColumnProfile {
  readonly type: DimensionType;
  /** The values of a category, when they may be written to files. */
  readonly values?: readonly string[];
  /** A credential was seen in it. */
  readonly isCredential: boolean;
  /** Its numbers stand for something else: for yes and no, days such as 20240131, or moments as seconds since 1970. */
  readonly isCoded: boolean;
  /** Known when the whole table was read. */
  readonly uniqueCount?: number;
  readonly nullCount?: number;
  /** The first and last value of a date or timestamp, when every row was searched. */
  readonly range?: [string, string];
}

export interface TableSample {
  readonly columns: ReadonlyMap<string, ColumnProfile>;
  /** The engine's estimate, for a large table. */
  readonly rowCount?: number;
  /** The first of the possible keys that has no NULL and no value twice. */
  readonly key?: readonly string[];
}

interface Request {
  readonly table: TableDescription;
  readonly dialect: SqlDialect;
  /** Whether values and their counts may be written. */
  readonly withValues: boolean;
  readonly possibleKeys: readonly (readonly string[])[];
  /** Whether a column is read. Default: all are. */
  readonly isRead?: (column: string) => boolean;
  /**
   * Whether the ranges of times of larger tables are searched, too, column by column: an index knows them at once, and
   * the first that takes too long ends the search.
   */
  readonly searchesLarge?: boolean;
}

type Row = SqlResult['rows'][number];

export const quotedTable = ({ schema, name }: TableDescription, { rendering, hasCatalogs }: SqlDialect) => {
  const before = schema === undefined ? [] : hasCatalogs ? schema.split('.') : [schema];
  return [...before, name].map((part) => rendering.quoteName(part)).join('.');
};

/** The table behind FROM, of a large one only about `rows` of its rows where the engine can sample. */
function sampledTable(table: TableDescription, dialect: SqlDialect, rows: number): string {
  const from = quotedTable(table, dialect);
  const { estimatedRows = 0 } = table;
  if (dialect.rendering.sample === undefined || table.kind === 'view' || estimatedRows <= LARGE_TABLE_ROWS) return from;
  const percent = Math.max(0.0001, Math.min(100, (150 * rows) / estimatedRows));
  return `${from} ${dialect.rendering.sample(Number(percent.toPrecision(3)))}`;
}

/** A subquery with some columns, called `v0`, `v1` …, of at most `SEARCHED_ROWS` rows. */
export function searchedRows(table: TableDescription, columns: readonly string[], dialect: SqlDialect): string {
  const list = columns.map((column, index) => `${dialect.rendering.quoteName(column)} AS v${index}`).join(', ');
  const rows = table.kind === 'view' ? SAMPLED_ROWS : SEARCHED_ROWS;
  return `(SELECT ${list} FROM ${sampledTable(table, dialect, rows)} LIMIT ${rows}) AS s`;
}

/** Different for different values. */
const identity = (value: unknown) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : `${typeof value} ${value}`;

/** Whether the columns together tell the sampled rows apart. */
function isKey(rows: readonly Row[], columns: readonly string[]): boolean {
  const seen = new Set<string>();
  for (const row of rows) {
    if (columns.some((column) => row[column] === null || row[column] === undefined)) return false;
    seen.add(columns.map((column) => identity(row[column])).join('\0'));
  }
  return rows.length > 0 && seen.size === rows.length;
}

async function isSearchedKey({ table, dialect }: Request, columns: readonly string[], read: Read): Promise<boolean> {
  const names = columns.map((_, index) => `s.v${index}`);
  const known = names.map((name) => `${name} IS NOT NULL`).join(' AND ');
  const rows = searchedRows(table, columns, dialect);
  const count = async (from: string) =>
    Number(Object.values((await read(`SELECT count(*) AS n FROM ${from}`)).rows[0] ?? {})[0]);
  const different = await count(`(SELECT DISTINCT ${names.join(', ')} FROM ${rows} WHERE ${known}) AS d`);
  return different === (await count(rows));
}

/** The values of a category of a larger table with their numbers; `isAll` when every row was searched. */
async function searchedValues({ table, dialect }: Request, column: string, read: Read) {
  const rows = searchedRows(table, [column], dialect);
  const limit = MAX_DISTINCT_VALUES + 1;
  const found = await read(`SELECT s.v0 AS v, count(*) AS n FROM ${rows} GROUP BY s.v0 ORDER BY n DESC LIMIT ${limit}`);
  const counts = found.rows.map(({ v, n }) => [v, Number(n)] as const);
  const total = counts.reduce((sum, [, n]) => sum + n, 0);
  return {
    counts,
    isAll:
      counts.length < limit && total < SEARCHED_ROWS && sampledTable(table, dialect, 1) === quotedTable(table, dialect),
  };
}

type Range = ColumnProfile['range'];

interface Facts {
  readonly rowCount?: number;
  readonly ranges: ReadonlyMap<string, Range>;
}

/** From the first to the last of some times, to the second; `undefined` when not all are dates or timestamps. */
function rangeOf(values: readonly unknown[]): Range {
  const times = values.filter(isTime).sort();
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined || times.length < values.length) return undefined;
  return [first.slice(0, 19), last.slice(0, 19)];
}

/** The ranges of a large table, until one takes too long. */
async function largeRanges({ table, dialect }: Request, times: readonly string[], read: Read) {
  const ranges = new Map<string, Range>();
  for (const column of times) {
    const name = dialect.rendering.quoteName(column);
    try {
      const { rows } = await read(`SELECT MIN(${name}) AS a, MAX(${name}) AS b FROM ${quotedTable(table, dialect)}`);
      ranges.set(column, rangeOf([rows[0]?.a, rows[0]?.b]));
    } catch (error) {
      if (error instanceof AtlasError && error.code === 'sql_timeout') break;
      throw error;
    }
  }
  return ranges;
}

/** Counts the rows of a table that was not read whole and searches the ranges of times, in one statement. */
async function searchedFacts(request: Request, times: readonly string[], read: Read): Promise<Facts> {
  const { table, dialect, searchesLarge = false } = request;
  const { estimatedRows = 0, kind } = table;
  const unknown = { ranges: new Map() };
  if (kind === 'view') return unknown;
  if (estimatedRows > LARGE_TABLE_ROWS) {
    return { rowCount: estimatedRows, ranges: searchesLarge ? await largeRanges(request, times, read) : new Map() };
  }
  const columns = times.map((column, index) => `${dialect.rendering.quoteName(column)} AS v${index}`);
  const ends = times.map((_, index) => `, MIN(s.v${index}) AS a${index}, MAX(s.v${index}) AS b${index}`).join('');
  const from = `${quotedTable(table, dialect)} LIMIT ${LARGE_TABLE_ROWS + 1}`;
  const found = await read(
    `SELECT count(*) AS n${ends} FROM (SELECT ${columns.join(', ') || '1 AS v'} FROM ${from}) AS s`,
  );
  const row = found.rows[0] ?? {};
  const rowCount = Number(row.n);
  if (rowCount > LARGE_TABLE_ROWS) return unknown;
  const rangeAt = (index: number) => rangeOf([row[`a${index}`], row[`b${index}`]]);
  return { rowCount, ranges: new Map(times.map((column, index) => [column, rangeAt(index)])) };
}

const columnsRead = ({ table, isRead = () => true }: Request) => table.columns.filter(({ name }) => isRead(name));

/** Reads up to `SAMPLED_ROWS` rows, in the order of the primary key unless the table is large. */
async function sampleRows(request: Request, read: Read): Promise<SqlResult> {
  const { table, dialect, isRead } = request;
  const { quoteName } = dialect.rendering;
  const list =
    isRead === undefined
      ? '*'
      : columnsRead(request)
          .map(({ name }) => quoteName(name))
          .join(', ') || '1 AS v';
  const from = sampledTable(table, dialect, SAMPLED_ROWS);
  const isLarge = (table.estimatedRows ?? 0) > LARGE_TABLE_ROWS;
  const order = isLarge ? [] : table.primaryKey.map(quoteName);
  return read(
    `SELECT ${list} FROM ${from}${order.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`} LIMIT ${SAMPLED_ROWS}`,
  );
}

/** Rejects when the table cannot be read. */
export async function sampleTable(request: Request, read: Read): Promise<TableSample> {
  const { table, dialect, withValues, possibleKeys } = request;
  const { rows, truncated } = await sampleRows(request, read);
  const isWhole =
    rows.length < SAMPLED_ROWS && !truncated && sampledTable(table, dialect, 1) === quotedTable(table, dialect);
  const columns = new Map<string, ColumnProfile>();
  const names = table.columns.map(({ name }) => name);
  const isLabelled = isWhole && table.kind !== 'view' && isLookup(table.name, names, rows.length);
  let searched = 0;
  const times: string[] = [];
  for (const column of columnsRead(request)) {
    const known = rows.map((row) => row[column.name]).filter((value) => value !== null && value !== undefined);
    const different = new Set(known.map(identity)).size;
    let isCredential = known.some(holdsCredential);
    let counts = isWhole ? { uniqueCount: different, nullCount: rows.length - known.length } : {};
    let values: readonly string[] | undefined;
    const isListed = isLabelled && isLookupLabel(column.name, known);
    if (withValues && !isCredential && (isListed || isCategory(column.name, known))) {
      values = samplesOf(known);
      searched += 1;
      // Every search would run a view as a whole, and finds no more of it than the sample has.
      if (!isWhole && table.kind !== 'view' && searched <= MAX_SEARCHED_COLUMNS) {
        const all = await searchedValues(request, column.name, read);
        const others = all.counts.map(([value]) => value);
        values = samplesOf(others);
        isCredential = others.some(holdsCredential);
        const nulls = all.counts.find(([value]) => value === null)?.[1] ?? 0;
        if (all.isAll)
          counts = { uniqueCount: all.counts.filter(([value]) => value !== null).length, nullCount: nulls };
      }
    }
    const type = typeOf(column, known, dialect);
    const hasRange = /^(date|timestamp)$/.test(type) && !isCredential && !isPrivateTime(column.name);
    if (hasRange) times.push(column.name);
    const range = hasRange && isWhole ? rangeOf(known) : undefined;
    columns.set(column.name, {
      type,
      isCredential,
      isCoded: known.length > 1 && CODED.some((isCoded) => known.every((value) => isCoded(Number(value), column.name))),
      ...(values !== undefined && !isCredential && { values }),
      ...(withValues && counts),
      ...(withValues && range && { range }),
    });
  }
  const facts = withValues && !isWhole ? await searchedFacts(request, times, read) : undefined;
  for (const [name, range] of facts?.ranges ?? []) {
    const column = columns.get(name);
    if (column && range) columns.set(name, { ...column, range });
  }
  const rowCount = isWhole && withValues ? rows.length : facts?.rowCount;
  const sample = { columns, ...(rowCount !== undefined && { rowCount }) };
  for (const key of possibleKeys) {
    if (isKey(rows, key) && (isWhole || (await isSearchedKey(request, key, read)))) return { ...sample, key };
  }
  return sample;
}
