/** Stores identity providers, the domains that organizations hold, and whether an organization enforces single sign-on. */
import { randomBytes } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import type { Knex } from 'knex';
import { AtlasError, type Scope } from '../../kernel/index.ts';
import { invalidField, readPage, type SortedPage } from '../admin-kit/index.ts';
import type { Audit } from '../audit/index.ts';
import { AUTH_TABLES, type LibraryHost } from '../auth-managed/index.ts';
import { type InternalDb, lockName } from '../internal-db/index.ts';
import { type CheckDomain, domainOfEmail, readDomain, verificationRecord } from './domain.ts';
import { conflict } from './errors.ts';
import { CONNECTIONS, DOMAINS, ENFORCEMENT, GIVEN_ROLES, GROUP_ROLES, PROVIDERS, SESSIONS } from './migrations.ts';
import { PROVIDER_ORDERS } from './schemas.ts';
import { forgetConnections } from './scim-cleanup.ts';

/** What the library needs to know, as JSON with its secrets: exactly one of both. */
export interface ProviderConfig {
  readonly oidcConfig?: object;
  readonly samlConfig?: object;
}

export interface NewProvider {
  readonly name: string;
  readonly domain: string;
  readonly issuer: string;
  readonly clientId: string | null;
  /** `id`: of the new provider. */
  configure(id: string): ProviderConfig;
}

export interface ProviderRow {
  readonly id: string;
  readonly providerId: string;
  readonly organizationId: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string | null;
  readonly domain: string;
  readonly domainVerified: boolean | number;
  readonly domainToken: string;
  readonly oidcConfig: string | null;
  readonly samlConfig: string | null;
  readonly createdAt: string;
  readonly createdBy: string | null;
}

export interface ProviderStoreInit {
  readonly db: InternalDb;
  readonly audit: Pick<Audit, 'change'> | undefined;
  readonly now: () => number;
  readonly checkDomain: CheckDomain;
  /** Missing without managed authentication, where nobody has a session. */
  readonly host: Pick<LibraryHost, 'run' | 'transaction' | 'invalidate'> | undefined;
}

const MOST_PROVIDERS = 20;

/** Binds a sealed column to the row that it stands in. */
const purposeOf = (column: string, { organizationId, id }: Pick<ProviderRow, 'organizationId' | 'id'>) =>
  `${PROVIDERS}.${column}:${organizationId}:${id}`;

const notFound = () => new AtlasError('There is no such provider.', { code: 'not_found' });

export class ProviderStore {
  readonly #init: ProviderStoreInit;

  constructor(init: ProviderStoreInit) {
    this.#init = init;
  }

  /** By default the oldest first. */
  async list(
    orgId: string,
    wanted: SortedPage<typeof PROVIDER_ORDERS>,
  ): Promise<{ rows: ProviderRow[]; total: number }> {
    return this.#init.db.run((db) => {
      const matching = () => db(PROVIDERS).where({ organizationId: orgId });
      return readPage<ProviderRow>({ matching, order: PROVIDER_ORDERS.order(wanted.sort) }, wanted);
    });
  }

  /** Throws `not_found`, also for one of another organization. */
  async find(orgId: string, id: string): Promise<ProviderRow> {
    const row = await this.#init.db.run((db) =>
      db<ProviderRow>(PROVIDERS).where({ id, organizationId: orgId }).first(),
    );
    if (row === undefined) throw notFound();
    return row;
  }

  /** The row as the library reads it. */
  async opened(row: Record<string, unknown>): Promise<Record<string, unknown>> {
    const opened = { ...row };
    for (const column of ['oidcConfig', 'samlConfig'] as const) {
      const sealed = row[column];
      if (typeof sealed !== 'string') continue;
      opened[column] = await this.#init.db.secrets.open(sealed, purposeOf(column, row as unknown as ProviderRow));
    }
    return opened;
  }

  /** Throws `validation_error` for what is no domain, `conflict` for a provider too many. */
  async create(orgId: string, given: NewProvider, scope: Scope): Promise<ProviderRow> {
    const { db, audit, now } = this.#init;
    const domain = await readDomain(given.domain);
    if (domain === undefined) throw invalidField('domain', 'must be a domain of the organization, such as example.com');
    const id = `sso-${randomBytes(12).toString('hex')}`;
    const { oidcConfig, samlConfig } = given.configure(id);
    const seal = async (column: string, config: object | undefined) =>
      config === undefined
        ? null
        : db.secrets.seal(JSON.stringify(config), purposeOf(column, { id, organizationId: orgId }));
    const row: ProviderRow = {
      id,
      providerId: id,
      organizationId: orgId,
      name: given.name,
      issuer: given.issuer,
      clientId: given.clientId,
      domain,
      domainVerified: false,
      domainToken: randomBytes(24).toString('hex'),
      oidcConfig: await seal('oidcConfig', oidcConfig),
      samlConfig: await seal('samlConfig', samlConfig),
      createdAt: new Date(now()).toISOString(),
      createdBy: scope.actor.id,
    };
    return db.transaction(async (trx) => {
      await this.#lock(trx, orgId);
      const counted = await trx(PROVIDERS).where({ organizationId: orgId }).count({ total: '*' }).first();
      if (Number(counted?.total ?? 0) >= MOST_PROVIDERS) {
        throw conflict(`An organization has at most ${MOST_PROVIDERS} providers.`, 'Delete one that is not used.');
      }
      // Another provider of the organization may have shown the domain already.
      const held = await trx(DOMAINS).where({ domain, organizationId: orgId }).first('domain');
      const stored = { ...row, domainVerified: held !== undefined };
      await trx(PROVIDERS).insert(stored);
      const { name, issuer } = row;
      const after = { name, domain, issuer, domainVerified: stored.domainVerified };
      await audit?.change({ action: 'sso_provider.created', target: targetOf(row), before: null, after }, scope, trx);
      return stored;
    });
  }

  /**
   * Throws `conflict` while the TXT record is not there, when another organization holds the domain, and where single
   * sign-on is enforced and no administrator could sign in any more.
   */
  async verify(orgId: string, id: string, scope: Scope): Promise<ProviderRow> {
    const { audit, now, checkDomain, host } = this.#init;
    const { domain, domainToken } = await this.find(orgId, id);
    await checkDomain(domain, domainToken);
    return this.#transaction(async (trx) => {
      await this.#lock(trx, orgId);
      const row = await trx<ProviderRow>(PROVIDERS).where({ id, organizationId: orgId }).first();
      if (row === undefined) throw notFound();
      const holding = { domain, organizationId: orgId, verifiedAt: new Date(now()).toISOString() };
      await trx(DOMAINS).insert(holding).onConflict('domain').ignore();
      const held = await trx(DOMAINS).where({ domain }).first('organizationId');
      if (held?.organizationId !== orgId) {
        throw conflict(
          `Another organization has verified ${domain}.`,
          'It has to delete its providers of this domain first.',
        );
      }
      await trx(PROVIDERS).where({ organizationId: orgId, domain }).update({ domainVerified: true });
      if (!row.domainVerified) {
        const [before, after] = [{ domainVerified: false }, { domainVerified: true }];
        const target = { type: 'sso_domain', id: domain, label: domain };
        await audit?.change({ action: 'sso_domain.verified', target, before, after }, scope, trx);
        if (await enforcedIn(trx, orgId)) {
          await mustKeepSignIn(trx, orgId);
          for (const userId of await endOtherSessions(trx, [domain])) host?.invalidate(userId);
        }
      }
      return { ...row, domainVerified: true };
    });
  }

  /**
   * With the sign-ins of users through it and its SCIM connections. Throws `not_found`, and `conflict` for the last
   * verified one while single sign-on is enforced.
   */
  async remove(orgId: string, id: string, scope: Scope): Promise<void> {
    const { db, audit } = this.#init;
    await db.transaction(async (trx) => {
      await this.#lock(trx, orgId);
      const row = await trx<ProviderRow>(PROVIDERS).where({ id, organizationId: orgId }).first();
      if (row === undefined) throw notFound();
      await trx(AUTH_TABLES.account).where({ providerId: row.providerId }).delete();
      const connections: { id: string }[] = await trx(CONNECTIONS).where({ providerId: id }).select('id');
      await forgetConnections(
        trx,
        connections.map((connection) => connection.id),
      );
      await trx(PROVIDERS).where({ id }).delete();
      const others = await trx(PROVIDERS).where({ organizationId: orgId, domain: row.domain }).first('id');
      if (others === undefined) await trx(DOMAINS).where({ domain: row.domain, organizationId: orgId }).delete();
      if (await enforcedIn(trx, orgId)) await mustKeepSignIn(trx, orgId);
      const { name, domain, issuer } = row;
      const before = { name, domain, issuer };
      await audit?.change({ action: 'sso_provider.deleted', target: targetOf(row), before, after: null }, scope, trx);
    });
  }

  /** Before the organization is deleted, whose rows in the other tables go with it. */
  async removeAll(organizationId: string): Promise<void> {
    await this.#init.db.transaction(async (trx) => {
      const owned = () => trx(PROVIDERS).where({ organizationId }).select('providerId');
      await trx(AUTH_TABLES.account).whereIn('providerId', owned()).delete();
      const connections: { id: string }[] = await trx(CONNECTIONS).where({ organizationId }).select('id');
      await forgetConnections(
        trx,
        connections.map(({ id }) => id),
      );
      for (const table of [CONNECTIONS, PROVIDERS, DOMAINS, ENFORCEMENT, GROUP_ROLES, GIVEN_ROLES])
        await trx(table).where({ organizationId }).delete();
    });
  }

  async isEnforced(orgId: string): Promise<boolean> {
    return this.#init.db.run((db) => enforcedIn(db, orgId));
  }

  /**
   * Ends what sessions members of the verified domains have by other ways. Throws `conflict` where members could not sign
   * in any more, and, without `force`, where no administrator could.
   */
  async enforce(
    orgId: string,
    { enforced, force }: { readonly enforced: boolean; readonly force: boolean },
    scope: Scope,
  ): Promise<void> {
    const { audit, now, host } = this.#init;
    await this.#transaction(async (trx) => {
      await this.#lock(trx, orgId);
      const current = await enforcedIn(trx, orgId);
      if (enforced) await mustKeepSignIn(trx, orgId, force);
      if (current === enforced) return;
      if (enforced) {
        const row = { organizationId: orgId, enforcedAt: new Date(now()).toISOString(), enforcedBy: scope.actor.id };
        await trx(ENFORCEMENT).insert(row);
        const domains = trx(DOMAINS).where({ organizationId: orgId });
        for (const userId of await endOtherSessions(trx, await domains.pluck('domain'))) host?.invalidate(userId);
      } else {
        await trx(ENFORCEMENT).where({ organizationId: orgId }).delete();
      }
      const [before, after] = [{ enforced: !enforced }, { enforced }];
      const target = { type: 'organization', id: orgId };
      await audit?.change({ action: 'sso.enforcement_changed', target, before, after }, scope, trx);
    });
  }

  /** The organization that enforces single sign-on for addresses of the domain. */
  async enforcedBy(domains: readonly string[]): Promise<string | undefined> {
    const row = await this.#init.db.run((db) =>
      db(DOMAINS)
        .join(ENFORCEMENT, `${ENFORCEMENT}.organizationId`, `${DOMAINS}.organizationId`)
        .whereIn(`${DOMAINS}.domain`, domains)
        .first(`${DOMAINS}.organizationId`),
    );
    return row?.organizationId;
  }

  /** The provider that users of a domain, or of the organization with that short name, sign in through. */
  async findForSignIn({ domain, slug }: { domain?: string; slug?: string }): Promise<string | undefined> {
    const row = await this.#init.db.run((db) => {
      const verified = db(PROVIDERS).where(`${PROVIDERS}.domainVerified`, true).orderBy(`${PROVIDERS}.createdAt`);
      if (domain !== undefined) verified.where(`${PROVIDERS}.domain`, domain);
      if (slug !== undefined) {
        const { organization } = AUTH_TABLES;
        verified.join(organization, `${organization}.id`, `${PROVIDERS}.organizationId`).where({ slug });
      }
      return verified.first(`${PROVIDERS}.providerId`);
    });
    return row?.providerId;
  }

  /** Origins that a provider of OpenID Connect is called at. */
  async origins(providerId: string): Promise<string[]> {
    const row = await this.#init.db.run((db) => db<ProviderRow>(PROVIDERS).where({ providerId }).first());
    if (row?.oidcConfig == null) return [];
    const { oidcConfig } = await this.opened(row as unknown as Record<string, unknown>);
    const { tokenEndpoint, jwksEndpoint, userInfoEndpoint } = JSON.parse(oidcConfig as string);
    const urls = [tokenEndpoint, jwksEndpoint, userInfoEndpoint].filter((url) => url !== undefined);
    return [...new Set(urls.map((url) => new URL(url).origin))];
  }

  /** Tells other servers with its commit of the users that are invalidated in it. */
  #transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    const { db, host } = this.#init;
    if (host === undefined) return db.transaction(work);
    return host.transaction(() => host.run((trx) => work(trx as Knex.Transaction)));
  }

  /** One change of an organization's providers at a time, on every server. */
  #lock(trx: Knex.Transaction, orgId: string): Promise<void> {
    return lockName(trx, `${PROVIDERS} ${orgId}`);
  }
}

const targetOf = ({ id, name }: ProviderRow) => ({ type: 'sso_provider', id, label: name });

async function enforcedIn(db: Knex, organizationId: string): Promise<boolean> {
  return (await db(ENFORCEMENT).where({ organizationId }).first('enforcedAt')) !== undefined;
}

/**
 * Ends the sessions of users at the domains that did not begin at an identity provider, but those of administrators of the
 * platform, who keep their password. Resolves to whose they were.
 */
async function endOtherSessions(trx: Knex.Transaction, domains: readonly string[]): Promise<string[]> {
  if (domains.length === 0) return [];
  const { user, session } = AUTH_TABLES;
  const users = trx(user)
    .where((at) => {
      const names = new Set(domains.flatMap((domain) => [domain, domainToUnicode(domain)]));
      for (const name of names) at.orWhereRaw('lower(??) like ?', [`${user}.email`, `%@${name}`]);
    })
    .where((own) => own.whereNull('role').orWhereNot({ role: 'admin' }).orWhere({ adminByOrganization: true }));
  const others = () =>
    trx(session).whereIn('userId', users.clone().select('id')).whereNotIn('id', trx(SESSIONS).select('sessionId'));
  const ended: string[] = await others().distinct().pluck('userId');
  await others().delete();
  return ended;
}

/**
 * Throws `conflict` unless there is a provider of a verified domain, and, without `force`, an administrator of the
 * organization who can sign in while it is enforced: one who has signed in through it, whose address is outside the
 * verified domains, or who administers the platform and so keeps the password.
 */
async function mustKeepSignIn(trx: Knex.Transaction, orgId: string, force = false): Promise<void> {
  const providers: { providerId: string; domain: string }[] = await trx(PROVIDERS)
    .where({ organizationId: orgId, domainVerified: true })
    .select('providerId', 'domain');
  if (providers.length === 0) {
    throw conflict(
      'Single sign-on cannot be enforced without a provider whose domain is verified.',
      'Add a provider, set the TXT record of its domain, and verify it.',
    );
  }
  if (force) return;
  const { user, member, account } = AUTH_TABLES;
  const administrators: { id: string; email: string; adminByOrganization: unknown }[] = await trx(user)
    .join(member, `${member}.userId`, `${user}.id`)
    .where({ [`${member}.organizationId`]: orgId, [`${user}.role`]: 'admin' })
    .whereIn(`${member}.role`, ['owner', 'admin'])
    .where((banned) => banned.whereNull(`${user}.banned`).orWhere(`${user}.banned`, false))
    .select(`${user}.id`, `${user}.email`, `${user}.adminByOrganization`);
  const domains = providers.map(({ domain }) => domain);
  const keepPassword = administrators.some(
    ({ email, adminByOrganization }) => !adminByOrganization || !domains.includes(domainOfEmail(email) ?? ''),
  );
  if (keepPassword) return;
  const signedIn = await trx(account)
    .whereIn(
      'userId',
      administrators.map(({ id }) => id),
    )
    .whereIn(
      'providerId',
      providers.map(({ providerId }) => providerId),
    )
    .first('id');
  if (signedIn !== undefined) return;
  throw conflict(
    'No administrator of the organization could sign in while single sign-on is enforced.',
    'Sign in through the provider as an administrator once, with enforcement switched off; or send {"force": true}.',
  );
}

/** Names this server to an identity provider of SAML: its entity id. */
export const metadataUrl = (base: string, id: string) => `${base}/api/auth/sso/saml2/sp/metadata?providerId=${id}`;

/** For answers: without secrets. */
export function shownProvider(row: ProviderRow, baseUrl: string) {
  const { id, providerId, name, organizationId, issuer, clientId, domain, domainToken, createdAt, createdBy } = row;
  const isOidc = row.oidcConfig !== null;
  return {
    id,
    providerId,
    name,
    organizationId,
    type: isOidc ? 'oidc' : 'saml',
    issuer,
    clientId,
    domain,
    domainVerified: Boolean(row.domainVerified),
    verificationRecord: verificationRecord(domain, domainToken),
    ...(!isOidc && { entityId: metadataUrl(baseUrl, providerId) }),
    callbackUrl: `${baseUrl}/api/auth/sso/${isOidc ? 'callback' : 'saml2/sp/acs'}/${providerId}`,
    createdAt,
    createdBy,
  };
}
