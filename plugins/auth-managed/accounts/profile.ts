/** Reads what a user is told about themselves: address, name, and the organizations to which they belong. */
import type { Actor } from '../../../kernel/index.ts';
import { TABLES } from '../migrations.ts';
import { MANAGED_MODE } from '../mode.ts';
import type { Store } from '../store.ts';

export interface Profile {
  readonly email: string;
  readonly name: string;
  /** By name. */
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
}

/** `undefined` for an actor who is no user, such as an API key. */
export async function profileOf(store: Store, { id, mode }: Actor): Promise<Profile | undefined> {
  if (mode !== MANAGED_MODE.name) return undefined;
  const { user, member, organization } = TABLES;
  const row = await store.run((db) => db(user).where({ id }).first('email', 'name'));
  if (row === undefined) return undefined;
  const organizations = await store.run((db) =>
    db(member)
      .join(organization, `${organization}.id`, `${member}.organizationId`)
      .where(`${member}.userId`, id)
      .orderBy([`${organization}.name`, `${organization}.id`])
      .select(`${organization}.id`, `${organization}.name`),
  );
  return { email: row.email, name: row.name, organizations };
}
