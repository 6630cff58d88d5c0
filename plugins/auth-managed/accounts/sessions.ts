/** Authenticates by session: the cookie of a browser, or the token that an API client sends as Bearer. */
import { AtlasError, type Credentials, type Identity } from '../../../kernel/index.ts';
import { bearerToken, rejectedCredentials } from '../../auth-kit/index.ts';
import { withoutBrokenCache } from '../better-auth/cookie-cache.ts';
import { sessionEnded } from '../better-auth/errors.ts';
import { type BetterAuth, type FoundSession, SESSION_COOKIE } from '../better-auth/instance.ts';
import type { Store } from '../store.ts';
import { identityOf, isBanned } from './identity.ts';
import type { Organizations } from './organizations.ts';
import type { Origins } from './request-origins.ts';
import { memberStanding } from './standing.ts';

/** A session's token is 32 letters and digits; it may have a signature behind it, as in the cookie. */
const TOKEN = /^[A-Za-z0-9]{32}(\.[A-Za-z0-9+/=%_-]{40,128})?$/;
const COOKIE = new RegExp(`(?:^|;)\\s*${SESSION_COOKIE.replaceAll('.', '\\.')}=`);

interface Presented {
  readonly by: 'cookie' | 'bearer';
  readonly headers: Headers;
}

/** Only what the library needs, so that a cookie beside a Bearer token counts for nothing. */
function presented({ headers }: Credentials): Presented | undefined {
  const { authorization, cookie } = headers;
  if (authorization !== undefined) {
    const token = bearerToken(headers)?.trim();
    if (token === undefined || !TOKEN.test(token)) return undefined;
    return { by: 'bearer', headers: new Headers({ authorization: `Bearer ${token}` }) };
  }
  if (typeof cookie !== 'string' || !COOKIE.test(cookie)) return undefined;
  return { by: 'cookie', headers: new Headers({ cookie: withoutBrokenCache(cookie) }) };
}

export class Sessions {
  readonly #library: BetterAuth;
  readonly #store: Store;
  readonly #origins: Origins;
  readonly #organizations: Organizations;

  constructor(library: BetterAuth, store: Store, origins: Origins, organizations: Organizations) {
    this.#library = library;
    this.#store = store;
    this.#origins = origins;
    this.#organizations = organizations;
  }

  /**
   * `undefined` for credentials that are not a session's. Throws `auth_error` for a session that has ended or whose
   * user is banned, and `forbidden` for a cookie that a foreign web page makes use of.
   */
  async resolve(credentials: Credentials): Promise<Identity | undefined> {
    const given = presented(credentials);
    if (given === undefined) return undefined;
    if (given.by === 'cookie') this.#origins.check(credentials.method, credentials.headers);
    let { user, session, headers } = await this.#read(given, true);
    let orgId = session.activeOrganizationId ?? null;
    const standingNow = () => this.#store.run((db) => memberStanding(db, orgId, user));
    let standing = await standingNow();
    if (standing === undefined) {
      // A browser may still have the organization that its user has left, or that is gone, from another server.
      await this.#organizations.settleMembers(user.id);
      ({ user, session, headers } = await this.#read(given, false));
      orgId = session.activeOrganizationId ?? null;
      standing = await standingNow();
      if (standing === undefined) throw sessionEnded();
    }
    const cookies = given.by === 'cookie' ? headers.getSetCookie() : [];
    return {
      ...identityOf(user, standing, orgId, session.id),
      ...(cookies.length > 0 && { headers: { 'set-cookie': cookies } }),
    };
  }

  /** Throws `auth_error` for a session that has ended or whose user is banned. */
  async #read({ headers: sent }: Presented, fromCookie: boolean): Promise<FoundSession & { headers: Headers }> {
    const query = { disableCookieCache: !fromCookie };
    const { result, faults } = await this.#store.call(() =>
      this.#library.api.getSession({ headers: sent, query, returnHeaders: true }).catch(() => undefined),
    );
    if (result === undefined) throw faults[0] ?? new AtlasError('The session could not be read.');
    const { response, headers } = result;
    // A session that could not be read has not ended: users are not signed out because the database is away.
    if (response === null) throw faults[0] ?? sessionEnded();
    if (isBanned(response.user)) throw rejectedCredentials('This account is banned.', 'Ask an administrator.');
    return { ...response, headers };
  }
}
