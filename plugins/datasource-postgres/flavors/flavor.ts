/** Declares what differs between the engines that speak PostgreSQL's protocol: one value for each engine. */
import type { TableDescription } from '../../../kernel/index.ts';
import type { PostgresCommand, ViewDefinition } from '../../datasource-kit/index.ts';
import type { SqlDialect } from '../../sql-kit/index.ts';
import type { Query } from '../query.ts';

export interface Flavor {
  /** As the option names it. */
  readonly name: string;
  /** What may be read and called; its name is the `dbType` of the connections. */
  readonly dialect: SqlDialect;
  /** Schemes of URLs that mean this engine, and the port where such a URL names none. */
  readonly schemes: readonly string[];
  readonly port: number;
  /** Whether the server says at the connect that it is this engine. */
  readonly announces?: (parameters: ReadonlyMap<string, string>) => boolean;

  // ── one statement ───────────────────────────────────────────────────────────────────────────────────────────────

  readonly begin: PostgresCommand;
  /** Sets what holds for the transaction. `schema`: of tables that are named without one. */
  settings(schema: string, timeoutMs: number): readonly PostgresCommand[];
  /** Makes the session as new. */
  readonly discard: PostgresCommand;
  /** It has to come by itself, in a round trip of its own. */
  readonly discardsAlone?: boolean;
  /** Time after which a statement that goes on is cancelled again. */
  readonly cancelAgainMs: number;
  /** Whether types that are met for the first time are looked up in the catalogue; otherwise they stay texts. */
  readonly looksUpTypes: boolean;

  // ── catalogues ──────────────────────────────────────────────────────────────────────────────────────────────────

  describe(query: Query, withUnreadable: boolean | undefined): Promise<TableDescription[]>;
  views(query: Query): Promise<ViewDefinition[]>;
  /** What the login may do beyond reading. `schema`: of tables that are named without one. */
  warnings(query: Query, schema: string): Promise<string[]>;
  /** Rows that a statement would read; `undefined`: it cannot tell. */
  estimate(query: Query, sql: string, params: readonly unknown[]): Promise<number | undefined>;
}
