/** Columns of relations, as far as names tell. */
import type { RowsSource, SelectSource, TableSource, Values } from '../../ast/tree.ts';

export type Readable = TableSource | SelectSource;

/** The columns of a relation, as far as they are known. */
export interface Shape {
  readonly names: ReadonlySet<string>;
  /** The table all of whose columns it has besides, or what makes them; `several` where that has no name yet. */
  readonly open: Readable | 'several' | undefined;
  /** It has the columns of `open` in their order, and no others. */
  readonly isExact?: boolean;
  /** All its columns in their order, where they are known. */
  readonly ordered?: readonly string[];
}

/** The shape of columns that are all known. */
export const orderedShape = (ordered: readonly string[]): Shape => ({
  names: new Set(ordered),
  open: undefined,
  ordered,
});

/** Columns of functions that name them themselves. */
const OUTPUTS: Readonly<Record<string, readonly string[]>> = {
  json_each: ['key', 'value'],
  json_each_text: ['key', 'value'],
  jsonb_each: ['key', 'value'],
  jsonb_each_text: ['key', 'value'],
  json_array_elements: ['value'],
  json_array_elements_text: ['value'],
  jsonb_array_elements: ['value'],
  jsonb_array_elements_text: ['value'],
};

export const NOTHING: Shape = { names: new Set(), open: undefined };

export function union(shapes: readonly Shape[]): Shape {
  const [first, another] = shapes;
  if (first !== undefined && another === undefined) return first;
  const names = new Set<string>();
  const opens: Shape['open'][] = [];
  for (const shape of shapes) {
    for (const name of shape.names) names.add(name);
    if (shape.open !== undefined) opens.push(shape.open);
  }
  return { names, open: opens.length > 1 ? 'several' : opens[0] };
}

/** New names for the first columns. The old ones may still be those of later columns, which keep theirs. */
export function withNames(columns: readonly string[] | undefined, shape: Shape): Shape {
  if (columns === undefined || columns.length === 0) return shape;
  const { open, ordered, isExact } = shape;
  const after = (names: readonly string[] = []) => [...columns, ...names.slice(columns.length)];
  if (ordered !== undefined) return orderedShape(after(ordered));
  const names = new Set(columns);
  if (!isExact || open === undefined || open === 'several') return { names, open: undefined };
  return { names, open: { ...open, columns: after(open.columns) }, isExact };
}

export const nameOf = (column: { readonly alias: string | undefined; readonly name?: string | undefined }) =>
  column.alias ?? column.name ?? '?column?';

export function rowsShape({ calls, alias, definition, ordinality, outputs }: RowsSource): Shape {
  if (outputs !== undefined) return { names: new Set(outputs), open: undefined };
  const definitions = [definition, ...calls.map((call) => call.definition)];
  const defined = definitions.flatMap((text) => (text === undefined ? [] : definedNames(text)));
  const own = calls.flatMap(({ call }) => OUTPUTS[call.name] ?? []);
  // What `unnest` makes may be rows with further columns, which an alias does not name.
  const isScalar =
    calls.every(({ call }) => call.schema === 'pg_catalog' && call.name !== 'unnest') && own.length === 0;
  const single = calls.length === 1 && alias !== undefined ? [alias] : calls.map(({ call }) => call.name);
  const names = defined.length > 0 ? defined : isScalar ? single : own;
  return { names: new Set(ordinality ? [...names, 'ordinality'] : names), open: undefined };
}

const NAME = /(?:"((?:[^"]|"")*)"|([a-z_][a-z0-9_]*))/;
const DEFINED = new RegExp(`(?:^|, )${NAME.source} (?=pg_catalog)`, 'g');

const unquoted = ([, quoted, plain]: RegExpMatchArray) => quoted?.replaceAll('""', '"') ?? plain ?? '';

/** Names in a column definition as it prints. */
const definedNames = (text: string): string[] => Array.from(text.matchAll(DEFINED), unquoted);

export function valuesShape({ rows }: Values): Shape {
  return orderedShape(rows[0]?.map((_, index) => `column${index + 1}`) ?? []);
}
