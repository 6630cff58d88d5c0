/** Narrows the tables to those of an organization. */
import type { ProtectsTable } from '../semantic-layer/index.ts';
import { fold } from '../sql-kit/index.ts';
import { AllowedTables } from './allowed-tables.ts';

/** Names of tables, `name` or `schema.name`, by organization; `*` stands for those that are not listed. */
export type OrganizationLists = Readonly<Record<string, readonly string[]>>;

const OTHERS = '*';

/**
 * Whether a table is missing in the list of the organization whose layer it is in, or in one of all lists where the layer
 * is shared; also where a list has it by another name than the layer.
 */
export function isUnlisted(lists: OrganizationLists): ProtectsTable {
  const named = new Map(
    Object.entries({ [OTHERS]: [], ...lists }).map(([id, names]) => [id, new Set(names.map(fold))]),
  );
  return ({ schema, table }, orgId) => {
    const name = fold(schema === undefined ? table : `${schema}.${table}`);
    const readers = orgId === null ? [...named.values()] : [named.get(orgId) ?? named.get(OTHERS)];
    return !readers.every((list) => list?.has(name));
  };
}

/** Narrows the tables that may be read to those that an organization's own list names. */
export class OrganizationTables {
  readonly #lists: ReadonlyMap<string, readonly string[]> | undefined;
  readonly #kept = new WeakMap<AllowedTables, Map<string, AllowedTables>>();

  /** Without lists every organization may read every table. */
  constructor(lists: OrganizationLists | undefined) {
    this.#lists = lists === undefined ? undefined : new Map(Object.entries(lists));
  }

  /** One and the same object for one list, as checked statements are kept by it. `null`: no organization. */
  of(tables: AllowedTables, orgId: string | null): AllowedTables {
    if (this.#lists === undefined) return tables;
    const list = orgId !== null && this.#lists.has(orgId) ? orgId : OTHERS;
    let byList = this.#kept.get(tables);
    if (byList === undefined) {
      byList = new Map();
      this.#kept.set(tables, byList);
    }
    let own = byList.get(list);
    if (own === undefined) {
      const named = new Set((this.#lists.get(list) ?? []).map((name) => tables.named(name)));
      own = new AllowedTables(
        tables.tables.filter((table) => named.has(table)),
        tables.dialect,
      );
      byList.set(list, own);
    }
    return own;
  }
}
