/** Declares the nodes of the tree that hold no other nodes. */
import type { Scope } from '../../../kernel/index.ts';

/** A value that is known only when the statement runs; it is bound, never part of the text. */
export interface BoundValue {
  /** Throws an `AtlasError` when the actor has no such value. */
  valueFor(scope: Scope): unknown;
}

/** `BY NAME` is DuckDB's. */
export type SetOperator =
  | 'UNION'
  | 'UNION ALL'
  | 'UNION BY NAME'
  | 'UNION ALL BY NAME'
  | 'INTERSECT'
  | 'INTERSECT ALL'
  | 'EXCEPT'
  | 'EXCEPT ALL';

/** A column that `*` stands for. */
export interface StarName {
  readonly table?: string;
  readonly name: string;
}

/** A relation by name: a table, a view or a common table. Row security replaces it by what may be seen of it. */
export interface TableSource {
  readonly kind: 'table';
  readonly at: number;
  readonly schema: string | undefined;
  readonly name: string;
  readonly alias: string | undefined;
  /** Index to use; `null` forbids every index. */
  readonly index: string | null | undefined;
  /** New names of the first columns: `AS alias (a, b)`. */
  readonly columns?: readonly string[];
  /** Without the tables that inherit from it. */
  readonly only?: boolean;
  /** `TABLESAMPLE …`, in its canonical spelling. */
  readonly sample?: string;
  /** `USE INDEX (a, b)` and the like, of MySQL. */
  readonly indexHints?: readonly { readonly words: string; readonly names: readonly string[] }[];
}

export interface PrintedSelect {
  readonly texts: readonly string[];
  readonly params: readonly BoundValue[];
}

/** `constant`: NULL, TRUE, FALSE, CURRENT_DATE and the like. */
export interface Literal {
  readonly kind: 'string' | 'number' | 'blob' | 'constant';
  readonly at: number;
  readonly value: string;
}

export interface ColumnRef {
  readonly kind: 'name';
  readonly at: number;
  schema: string | undefined;
  table: string | undefined;
  readonly name: string;
  /** A value to bind in the column's place. Only conditions on rows have them, never a statement. */
  bound?: BoundValue;
}
