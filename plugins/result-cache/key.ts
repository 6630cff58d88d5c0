/** Makes the key of a statement's result: the same for two statements exactly where the database gives both the same. */
import type { PluginContext, Scope, SqlStatement } from '../../kernel/index.ts';
import { valuesDigest } from '../datasource-kit/index.ts';
import type { ModelEntity, SemanticLayerApi } from '../semantic-layer/index.ts';
import { findDialect } from '../sql-kit/index.ts';
import { isVolatile } from './volatile.ts';

export interface ResultKey {
  readonly key: string;
  /** How old rows of its tables may be, as the layer declares it; `Infinity` where it declares nothing. */
  readonly withinMs: number;
}

export interface KeyInit {
  readonly ctx: Pick<PluginContext, 'call'>;
  readonly layer: Pick<SemanticLayerApi, 'for'> | undefined;
}

/** Whether the same statement brings the same rows as long as the data stay. */
async function isStable({ connection, sql, functions }: SqlStatement, { ctx }: KeyInit, scope: Scope) {
  const dialect = await findDialect(ctx, connection.dbType, scope);
  if (dialect === undefined || functions === undefined) return false;
  // What an operator has allowed besides is unknown.
  return functions.every((name) => dialect.functions.has(name)) && !isVolatile(sql, dialect.notation);
}

/**
 * Row security and masks stand in the statement and in what is bound to it, so readers of whom they make other rows have
 * other keys. `undefined`: the result must not be kept.
 */
export async function keyOf(statement: SqlStatement, init: KeyInit, scope: Scope): Promise<ResultKey | undefined> {
  if (!(await isStable(statement, init, scope))) return undefined;
  const { connection, sql, params, limits, changes } = statement;
  const policies = changes?.map(({ plugin, reason, fullReason }) => [plugin, reason, fullReason]);
  const model = await init.layer?.for(scope);
  const parts = [
    connection.key ?? connection.id,
    connection.maskedUrl,
    scope.orgId,
    model?.version,
    policies,
    limits,
    sql,
    params,
  ];
  return { key: valuesDigest(parts), withinMs: withinMs(model?.entities ?? [], statement.tables) };
}

const lastPart = (name: string) => name.slice(name.lastIndexOf('.') + 1).toLowerCase();

/** The least that is declared of the tables; a table of that name in another schema counts, too. */
export function withinMs(
  entities: readonly Pick<ModelEntity, 'table' | 'freshness'>[],
  tables: SqlStatement['tables'],
): number {
  const read = new Set(tables?.map(lastPart));
  const declared = entities.filter(({ table, freshness }) => freshness !== undefined && read.has(lastPart(table)));
  return Math.min(Number.POSITIVE_INFINITY, ...declared.map(({ freshness }) => freshness!.withinMs));
}
