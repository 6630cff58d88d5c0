/** Shows rows of the database as the API answers them: a schema says which columns, in snake case, and of what type. */
import type { Static, TObject, TSchema } from '@sinclair/typebox';

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** SQLite has 0 and 1 for booleans; lists and objects are stored as JSON. */
type Stored<Value> = Value extends boolean ? boolean | number : Value extends object ? string : Value;

/** The row whose columns hold the fields of `Shown`. */
export type RowOf<Shown> = { readonly [Name in keyof Shown & string as SnakeCase<Name>]: Stored<Shown[Name]> };

const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const READ: Readonly<Record<string, (value: never) => unknown>> = {
  boolean: Boolean,
  // PostgreSQL gives large integers as texts.
  integer: Number,
  number: Number,
  array: JSON.parse,
  object: JSON.parse,
};

function readerOf({ type, anyOf }: TSchema): (value: unknown) => unknown {
  const read = READ[type ?? anyOf?.[0]?.type];
  return (value) => (value == null || read === undefined ? value : read(value as never));
}

/** The columns of the fields, in their order. */
export const columnsOf = ({ properties }: TObject): string[] => Object.keys(properties).map(columnOf);

/** Returns what shows of a row the fields of `schema`, and nothing else of it. */
export function shownBy<Schema extends TObject>(
  schema: Schema,
): (row: { readonly [Column in keyof RowOf<Static<Schema>>]: unknown }) => Static<Schema> {
  const fields = Object.entries(schema.properties).map(
    ([name, field]) => [name, columnOf(name), readerOf(field)] as const,
  );
  return (row) => {
    const columns = row as Readonly<Record<string, unknown>>;
    return Object.fromEntries(fields.map(([name, column, read]) => [name, read(columns[column])])) as Static<Schema>;
  };
}
