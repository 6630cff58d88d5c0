/** Defines the hook by which plugins say what their tables hold. */
import { collect } from '../../kernel/index.ts';

/** A table of the internal database. */
export interface StoredTable {
  readonly table: string;
  /** True: of use only to the servers that run now, such as sessions and leases. Others hold data, which archives have. */
  readonly isTransient?: boolean;
  /** True: its triggers fill transient tables, so they run for imported rows, too. Those of other tables do not. */
  readonly runsTriggers?: boolean;
  /** Columns with texts that hold secrets as `InternalDb.secrets` encrypts them. */
  readonly sealed?: readonly string[];
}

/** A tap lists the tables of its plugin, those that others refer to first. */
export const storeTables = collect<undefined, StoredTable>('store.tables', {
  summary: "What a plugin's tables in the internal database hold, for archives of all data.",
});
