/** Stores the SCIM connections of organizations; their tokens as hashes. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AtlasError, type Scope } from '../../kernel/index.ts';
import type { Audit } from '../audit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { conflict } from './errors.ts';
import { CONNECTIONS, PROVIDERS, SCIM_TABLES } from './migrations.ts';
import { forgetConnections } from './scim-cleanup.ts';

export interface ScimConnection {
  readonly id: string;
  readonly providerId: string;
  readonly organizationId: string;
}

/** A connection as its token finds it. */
export interface FoundConnection extends ScimConnection {
  /** That users must have addresses at; `null` while it is not verified. */
  readonly domain: string | null;
}

export interface ScimStatus {
  readonly connections: readonly ScimConnection[];
  readonly syncStatus: {
    readonly connections: number;
    readonly provisionedUsers: number;
    readonly lastSyncAt: string | null;
  };
}

const MOST_CONNECTIONS = 20;
const COLUMNS = ['id', 'providerId', 'organizationId'].map((column) => `${CONNECTIONS}.${column}`);

export const NO_CONNECTIONS: ScimStatus = {
  connections: [],
  syncStatus: { connections: 0, provisionedUsers: 0, lastSyncAt: null },
};

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url');
const newToken = () => `scim_${randomBytes(32).toString('base64url')}`;
const notFound = (what: string) => new AtlasError(`There is no such ${what}.`, { code: 'not_found' });

export class ScimConnectionStore {
  readonly #db: InternalDb;
  readonly #audit: Pick<Audit, 'change'> | undefined;
  readonly #now: () => number;

  constructor(db: InternalDb, audit: Pick<Audit, 'change'> | undefined, now: () => number) {
    this.#db = db;
    this.#audit = audit;
    this.#now = now;
  }

  async status(organizationId: string): Promise<ScimStatus> {
    return this.#db.run(async (db) => {
      const connections: ScimConnection[] = await db(CONNECTIONS)
        .where({ organizationId })
        .orderBy('createdAt')
        .orderBy('id')
        .select(COLUMNS);
      const synced = await db(CONNECTIONS).where({ organizationId }).max({ at: 'lastSyncAt' }).first();
      const users = await db(SCIM_TABLES.scimUser)
        .where({ provisioningDomainId: organizationId })
        .countDistinct({ total: 'userId' })
        .first();
      const provisionedUsers = Number(users?.total ?? 0);
      const lastSyncAt = (synced?.at as string | null | undefined) ?? null;
      return { connections, syncStatus: { connections: connections.length, provisionedUsers, lastSyncAt } };
    });
  }

  /** The token is told this once. Throws `not_found` for a provider that is not there, `conflict` for one unverified. */
  async create(
    organizationId: string,
    providerId: string,
    scope: Scope,
  ): Promise<{ connection: ScimConnection; token: string }> {
    const token = newToken();
    const connection = { id: randomUUID(), providerId, organizationId };
    await this.#db.transaction(async (trx) => {
      // Locked, so that two at once do not make one too many.
      const provider = await trx(PROVIDERS)
        .where({ id: providerId, organizationId })
        .forUpdate()
        .first('domainVerified');
      if (provider === undefined) throw notFound('provider');
      if (!provider.domainVerified) {
        throw conflict('The domain of the provider is not verified.', 'Verify it first: users are provisioned in it.');
      }
      const counted = await trx(CONNECTIONS).where({ organizationId }).count({ total: '*' }).first();
      if (Number(counted?.total ?? 0) >= MOST_CONNECTIONS) {
        throw conflict(`An organization has at most ${MOST_CONNECTIONS} SCIM connections.`, 'Delete one first.');
      }
      const createdAt = new Date(this.#now()).toISOString();
      const row = { ...connection, tokenHash: hashOf(token), createdAt, createdBy: scope.actor.id };
      await trx(CONNECTIONS).insert(row);
      const change = { action: 'scim_connection.created', target: targetOf(connection), before: null };
      await this.#audit?.change({ ...change, after: { providerId } }, scope, trx);
    });
    return { connection, token };
  }

  /** Replaces the token; the one before is worthless at once. Throws `not_found`. */
  async renewToken(
    organizationId: string,
    id: string,
    scope: Scope,
  ): Promise<{ connection: ScimConnection; token: string }> {
    const token = newToken();
    const connection = await this.#db.transaction(async (trx) => {
      const found = await this.#find(trx, organizationId, id);
      await trx(CONNECTIONS)
        .where({ id })
        .update({ tokenHash: hashOf(token) });
      await this.#audit?.change({ action: 'scim_connection.token_renewed', target: targetOf(found) }, scope, trx);
      return found;
    });
    return { connection, token };
  }

  /** Users stay as they are, and can be changed by hand from then on. Throws `not_found`. */
  async remove(organizationId: string, id: string, scope: Scope): Promise<void> {
    await this.#db.transaction(async (trx) => {
      const found = await this.#find(trx, organizationId, id);
      await forgetConnections(trx, [id]);
      await trx(CONNECTIONS).where({ id }).delete();
      const change = { action: 'scim_connection.deleted', target: targetOf(found), after: null };
      await this.#audit?.change({ ...change, before: { providerId: found.providerId } }, scope, trx);
    });
  }

  /** The connection of a token; notes that it was used. */
  async findByToken(token: string): Promise<FoundConnection | undefined> {
    return this.#db.run(async (db) => {
      const row = await db(CONNECTIONS)
        .join(PROVIDERS, `${PROVIDERS}.id`, `${CONNECTIONS}.providerId`)
        .where(`${CONNECTIONS}.tokenHash`, hashOf(token))
        .first(...COLUMNS, `${PROVIDERS}.domain`, `${PROVIDERS}.domainVerified`);
      if (row === undefined) return undefined;
      const { domainVerified, ...connection } = row;
      await db(CONNECTIONS)
        .where({ id: row.id })
        .update({ lastSyncAt: new Date(this.#now()).toISOString() });
      return { ...connection, domain: domainVerified ? row.domain : null };
    });
  }

  /** Whether the organization's identity provider manages the user. */
  async manages(userId: string): Promise<boolean> {
    return (await this.#db.run((db) => db(SCIM_TABLES.scimUser).where({ userId }).first('id'))) !== undefined;
  }

  async #find(trx: Knex.Transaction, organizationId: string, id: string): Promise<ScimConnection> {
    const row = await trx(CONNECTIONS).where({ id, organizationId }).first<ScimConnection | undefined>(COLUMNS);
    if (row === undefined) throw notFound('SCIM connection');
    return row;
  }
}

const targetOf = ({ id }: ScimConnection) => ({ type: 'scim_connection', id });
