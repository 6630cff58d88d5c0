/** Creates, changes, tests and deletes connections. */
import { randomUUID } from 'node:crypto';
import { AtlasError, type ConnectionInfo, messageOf, type Scope } from '../../kernel/index.ts';
import type { AuditedChange } from '../audit/index.ts';
import { discreet, type OpenDatabase } from '../datasource-kit/index.ts';
import { type ConnectionSettings, type EngineInit, openDatabase, withPassword } from './engines.ts';
import { configured, notFound, taken, tooManyTests } from './errors.ts';
import type { HealthChecks } from './health.ts';
import type { Connection, ConnectionHealth, CreateBody, UpdateBody } from './schemas.ts';
import { type Along, type ConnectionRow, type ConnectionStore, purposeOf } from './store.ts';
import { infoOf, type StoredConnections } from './stored-connections.ts';

export interface ServiceInit {
  readonly store: ConnectionStore;
  readonly stored: StoredConnections;
  readonly checks: HealthChecks;
  readonly secrets: {
    seal(plain: string, purpose: string): Promise<string>;
    open(sealed: string, purpose: string): Promise<string>;
  };
  readonly now: () => number;
  engines(): Promise<EngineInit>;
  /** Those that the request can ask; `isStored` tells its own from those of the configuration. */
  visible(scope: Scope): Promise<readonly { readonly info: ConnectionInfo; readonly isStored: boolean }[]>;
  /** Writes the change into the audit log. */
  record(change: AuditedChange, scope: Scope): Along;
}

const TEST_TIMEOUT_MS = 10_000;
/** Tests of connections that are not saved yet, at the same time. */
const MAX_TESTS = 8;

/** For the audit log: nothing that is secret. */
const factsOf = ({ db_type: dbType, masked_url: address, description, schema, revision }: ConnectionRow) => ({
  dbType,
  address,
  description,
  schema,
  revision,
});

function changeOf(verb: string, before: ConnectionRow | null, after: ConnectionRow | null): AuditedChange {
  const id = (before ?? after)?.name ?? '';
  const facts = (row: ConnectionRow | null) => row && factsOf(row);
  const target = { type: 'connection', id };
  return { action: `connection.${verb}`, target, before: facts(before), after: facts(after) };
}

export type ConnectionService = ReturnType<typeof connectionService>;

export function connectionService(init: ServiceInit) {
  const { store, stored, checks, secrets, now } = init;
  let tests = 0;

  const shown = (info: ConnectionInfo, row: ConnectionRow | undefined, health: ConnectionHealth): Connection => ({
    id: info.id,
    dbType: info.dbType,
    description: info.description ?? null,
    maskedUrl: info.maskedUrl,
    schema: info.schema ?? null,
    configured: row === undefined,
    createdAt: row?.created_at ?? null,
    updatedAt: row?.updated_at ?? null,
    health,
  });

  /** Rejects with `connection_failed` when the database does not answer, describe itself and end in time. */
  async function assertWorks(database: OpenDatabase): Promise<void> {
    if (tests >= MAX_TESTS) throw tooManyTests();
    tests += 1;
    try {
      // First, and as health asks: what describes a file of no size takes it for an empty database.
      await database.check();
      await database.describe(AbortSignal.timeout(TEST_TIMEOUT_MS));
    } catch (thrown) {
      const error = discreet(thrown);
      const hint = error instanceof AtlasError ? error.hint : undefined;
      throw new AtlasError(messageOf(error), { code: 'connection_failed', hint, cause: thrown });
    } finally {
      tests -= 1;
      await database.close();
    }
  }

  /** The columns of a row that follow from its settings, once they have been tested. */
  async function tested(settings: ConnectionSettings, place: Pick<ConnectionRow, 'id' | 'org_id'>) {
    const database = await openDatabase(settings, await init.engines());
    // First, as without a key there is no need to bother the database.
    const url = await secrets.seal(settings.url, purposeOf(place));
    await assertWorks(database);
    const { dbType, maskedUrl, schema } = database.info;
    return {
      db_type: dbType,
      url,
      masked_url: maskedUrl,
      given_schema: settings.schema,
      schema: schema ?? null,
    };
  }

  async function visibleOf(scope: Scope, id: string) {
    const found = (await init.visible(scope)).find(({ info }) => info.id === id);
    if (found === undefined) throw notFound(id);
    return found;
  }

  /** The organization's own row of that id. */
  async function rowOf(scope: Scope, id: string): Promise<ConnectionRow> {
    const visible = await init.visible(scope);
    if (visible.some(({ info, isStored }) => info.id === id && !isStored)) throw configured(id);
    return (await store.find(scope.orgId, id)) ?? Promise.reject(notFound(id));
  }

  async function detail(row: ConnectionRow, scope: Scope): Promise<Connection> {
    await stored.changed(scope.orgId);
    return shown(infoOf(row), row, await checks.now(infoOf(row)));
  }

  return {
    async list(scope: Scope): Promise<readonly Connection[]> {
      const visible = await init.visible(scope);
      const own = visible.some(({ isStored }) => isStored) ? await store.list(scope.orgId) : [];
      const rows = new Map(own.map((row) => [row.name, row]));
      const known = await checks.known(visible.map(({ info }) => info));
      return visible.flatMap(({ info, isStored }, index) => {
        const row = isStored ? rows.get(info.id) : undefined;
        const health = known[index] as ConnectionHealth;
        return isStored && row === undefined ? [] : [shown(info, row, health)];
      });
    },

    async get(scope: Scope, id: string): Promise<Connection> {
      const { info, isStored } = await visibleOf(scope, id);
      const row = isStored ? await store.find(scope.orgId, id) : undefined;
      if (isStored && row === undefined) throw notFound(id);
      const [health] = await checks.known([info]);
      return shown(info, row, health as ConnectionHealth);
    },

    async test(scope: Scope, id: string): Promise<ConnectionHealth> {
      return checks.now((await visibleOf(scope, id)).info);
    },

    async create(scope: Scope, { id: name, url, description = null, schema = null }: CreateBody) {
      if ((await init.visible(scope)).some(({ info }) => info.id === name)) throw taken(name);
      if ((await store.find(scope.orgId, name)) !== undefined) throw taken(name);
      const place = { id: randomUUID(), org_id: scope.orgId };
      const columns = await tested({ id: name, url, schema }, place);
      const at = new Date(now()).toISOString();
      const times = { created_at: at, updated_at: at };
      const row = { ...place, name, ...columns, description, revision: 1, created_by: scope.actor.id, ...times };
      await store.create(row, init.record(changeOf('created', null, row), scope));
      return detail(row, scope);
    },

    async update(scope: Scope, id: string, body: UpdateBody): Promise<Connection> {
      const before = await rowOf(scope, id);
      const settings = async (): Promise<ConnectionSettings> => {
        const known = await secrets.open(before.url, purposeOf(before));
        const isSame = body.url === undefined || body.url === before.masked_url;
        const url = isSame ? known : withPassword(body.url as string, known, await init.engines());
        return { id, url, schema: body.schema === undefined ? before.given_schema : body.schema };
      };
      const isMoved = body.url !== undefined || body.schema !== undefined;
      const columns = isMoved ? await tested(await settings(), before) : {};
      const description = body.description === undefined ? before.description : body.description;
      const updated_at = new Date(now()).toISOString();
      const row = { ...before, ...columns, description, revision: before.revision + 1, updated_at };
      await store.update(before, row, init.record(changeOf('updated', before, row), scope));
      return detail(row, scope);
    },

    async remove(scope: Scope, id: string): Promise<void> {
      const row = await rowOf(scope, id);
      if (!(await store.remove(row, init.record(changeOf('deleted', row, null), scope)))) throw notFound(id);
      await stored.changed(scope.orgId);
    },
  };
}
