/** Declares the API of the plugin. */
import type { Actor } from '../../kernel/index.ts';
import type { AccountPassword } from './accounts/account-password.ts';
import type { Invitations } from './accounts/invitations.ts';
import type { Profile } from './accounts/profile.ts';
import type { Roles } from './accounts/roles.ts';
import type { Users } from './accounts/users.ts';
import type { LibraryHost } from './hooks.ts';

/** What the plugin gives to others. */
export interface AuthManaged {
  readonly users: Users;
  readonly roles: Roles;
  readonly invitations: Invitations;
  readonly password: AccountPassword;
  /** `undefined` for an actor who is no user, such as an API key. */
  profile(actor: Actor): Promise<Profile | undefined>;
  /** For plugins that change users in transactions of their own. */
  readonly host: LibraryHost;
  /** Public address of the API. */
  readonly url: string | undefined;
}
