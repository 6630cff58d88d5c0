/** Builds the SELECTs that prove something by being read: they stand in WITH, and nothing makes them run. */
import { Level } from '../../ast/precedence.ts';
import type { From, NamedColumn, Select } from '../../ast/tree.ts';
import type { Readable } from './column-lists.ts';

/** A name that no table and no column has. */
export const UNUSED_NAME = '?';

/** `SELECT names FROM table`: without the table before them, the names can only be columns. */
export function readingOf(source: Readable, names: ReadonlySet<string>): Select {
  const { at } = source;
  const columns = Array.from(names, (name) => ({
    kind: 'column' as const,
    expr: { kind: 'name' as const, at, schema: undefined, table: undefined, name },
    alias: undefined,
    text: undefined,
  }));
  const from = {
    first: { ...source, alias: UNUSED_NAME, ...(source.kind === 'subquery' && { lateral: false }) },
    joins: [],
  };
  return plainSelect(at, columns, from);
}

/** `SELECT enum_first(NULL::type)`: there is no such function for a type that is not an enumeration. */
export function castingTo(enumerations: ReadonlySet<string>, at: number): Select {
  const columns = Array.from(enumerations, (name) => {
    const parts = [`pg_catalog.enum_first(NULL::${name})`];
    const expr = { kind: 'form' as const, at, level: Level.primary, parts };
    return { kind: 'column' as const, expr, alias: undefined, text: undefined };
  });
  return plainSelect(at, columns, undefined);
}

function plainSelect(at: number, columns: readonly NamedColumn[], from: From | undefined): Select {
  const nothing = { groupBy: [], having: undefined, windows: [], where: undefined, distinct: false };
  const first = { kind: 'core' as const, at, columns, from, ...nothing };
  const rest = { with: undefined, rest: [], orderBy: [], limit: undefined, offset: undefined };
  return { kind: 'select', at, first, ...rest };
}
