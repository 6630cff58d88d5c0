/** What the differential proof needs of an engine: a further one is one more object of this shape. */
import type { DbType, TableDescription } from '../../kernel/index.ts';
import type { CheckedSql } from '../../plugins/sql-guard/check.ts';

export type FuzzType = 'int' | 'real' | 'text';

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
  quote(name: string): string;
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
