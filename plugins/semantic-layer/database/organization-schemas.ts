/** Keeps the schemas of the databases that each organization can ask: organizations with the same ones share them. */
import { type ConnectionInfo, datasourceDescribe, datasourceList, type PluginContext } from '../../../kernel/index.ts';
import { findDialect } from '../../sql-kit/index.ts';
import { DatabaseSchemas, type SchemaSource } from './database-schema.ts';

export interface OrganizationSource extends Omit<SchemaSource, 'connections'> {
  connections(orgId: string | null): Promise<readonly ConnectionInfo[]>;
}

/** Sets of connections that are kept; of the least recently used the databases are read again. */
const MAX_SETS = 64;

const keyOf = ({ key, id }: ConnectionInfo) => key ?? id;

export class OrganizationSchemas {
  readonly #source: OrganizationSource;
  /** By the keys of their connections. */
  readonly #sets = new Map<string, DatabaseSchemas>();

  constructor(source: OrganizationSource) {
    this.#source = source;
  }

  /** Those of the connections that the organization has now: one and the same object as long as these do not change. */
  async of(orgId: string | null): Promise<DatabaseSchemas> {
    const connections = await this.#source.connections(orgId).catch(() => []);
    const set = connections.map(keyOf).join('\n');
    const schemas =
      this.#sets.get(set) ?? new DatabaseSchemas({ ...this.#source, connections: async () => connections });
    // In order of last use.
    this.#sets.delete(set);
    this.#sets.set(set, schemas);
    const [oldest] = this.#sets.keys();
    if (this.#sets.size > MAX_SETS && oldest !== undefined) this.#sets.delete(oldest);
    return schemas;
  }

  /** A statement failed: where the connection is known, the next refresh reads the schemas again. */
  statementFailed(connection: ConnectionInfo): void {
    for (const [set, schemas] of this.#sets) {
      if (set.split('\n').includes(keyOf(connection))) schemas.statementFailed();
    }
  }
}

export const organizationSchemas = (ctx: PluginContext): OrganizationSchemas =>
  new OrganizationSchemas({
    connections: async (orgId) =>
      (await ctx.call(datasourceList, undefined, ctx.scope({ orgId }))).map(({ value }) => value),
    describe: async ({ key, id }) => ctx.callKey(datasourceDescribe, key ?? id, undefined, ctx.scope()),
    hasExactNames: async ({ dbType }) => (await findDialect(ctx, dbType, ctx.scope()))?.hasExactNames === true,
  });
