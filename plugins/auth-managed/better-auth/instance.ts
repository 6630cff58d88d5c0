/** Sets up the authentication library for Atlas. Importing it takes some 400 ms. */
import type { AuthContext, BetterAuthOptions } from 'better-auth';
import { betterAuth } from 'better-auth/minimal';
import { admin } from 'better-auth/plugins/admin';
import { adminAc, userAc } from 'better-auth/plugins/admin/access';
import { bearer } from 'better-auth/plugins/bearer';
import { organization } from 'better-auth/plugins/organization';
import { memberAc, adminAc as organizationAdminAc, ownerAc } from 'better-auth/plugins/organization/access';
import { AtlasError, type Logger } from '../../../kernel/index.ts';
import type { Bootstrap } from '../bootstrap.ts';
import type { LibraryExtensionParts, SignInAttempt } from '../hooks.ts';
import { TABLES } from '../migrations.ts';
import type { AuthManagedOptions } from '../options.ts';
import type { Passwords } from '../passwords/password-hashing.ts';
import { MAX_PASSWORD_UNITS } from '../passwords/password-length.ts';
import type { Store } from '../store.ts';
import { knexAdapter } from './adapter.ts';
import { cookieDomain } from './cookie-domain.ts';
import { sessionEnded } from './errors.ts';
import { INVITATION_LIFETIME_S } from './organization-endpoints.ts';
import { COOKIE_CACHE_MS, type SessionCache } from './session-cache.ts';

export const BASE_PATH = '/api/auth';
export const COOKIE_PREFIX = 'authlib';
export const SESSION_COOKIE = `${COOKIE_PREFIX}.session_token`;
/** Set by Atlas on every request that it hands to the library; what a client sends under this name is dropped. */
export const CLIENT_IP_HEADER = 'x-atlas-client-ip';

const DAY_S = 86_400;
/** Limit for one user. */
const MOST_SESSIONS = 5_000;
/** That an extension reads without a limit of its own, such as the members of a group: the library's 100 would cut them off. */
const MOST_ROWS = 10_000;

/** Nothing here calls a social provider after sign-in, so its access tokens are not stored. */
const NO_TOKENS = { accessToken: null, refreshToken: null, idToken: null };

export interface BetterAuthParts {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly sessionCache: SessionCache;
  readonly bootstrap: Bootstrap;
  readonly log: Logger;
  /** Throws for an identity that may not sign in through a social provider. */
  admit(attempt: SignInAttempt): Promise<unknown>;
}

/** The library's own lines are for developers, and some name addresses of users. */
function loggerFor(log: Logger) {
  return {
    log: (level: string, message: string) => {
      const write = level === 'error' ? log.warn : log.debug;
      write.call(log, { detail: message }, 'The authentication library speaks.');
    },
  };
}

function socialProviders({ google, github, microsoft, signUp }: AuthManagedOptions) {
  const disableSignUp = !signUp;
  return {
    ...(google && { google: { ...google, disableSignUp } }),
    ...(github && { github: { ...github, disableSignUp } }),
    ...(microsoft && { microsoft: { ...microsoft, disableSignUp } }),
  };
}

/** The part of the library that is used; its own type spells out every endpoint. */
export interface BetterAuth {
  readonly options: BetterAuthOptions;
  readonly $context: Promise<
    Pick<AuthContext, 'internalAdapter'> & {
      readonly adapter: {
        create(given: { model: string; data: Record<string, unknown> }): Promise<Record<string, unknown>>;
      };
    }
  >;
  handler(request: Request): Promise<Response>;
  readonly api: {
    getSession(asked: {
      headers: Headers;
      query?: { disableCookieCache: boolean };
      returnHeaders: true;
    }): Promise<{ readonly headers: Headers; readonly response: FoundSession | null }>;
  };
}

export interface FoundSession {
  readonly session: { readonly id: string; readonly activeOrganizationId?: string | null | undefined };
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly emailVerified: boolean;
    readonly role?: string | null | undefined;
    readonly banned: boolean | null | undefined;
    readonly banExpires?: Date | null | undefined;
    readonly passwordChangeRequired?: boolean | null | undefined;
    readonly adminByOrganization?: boolean | null | undefined;
  };
}

/** The organization in which a new session begins: the one its user has been in for the longest time. */
export async function firstOrganization(store: Store, userId: string): Promise<string | null> {
  const row = await store.run((db) =>
    db(TABLES.member).where({ userId }).orderBy('createdAt').orderBy('id').first('organizationId'),
  );
  return row?.organizationId ?? null;
}

/** Makes room for a new session, so that repeated sign-ins do not fill the database. */
async function deleteOldSessions(store: Store, userId: string): Promise<void> {
  await store.run((db) => {
    const newest = db(TABLES.session)
      .where({ userId })
      .orderBy('createdAt', 'desc')
      .limit(MOST_SESSIONS - 1);
    return db(TABLES.session).where({ userId }).whereNotIn('id', newest.select('id')).delete();
  });
}

/** What the library is told where `check` refuses: it takes no error, and sends the browser back with a code. */
async function refusalOf(
  check: () => Promise<unknown>,
): Promise<{ error: string; errorDescription: string } | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof AtlasError) return { error: error.libraryCode ?? error.code, errorDescription: error.message };
    throw error;
  }
}

/** Throws `auth_error` where a hook gets nothing: another request has just deleted what was to be changed. */
function existing<T>(changed: T | null): T {
  if (changed === null) throw sessionEnded();
  return changed;
}

/** `extension`: what another plugin adds. */
export function createBetterAuth(
  options: AuthManagedOptions,
  parts: BetterAuthParts,
  extension?: LibraryExtensionParts,
): BetterAuth {
  const { store, passwords, sessionCache, bootstrap, log, admit } = parts;
  const domain = cookieDomain(options.url, options.corsOrigins);
  return betterAuth({
    appName: 'Atlas',
    secret: options.secret,
    // Without a public address nothing of the library's depends on it but the way back from a social provider.
    baseURL: new URL(options.url ?? 'http://localhost').origin,
    basePath: BASE_PATH,
    trustedOrigins: options.trustedOrigins.map((origin) => new URL(origin).origin),
    database: knexAdapter(store, extension?.read),
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: loggerFor(log),
    // What is no refusal of the library's comes out of it as it is, instead of on the console.
    onAPIError: { throw: true },
    user: {
      modelName: TABLES.user,
      validateUserInfo: ({ user: { email, id }, source: { method } }) =>
        method === 'oauth'
          ? refusalOf(() => admit({ by: 'social', email: String(email).toLowerCase(), userId: id }))
          : undefined,
      additionalFields: {
        passwordChangeRequired: { type: 'boolean', required: false, defaultValue: false, input: false },
        adminByOrganization: { type: 'boolean', required: false, defaultValue: false, input: false },
      },
    },
    session: {
      modelName: TABLES.session,
      expiresIn: 7 * DAY_S,
      updateAge: DAY_S,
      cookieCache: {
        enabled: true,
        maxAge: COOKIE_CACHE_MS / 1_000,
        version: (_session, user) => sessionCache.versionOf(user.id, store.calledAtMs),
      },
    },
    account: {
      modelName: TABLES.account,
      // Encrypted in a cookie of the browser that signs in: nothing to read, or to fill up, in the database.
      storeStateStrategy: 'cookie',
    },
    verification: { modelName: TABLES.verification, storeIdentifier: 'hashed' },
    emailAndPassword: {
      enabled: true,
      disableSignUp: !options.signUp,
      autoSignIn: options.signInAfterSignUp,
      // The length is checked by the route; the library would count UTF-16 units.
      minPasswordLength: 1,
      maxPasswordLength: MAX_PASSWORD_UNITS,
      password: {
        hash: async (password) => store.preparedHash ?? store.noting(() => passwords.hash(password, store.turn)),
        verify: async ({ hash, password }) => {
          const matches = await store.noting(() => passwords.verify(hash, password, store.turn));
          if (matches) store.verified(hash);
          return matches;
        },
      },
      customSyntheticUser: ({ coreFields, id }) => ({
        ...coreFields,
        role: bootstrap.roleByEmail(coreFields.email),
        banned: false,
        banReason: null,
        banExpires: null,
        passwordChangeRequired: false,
        adminByOrganization: false,
        id,
      }),
    },
    socialProviders: socialProviders(options),
    databaseHooks: {
      user: {
        create: {
          before: async ({ email }) => ({
            data: { role: store.newUserRole ?? (await bootstrap.roleOfNewUser(email)) },
          }),
        },
        update: { after: (user) => store.noting(async () => sessionCache.invalidate(existing(user).id)) },
      },
      account: {
        create: { before: async () => ({ data: NO_TOKENS }) },
        update: { before: async () => ({ data: NO_TOKENS }) },
      },
      session: {
        create: {
          before: async ({ userId }) => {
            await deleteOldSessions(store, userId);
            return { data: { activeOrganizationId: await firstOrganization(store, userId) } };
          },
        },
        update: {
          // The library clears it when it refuses a foreign organization; members who leave are moved on by Atlas.
          before: async ({ activeOrganizationId }) => activeOrganizationId !== null,
          after: (session) => store.noting(async () => sessionCache.invalidate(existing(session).userId)),
        },
        delete: { after: async ({ userId }) => sessionCache.invalidate(userId) },
      },
    },
    plugins: [
      bearer(),
      admin({
        defaultRole: 'analyst',
        adminRoles: ['admin'],
        roles: { admin: adminAc, analyst: userAc, viewer: userAc },
      }),
      organization({
        // A new organization would be a way out of the rules of the one that a user belongs to.
        allowUserToCreateOrganization: (user) => user.role === 'admin',
        // A function, as the library would take a number for the length of its lists, too.
        membershipLimit: async () => Infinity,
        invitationExpiresIn: INVITATION_LIFETIME_S,
        roles: {
          owner: ownerAc,
          admin: organizationAdminAc,
          analyst: memberAc,
          viewer: memberAc,
          member: memberAc,
        },
        schema: {
          organization: { modelName: TABLES.organization },
          member: { modelName: TABLES.member },
          invitation: { modelName: TABLES.invitation },
        },
      }),
      ...(extension?.plugins ?? []),
    ],
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      ...(extension !== undefined && { database: { defaultFindManyLimit: MOST_ROWS } }),
      ...(extension?.cookies !== undefined && { cookies: extension.cookies }),
      // The prefix `__Secure-` would change the documented name of the cookie; the attribute is set all the same.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: options.url?.startsWith('https:') === true },
      ...(domain !== undefined && { crossSubDomainCookies: { enabled: true, domain } }),
      ipAddress: { ipAddressHeaders: [CLIENT_IP_HEADER] },
      // Origins of requests are checked for every route of Atlas in one place; addresses to return to are checked here.
      disableCSRFCheck: true,
      disableOriginCheck: false,
    },
  });
}
