/** Finds the tables whose rows belong to tenants: their values are not for everybody. */
import type { TableDescription } from '../../kernel/index.ts';
import { singular } from './entity.ts';
import { plainName } from './names.ts';

const TENANT =
  /(?:^|_)(?:tenants?|tenantid|mandants?|(?:orgs?|organi[sz]ations?|workspaces?)(?:_?(?:id|key|code|uuid|no|slug))?)(?:_|$)/;

/**
 * Names of the tables that are about tenants, have a column of them, or refer to such a table, over any number of
 * others. The database does not say which tables a view shows, so beside such tables every view is one.
 */
export function tenantTables(tables: readonly TableDescription[]): ReadonlySet<string> {
  const isTenant = (name: string) => TENANT.test(plainName(name));
  const found = new Set<string>();
  const stems = new Set<string>();
  const add = ({ name }: TableDescription) => {
    found.add(name.toLowerCase());
    stems.add(singular(plainName(name)));
  };
  const refers = ({ foreignKeys, columns }: TableDescription) =>
    foreignKeys.some(({ table }) => found.has(table.toLowerCase())) ||
    columns.some(({ name }) => {
      const [, stem] = /^(.+)_id$/.exec(plainName(name)) ?? [];
      return stem !== undefined && stems.has(singular(stem));
    });
  for (const table of tables) {
    if (isTenant(table.name) || table.columns.some(({ name }) => isTenant(name))) add(table);
  }
  for (let before = 0; found.size > before; ) {
    before = found.size;
    for (const table of tables) if (table.kind === 'view' || refers(table)) add(table);
  }
  return new Set(tables.map(({ name }) => name).filter((name) => found.has(name.toLowerCase())));
}
