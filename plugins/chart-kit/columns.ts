/** Finds out what each column of an answer holds: how it is compared, aligned, filtered and drawn. */
import type { ValueFormat, ValueFormats } from '../result-kit/index.ts';
import { instantOf, isDecimal, type ResultRow, valueAt } from './values.ts';

/** `digits`: text whose values are all numbers, such as codes, or decimals that a number would round. */
export type ColumnKind = 'number' | 'digits' | 'date' | 'boolean' | 'json' | 'text' | 'empty';

export interface ResultColumn {
  /** Its place among the columns, which is what everything else knows it by: names come from outside. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly kind: ColumnKind;
  /** It holds quantities: grouped digits, aligned right, drawn as a height. Numbers of things and years are none. */
  readonly isQuantity: boolean;
  /** Its unit and format in the layer. */
  readonly format?: ValueFormat | undefined;
}

/** A table as the API gives it. */
export interface ResultTable {
  readonly columns: readonly string[];
  /** JSON type of each column, where it is known. */
  readonly columnTypes?: readonly JsonType[];
  readonly rows: readonly ResultRow[];
  /** By column. */
  readonly formats?: ValueFormats;
}

type JsonType = 'number' | 'string' | 'boolean' | 'json' | 'null';

/** Rows that are looked at to find a kind. */
const SAMPLE_ROWS = 2_000;
const IDENTIFIER = /(?:^|[_\s.-])(?:id|ids|key|no|nr|code|zip|postcode|year|yr|phone)$/i;
const CAMEL_CASE = /[a-z](?:Id|Key|Code|Year)$/;

function isIdentifierName(name: string): boolean {
  return IDENTIFIER.test(name) || CAMEL_CASE.test(name);
}

function jsonTypeOf(values: readonly unknown[]): JsonType {
  const types = new Set(values.map((value) => (typeof value === 'object' ? 'json' : typeof value)));
  const [type] = types;
  if (type === undefined) return 'null';
  return types.size === 1 && (type === 'number' || type === 'string' || type === 'boolean') ? type : 'json';
}

function textKind(texts: readonly string[]): ColumnKind {
  if (texts.length === 0) return 'empty';
  if (texts.every((text) => isDecimal(text))) return 'digits';
  return texts.every((text) => instantOf(text) !== undefined) ? 'date' : 'text';
}

const KINDS = { number: 'number', boolean: 'boolean', json: 'json', null: 'empty' } as const;

function columnOf(table: ResultTable, name: string, index: number): ResultColumn {
  const values: unknown[] = [];
  for (const row of table.rows.slice(0, SAMPLE_ROWS)) {
    const value = valueAt(row, { name });
    if (value !== null) values.push(value);
  }
  const type = table.columnTypes?.[index] ?? jsonTypeOf(values);
  const kind = type === 'string' ? textKind(values.map(String)) : KINDS[type];
  // The server gives decimals as text only where a number would round one of them.
  const isQuantity =
    kind === 'number' || (kind === 'digits' && values.some((value) => String(Number(value)) !== String(value)));
  const format = table.formats && Object.hasOwn(table.formats, name) ? table.formats[name] : undefined;
  return { index, id: `c${index}`, name, kind, isQuantity: isQuantity && !isIdentifierName(name), format };
}

/** A column without a name is called by its place. */
export function columnLabel({ name, index }: Pick<ResultColumn, 'name' | 'index'>): string {
  return name.trim() === '' ? `Column ${index + 1}` : name;
}

export function columnById(columns: readonly ResultColumn[], id: string): ResultColumn | undefined {
  return columns[Number(id.slice(1))];
}

export function columnsOf(table: ResultTable): readonly ResultColumn[] {
  return table.columns.map((name, index) => columnOf(table, name, index));
}
