/** Finds the tables whose rows belong to tenants, so that their values are not shown to other tenants. */
import type { TableDescription } from '../../kernel/index.ts';
import { plainName, singular } from './names.ts';

const TENANT =
  /(?:^|_)(?:tenants?|tenantid|mandants?|(?:orgs?|organi[sz]ations?|workspaces?)(?:_?(?:id|key|code|uuid|no|slug))?)(?:_|$)/;

/**
 * Names of the tables of tenants, with a tenant column, or that refer to such a table directly or indirectly. The
 * database does not say which tables a view reads, so when there are such tables every view counts as one.
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
