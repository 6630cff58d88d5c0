/** What the differential proof needs of an engine: a further one is one more object of this shape. */
import type { DbType, TableDescription } from '../../kernel/index.ts';
import type { CheckedSql } from '../../plugins/sql-guard/index.ts';

export type FuzzType = 'int' | 'real' | 'text';

/** What of standard SQL an engine may not have. */
export type FuzzForm =
  | 'FILTER'
  | 'FULL JOIN'
  | 'NULLS LAST'
  | 'outer columns'
  | 'outer columns in FROM'
  | 'conditions of joins'
  | 'joins in parentheses'
  | 'borrowed aliases'
  | 'UNION in recursion'
  | 'ORDER BY of a whole UNION'
  | 'OFFSET of DISTINCT'
  | 'subquery IN subquery'
  | 'HAVING of one group';

/** How the engine writes what the generator means. */
export interface FuzzDialect {
  readonly dbType: DbType;
  readonly schema: string;
  readonly types: Readonly<Record<FuzzType, string>>;
  /** Types that a tenant column may have besides. */
  readonly tenantTypes: Readonly<Record<'int' | 'text', readonly string[]>>;
  /** A name means the same in any letter case. */
  readonly ignoresCase: boolean;
  /** INTERSECT ALL and EXCEPT ALL. */
  readonly hasSetAll: boolean;
  readonly hasLateral: boolean;
  /** `x IN table`. */
  readonly hasInTable: boolean;
  /** `x = ANY (SELECT …)`. */
  readonly hasQuantified: boolean;
  /** DuckDB's own forms: FROM first, SEMI and ANTI joins, `* EXCLUDE`, COLUMNS, QUALIFY, GROUP BY ALL and such. */
  readonly isFriendly?: boolean;
  /** Names without quotes are of plain letters. */
  readonly hasPlainNames?: boolean;
  /** A value that is not made of a column is never NULL, so that `lag` of it gives another one for no row. */
  readonly hasNotNull?: boolean;
  readonly lacks?: ReadonlySet<FuzzForm>;
  /** The types as CAST names them, where that is not as CREATE TABLE does. */
  readonly casts?: Readonly<Record<FuzzType, string>>;
  /** Tenants besides, which the engine's own comparisons may take for others. */
  readonly tenants?: readonly string[];
  /** Whether an error is one of the engine itself, whatever the statement: then there is nothing to compare. */
  isOwnFault?(error: string): boolean;
  quote(name: string): string;
  /** `a || b`, where that is written in another way. */
  joined?(a: string, b: string): string;
  /** `a IS DISTINCT FROM b`, where that is written in another way. */
  distinct?(a: string, b: string): string;
  /** A source of FROM with these rows and columns, where `(VALUES …)` has other names for them. */
  listedRows?(rows: string, columns: readonly string[]): string;
  /** Texts that a relation's whole row can be turned into, given its name and its columns. */
  wholeRow(relation: string, columns: readonly string[]): readonly string[];
  /** An aggregate that lists values in their own order, as text. */
  listed(value: string, order: string): string;
}

export interface FuzzResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

export interface FuzzDatabase {
  describe(): Promise<readonly TableDescription[]>;
  /** Runs a statement as it stands. */
  query(sql: string): Promise<FuzzResult>;
  /** Has the statements of `work` run with the simplest of plans, where the usual ones are known to be wrong at times. */
  plainly?<T>(work: () => Promise<T>): Promise<T>;
  /** Runs what the guard let pass, as the datasource would. */
  run(checked: CheckedSql, params: readonly unknown[]): Promise<FuzzResult>;
  close(): Promise<void>;
}

export interface FuzzEngine {
  readonly dialect: FuzzDialect;
  /** A new, empty database in which `script` has run. */
  open(script: string): Promise<FuzzDatabase>;
  close(): Promise<void>;
}
