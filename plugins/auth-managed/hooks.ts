/** Declares the hooks by which other plugins take part in changes of users and organizations, and in sign-in. */
import type { BetterAuthOptions, BetterAuthPlugin } from 'better-auth';
import type { Knex } from 'knex';
import { collect, type RouteReply, type RouteRequest, type Scope, series } from '../../kernel/index.ts';
import type { Endpoint } from './better-auth/endpoint.ts';

export interface UserDeletion {
  readonly userId: string;
  /** Who deletes the user. */
  readonly actorId: string | null;
}

/** Before a user is deleted. A tap deletes or hands over what its plugin keeps of the user; it may run twice. */
export const userDelete = series<UserDeletion>('user.delete', {
  summary: 'Deletes or hands over the data of a user who is about to be deleted; an error keeps the user.',
});

/** An identity that is about to sign in, to be linked to a user, or to become one. */
export interface SignInAttempt {
  /** `password`: also sign-up with one, and its change. `social`: through a provider of the configuration. */
  readonly by: 'password' | 'social';
  /** Lower case. */
  readonly email: string;
  /** `undefined` where it is not known yet which user it is, or whether there is one. */
  readonly userId?: string | undefined;
}

export const signInBefore = series<SignInAttempt>('sign-in.before', {
  summary: 'Refuses a sign-in or sign-up by password or social provider before it is made.',
});

/** What an extension may do with users and sessions, on the transaction of the call into the library if one is open. */
export interface LibraryHost {
  run<T>(work: (db: Knex) => PromiseLike<T>): Promise<T>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Within a transaction: until its end nobody else changes who administers an organization. */
  lockAdministrators(): Promise<void>;
  /** Moves the user's sessions into an organization to which the user belongs. */
  settle(userId: string): Promise<void>;
  /** Ends the user's sessions, those that browsers cache too. */
  endSessions(userId: string): Promise<void>;
  /** Makes what browsers cache of the user's sessions worthless. */
  invalidate(userId: string): void;
  /** Loads what serves the endpoints of the extension, so that the first request does not wait for it. */
  load(extension: LibraryExtension): Promise<void>;
}

/** Plugins of the authentication library, with what they need of Atlas. */
export interface LibraryExtensionParts {
  readonly plugins: readonly BetterAuthPlugin[];
  /** Attributes of cookies, by the library's names for these. */
  readonly cookies?: NonNullable<BetterAuthOptions['advanced']>['cookies'];
  /** A row of a table as the library gets it, such as with its secrets decrypted. */
  read(table: string, row: Record<string, unknown>): Promise<Record<string, unknown>>;
}

/** Hands a request to the library, changed or as it came. */
export type AskLibrary = (request: RouteRequest) => Promise<RouteReply>;

export interface ExtensionEndpoint extends Endpoint {
  /** Default: the request goes to the library as it is. */
  handle?(request: RouteRequest, scope: Scope, ask: AskLibrary): Promise<RouteReply>;
}

export interface LibraryExtension {
  readonly endpoints: readonly ExtensionEndpoint[];
  /** Called once: at the first request of one of the endpoints, or by `LibraryHost.load`. */
  load(host: LibraryHost): Promise<LibraryExtensionParts>;
}

export const authExtend = collect<undefined, LibraryExtension>('auth.extend', {
  summary: 'Further endpoints of the authentication library below /api/auth, such as single sign-on.',
});

export interface UserChange {
  readonly userId: string;
  /**
   * What is about to be done by hand: by an administrator, or, of the address (`email`), by the user. `remove`: take the
   * user out of the organization.
   */
  readonly change: 'role' | 'ban' | 'unban' | 'remove' | 'delete' | 'email';
  /** The active organization; `null`: the user belongs to none. */
  readonly orgId: string | null;
  readonly actorId: string | null;
}

/** Before a user is changed by hand. A tap that throws keeps the user as they are. */
export const userChange = series<UserChange>('user.change', {
  summary: 'Refuses to have a user changed by hand, such as one whom an identity provider manages.',
});

export interface OrganizationDeletion {
  readonly orgId: string;
  /** Who deletes the organization. */
  readonly actorId: string | null;
}

/** Before an organization is deleted. A tap deletes what its plugin keeps of it; it may run twice. */
export const organizationDelete = series<OrganizationDeletion>('organization.delete', {
  summary: 'Deletes the data of an organization that is about to be deleted; an error keeps the organization.',
});

type Call<P> = (payload: P, scope: Scope) => PromiseLike<unknown> | undefined;

/** Calls the hooks. */
export interface AccountHooks {
  readonly userChange: Call<UserChange>;
  readonly userDelete: Call<UserDeletion>;
  readonly organizationDelete: Call<OrganizationDeletion>;
}
