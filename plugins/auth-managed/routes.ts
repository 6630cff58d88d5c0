/** The library's endpoints as routes of Atlas: our checks before, our errors after. */
import type { Knex } from 'knex';
import {
  type Access,
  type Actor,
  AtlasError,
  type Route,
  type RouteReply,
  type RouteRequest,
  type Scope,
} from '../../kernel/index.ts';
import { GET_SESSION } from './accounts/account-password.ts';
import { identityOf } from './accounts/identity.ts';
import type { OrganizationAccess } from './accounts/organization-access.ts';
import type { OrganizationChanges } from './accounts/organization-changes.ts';
import type { Organizations } from './accounts/organizations.ts';
import type { Origins } from './accounts/request-origins.ts';
import { standingOf } from './accounts/standing.ts';
import { accountEndpoints } from './better-auth/account-endpoints.ts';
import type { Endpoint } from './better-auth/endpoint.ts';
import { betterAuthError, databaseFailure, sessionEnded, wrongPassword } from './better-auth/errors.ts';
import { BASE_PATH, type BetterAuth, type FoundSession, SESSION_COOKIE } from './better-auth/instance.ts';
import { organizationEndpoints } from './better-auth/organization-endpoints.ts';
import { checkAddresses, libraryRequest } from './better-auth/request.ts';
import type { SessionCache } from './better-auth/session-cache.ts';
import { hashedToken } from './better-auth/session-token.ts';
import type { Bootstrap } from './bootstrap.ts';
import type { AccountHooks, AskLibrary, LibraryExtension, SignInAttempt } from './hooks.ts';
import { TABLES } from './migrations.ts';
import type { HashTurn, Passwords } from './passwords/password-hashing.ts';
import { hasPasswordLength, PASSWORD_LENGTH_RULE } from './passwords/password-length.ts';
import type { Throttle } from './passwords/throttle.ts';
import type { CallInit, Store } from './store.ts';

export interface LibraryRoutesInit {
  readonly library: BetterAuth;
  readonly store: Store;
  readonly origins: Origins;
  /** Counts failed sign-ins. */
  readonly throttle: Throttle;
  /** Counts all sign-ups. */
  readonly signUps: Throttle;
  readonly bootstrap: Bootstrap;
  readonly passwords: Passwords;
  readonly access: OrganizationAccess;
  readonly organizations: Organizations;
  readonly sessionCache: SessionCache;
  readonly hooks: AccountHooks;
  readonly organizationChanges: OrganizationChanges;
  /** Whether a social provider is configured. */
  readonly social: boolean;
  readonly signUp: boolean;
  /** Throws for who may not sign in this way. */
  admit(attempt: SignInAttempt): Promise<unknown>;
  /** Throws for who may not do it. */
  authorize(access: Access, scope: Scope): Promise<unknown>;
  readonly extensions: readonly LibraryExtension[];
  /** The library that serves an extension. */
  open(extension: LibraryExtension): Promise<BetterAuth>;
}

/** What of the library's answer reaches the client, beside its cookies. */
const PASSED_BACK = ['location', 'content-location', 'pragma', 'set-auth-token', 'www-authenticate', 'content-type'];

/** Hundreds of requests may wait for a password to be hashed, and each keeps its body. */
const BODY_LIMIT_BYTES = 65_536;
/** Limit for signed documents, and for groups with all their members. */
const LARGE_LIMIT_BYTES = 524_288;

interface SignUpBody {
  readonly email: string;
  readonly password: string;
}

export class BetterAuthRoutes {
  readonly #init: LibraryRoutesInit;

  constructor(init: LibraryRoutesInit) {
    this.#init = init;
  }

  routes(): Route[] {
    const { social, extensions, open } = this.#init;
    const mounted = [...accountEndpoints, ...organizationEndpoints].filter((endpoint) => social || !endpoint.social);
    return [
      ...mounted.map((endpoint) => this.#route(endpoint, (request, scope) => this.#handle(endpoint, request, scope))),
      ...extensions.flatMap((extension) =>
        extension.endpoints.map((endpoint) => {
          const init = { newUserRole: endpoint.newUserRole };
          const ask: AskLibrary = async (request) => this.#ask(endpoint, request, init, await open(extension));
          return this.#route(endpoint, (request, scope) => endpoint.handle?.(request, scope, ask) ?? ask(request));
        }),
      ),
    ];
  }

  #route(endpoint: Endpoint, handle: (request: RouteRequest, scope: Scope) => Promise<RouteReply>): Route {
    const { method, path, summary, right, area, params, query, body, reply, status = 200, errors = [] } = endpoint;
    const refuses = method !== 'GET' || right !== 'public';
    return {
      method,
      path: BASE_PATH + path,
      operationId: operationIdOf(endpoint),
      summary,
      tag: path.startsWith('/organization/') ? 'Organizations' : 'Sign-in',
      right,
      ...(area !== undefined && { area }),
      ...(params !== undefined && { params }),
      ...(query !== undefined && { query }),
      ...(body !== undefined && { body }),
      bodyLimitBytes: endpoint.isForm === true || endpoint.isProtocol === true ? LARGE_LIMIT_BYTES : BODY_LIMIT_BYTES,
      ...(endpoint.isForm === true && { rawBody: 'form' as const }),
      responses: { [status]: reply },
      errors: refuses ? ['forbidden', ...errors] : errors,
      handle: async (request, scope) => {
        // Also without a cookie: a foreign page must not sign its visitors in as another user.
        if (request.headers.authorization === undefined && endpoint.crossSite !== true) {
          this.#init.origins.check(method, request.headers);
        }
        if (right !== 'public') mustHaveSession(scope.actor);
        checkAddresses(request.body);
        return handle(request, scope);
      },
    };
  }

  async #handle(endpoint: Endpoint, request: RouteRequest, scope: Scope): Promise<RouteReply> {
    const { access, organizations, organizationChanges, hooks } = this.#init;
    if (endpoint.path === '/sign-in/email') return this.#signIn(endpoint, request, scope);
    if (endpoint.path === '/sign-up/email') return this.#signUp(endpoint, request, scope);
    if (endpoint.path === '/revoke-session') {
      const { token } = request.body as { token: string };
      return this.#revoke(scope.actor, (sessions) => sessions.whereIn('token', [token, hashedToken(token)]));
    }
    if (endpoint.path === '/revoke-other-sessions') {
      return this.#revoke(scope.actor, (sessions) => sessions.whereNot({ id: String(scope.actor.claims.sid) }));
    }
    // With what other servers are told of it.
    if (endpoint.path === '/sign-out') return this.#init.store.transaction(() => this.#ask(endpoint, request));
    if (endpoint.path === '/get-session') return this.#session(await this.#ask(endpoint, request), request, scope);
    const isOrganization = endpoint.path.startsWith('/organization/');
    if (isOrganization) await access.enter(endpoint, request, scope);
    if (endpoint.path === '/organization/delete') {
      const { organizationId: orgId } = request.body as { organizationId: string };
      const actorId = scope.actor.id ?? '';
      // All others are refused by the library, and must not cost the organization its data.
      if (await organizations.isOwner(actorId, orgId)) await hooks.organizationDelete({ orgId, actorId }, scope);
    }
    const ask = () => this.#ask(endpoint, request);
    const reply = await organizationChanges.run(endpoint.path, request.body, scope, ask);
    if (endpoint.changesMembers === 'own') await organizations.settleMembers(scope.actor.id ?? '');
    if (endpoint.changesMembers === 'all') await organizations.settleMembers();
    return isOrganization ? access.shown(endpoint, reply, scope) : reply;
  }

  /** With the role that counts in the active organization. The route is public, so authorization comes here. */
  async #session(reply: RouteReply, { ip }: RouteRequest, scope: Scope): Promise<RouteReply> {
    const current = reply.body as Pick<FoundSession, 'session' | 'user'> | null;
    if (current === null) return reply;
    const { session, user } = current;
    const orgId = session.activeOrganizationId ?? null;
    const standing = await this.#init.store.run((db) => standingOf(db, orgId, user));
    scope.identify(identityOf(user, standing, orgId, session.id).actor, orgId);
    await this.#init.authorize({ right: 'self', operation: GET_SESSION, ip }, scope);
    const { role } = standing;
    return { ...reply, body: { session, user: { ...user, role } } };
  }

  async #signIn(endpoint: Endpoint, request: RouteRequest, { signal }: Scope): Promise<RouteReply> {
    const { email } = request.body as SignUpBody;
    await this.#init.admit({ by: 'password', email: email.toLowerCase() });
    const attempt = await this.#init.throttle.begin(email, request.ip);
    const turn: HashTurn = { kind: attempt.familiar ? 'member' : 'sign-in', key: attempt.key, signal };
    try {
      const call: CallInit = { turn };
      const reply = await this.#ask(endpoint, request, call);
      await this.#checkSignIn(reply, call);
      await attempt.succeeded();
      return reply;
    } catch (error) {
      if (!(error instanceof AtlasError && error.code === 'auth_error')) await attempt.undone();
      throw error;
    }
  }

  /**
   * What was true when the password was looked up may have changed while it waited to be hashed. Ends the session and
   * throws where the password has been changed since, or may not be used any more; leaves an organization that the user has left.
   */
  async #checkSignIn({ body }: RouteReply, { verifiedHash: password = '' }: CallInit): Promise<void> {
    const { store, organizations } = this.#init;
    const { token, user } = body as { token: string; user: { id: string; email: string } };
    const { id: userId, email } = user;
    // Locked, so that a change that is just being made ends this session too, or is seen here.
    const current = await store.transaction(() =>
      store.run((db) => db(TABLES.account).where({ userId, password }).forUpdate().first('id')),
    );
    try {
      if (current === undefined) throw wrongPassword();
      await this.#init.admit({ by: 'password', email, userId });
    } catch (error) {
      await store.run((db) =>
        db(TABLES.session)
          .where({ token: hashedToken(token) })
          .delete(),
      );
      throw error;
    }
    await organizations.settleMembers(userId);
  }

  async #signUp(endpoint: Endpoint, request: RouteRequest, { signal }: Scope): Promise<RouteReply> {
    const { passwords, signUp, signUps, bootstrap, throttle } = this.#init;
    const { email, password } = request.body as SignUpBody;
    // Without it the library refuses, and there is nothing to count.
    if (!signUp) return this.#ask(endpoint, request);
    checkNewPassword(password);
    await this.#init.admit({ by: 'password', email: email.toLowerCase() });
    const attempt = await signUps.begin(email, request.ip);
    const turn: HashTurn = { kind: 'sign-up', key: attempt.key, signal };
    let passwordHash: string;
    try {
      // The library hashes in its transaction, which would keep a connection, on SQLite the only one, for as long.
      passwordHash = await passwords.hash(password, turn);
    } catch (error) {
      await attempt.undone();
      throw error;
    }
    await bootstrap.makeWay(email, turn);
    const ask = () => this.#ask(endpoint, request, { passwordHash });
    const reply = await ask().catch((error: unknown) => {
      // Another request has just taken the address: the second time it is answered like any taken one.
      if (!(error instanceof AtlasError && error.reason === 'E_FAILED_TO_CREATE_USER')) throw error;
      return ask();
    });
    // For an address that is taken, the library makes up a user, who must not be remembered.
    if (await this.#exists(reply)) await throttle.recognise(email, request.ip);
    return reply;
  }

  async #exists({ body }: RouteReply): Promise<boolean> {
    const { id } = (body as { user: { id: string } }).user;
    return (await this.#init.store.run((db) => db(TABLES.user).where({ id }).first('id'))) !== undefined;
  }

  /**
   * Ends sessions of the user; the library would look for the tokens that it lists, which are stored as hashes. Asks the
   * database whether the actor's own has not ended meanwhile.
   */
  async #revoke({ id, claims }: Actor, which: (sessions: Knex.QueryBuilder) => Knex.QueryBuilder): Promise<RouteReply> {
    const { store, sessionCache } = this.#init;
    const own = { id: String(claims.sid), userId: id };
    if ((await store.run((db) => db(TABLES.session).where(own).first('id'))) === undefined) throw sessionEnded();
    await store.transaction(async () => {
      await store.run((db) => which(db(TABLES.session).where({ userId: id })).delete());
      sessionCache.invalidate(id ?? '');
    });
    return { headers: { 'cache-control': 'no-store' }, body: { status: true } };
  }

  /** Hands the request to the library. Throws what it refuses, in our form. */
  async #ask(
    endpoint: Endpoint,
    request: RouteRequest,
    init?: CallInit,
    library: BetterAuth = this.#init.library,
  ): Promise<RouteReply> {
    const { store } = this.#init;
    const asked = store.call(() => library.handler(libraryRequest(endpoint, request)), init);
    const { result, faults } = await asked.catch((error: unknown) => {
      throw databaseFailure(error);
    });
    const text = await result.text();
    const isJson = result.headers.get('content-type')?.includes('json') === true;
    const body: unknown = isJson && text !== '' ? JSON.parse(text) : text;
    if (result.status >= 400 && endpoint.isProtocol !== true) {
      // A fault on the way, which the library may have taken for a refusal, says more than what it made of it.
      const known = faults.find((fault) => fault instanceof AtlasError);
      throw (
        known ??
        (result.status < 500 ? betterAuthError(result.status, body) : (faults[0] ?? betterAuthError(500, body)))
      );
    }
    // The library says that it is done, or that there is no session, also where it has not reached the database.
    const lost = faults.find((fault) => fault instanceof AtlasError && fault.code === 'unavailable');
    if (lost !== undefined) throw lost;
    const headers: Record<string, string | string[]> = { 'cache-control': 'no-store' };
    for (const name of PASSED_BACK) {
      const value = result.headers.get(name);
      if (value !== null && !(name === 'content-type' && isJson && endpoint.isProtocol !== true)) headers[name] = value;
    }
    const cookies = cookiesOf(result.headers);
    if (cookies.length > 0) headers['set-cookie'] = cookies;
    const sent = endpoint.isProtocol === true ? text : body;
    return { status: result.status, headers, body: text === '' ? undefined : sent };
  }
}

/** `signUpEmail` for `/sign-up/email`: what the library's own clients call it. A resource has several methods at one path. */
function operationIdOf({ method, path }: Endpoint): string {
  const parts = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const words = path.startsWith('/scim/') ? [method.toLowerCase(), ...parts] : parts;
  return words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
}

/** Throws `validation_error`, with the code that the library's client knows. */
function checkNewPassword(password: string): void {
  if (hasPasswordLength(password)) return;
  throw new AtlasError(`password ${PASSWORD_LENGTH_RULE}.`, {
    code: 'validation_error',
    libraryCode: [...password].length < 8 ? 'PASSWORD_TOO_SHORT' : 'PASSWORD_TOO_LONG',
    details: [{ path: 'password', message: PASSWORD_LENGTH_RULE }],
  });
}

/** Each once. The removal of the session's comes last: of several removals in one answer, curl acts on the last only. */
function cookiesOf(headers: Headers): string[] {
  const isRemoval = (cookie: string) => Number(cookie.startsWith(`${SESSION_COOKIE}=;`));
  return [...new Set(headers.getSetCookie())].sort((a, b) => isRemoval(a) - isRemoval(b));
}

/**
 * The library goes by the session alone. Throws `forbidden` where another credential, such as a key beside the cookie,
 * authenticates: the authenticated user must be the one who acts.
 */
function mustHaveSession({ mode }: Actor): void {
  if (mode === 'managed') return;
  throw new AtlasError(
    'This is for users with an account here, and the credentials that were sent are not a session.',
    {
      code: 'forbidden',
      reason: 'E_SESSION_NEEDED',
      hint: 'Sign in, and send the session without other credentials.',
    },
  );
}
