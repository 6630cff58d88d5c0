/** Reads a query of the model for the checks of plugins: its tree, and the entities of its connection. */
import { datasourceList, type PluginContext, type Scope } from '../../kernel/index.ts';
import type { QueryAttempt } from '../agent/index.ts';
import { DEFAULT_LIMITS, findDialect, parseStatement, type Select, type SqlDialect } from '../sql-kit/index.ts';
import type { SemanticLayerApi } from './api.ts';
import { visibleModel } from './hidden-columns.ts';
import type { ModelEntity, SemanticModel } from './model.ts';

type Tables = ReadonlyMap<string, ModelEntity>;

export interface QueryReading {
  readonly sql: string;
  readonly dialect: SqlDialect;
  /** What may be shown of the entities, by their tables in lower case. */
  readonly tables: Tables;
  /** Parsed when it is first asked for. A statement that cannot be read is left to the guard, and is `undefined`. */
  readonly select: () => Select | undefined;
}

type Attempt = Pick<QueryAttempt, 'sql' | 'connectionId'>;

const readings = new WeakMap<Attempt, Promise<QueryReading | undefined>>();

/** Reads a query once, however many plugins check it; `undefined` where its connection or dialect is unknown. */
export function readQuery(
  ctx: Pick<PluginContext, 'call'>,
  layer: Pick<SemanticLayerApi, 'for'>,
  attempt: Attempt,
  scope: Scope,
): Promise<QueryReading | undefined> {
  const reading = readings.get(attempt) ?? read(ctx, layer, attempt, scope);
  readings.set(attempt, reading);
  return reading;
}

async function read(
  ctx: Pick<PluginContext, 'call'>,
  layer: Pick<SemanticLayerApi, 'for'>,
  { sql, connectionId }: Attempt,
  scope: Scope,
): Promise<QueryReading | undefined> {
  const [model, collected] = await Promise.all([layer.for(scope), ctx.call(datasourceList, undefined, scope)]);
  const connections = collected.map(({ value }) => value);
  const main = connections.find(({ id }) => id === 'default') ?? connections[0];
  const connection = connectionId === undefined ? main : connections.find(({ id }) => id === connectionId);
  const dialect = connection && (await findDialect(ctx, connection.dbType, scope));
  if (connection === undefined || dialect === undefined) return undefined;
  await dialect.load?.();
  return readingOf(sql, dialect, shownTables(model, connection.id, connection === main));
}

export function readingOf(sql: string, dialect: SqlDialect, tables: Tables): QueryReading {
  let parsed: { readonly select: Select | undefined } | undefined;
  return {
    sql,
    dialect,
    tables,
    select() {
      parsed ??= { select: parse(sql, dialect) };
      return parsed.select;
    },
  };
}

function parse(sql: string, dialect: SqlDialect): Select | undefined {
  try {
    return parseStatement(sql, dialect, DEFAULT_LIMITS);
  } catch {
    return undefined;
  }
}

const shown = new WeakMap<SemanticModel, Map<string, Tables>>();

/**
 * What may be shown of the entities of a connection, by their physical tables: nothing of hidden columns, and no values of
 * masked ones. `isDefault`: entities that name no connection are of this one. Worked out once for a model.
 */
export function shownTables(model: SemanticModel, id: string, isDefault: boolean): Tables {
  const ofModel = shown.get(model) ?? new Map<string, Tables>();
  shown.set(model, ofModel);
  const key = `${id} ${isDefault}`;
  const known = ofModel.get(key);
  if (known !== undefined) return known;
  const isOfConnection = ({ connection }: ModelEntity) => connection === id || (connection === undefined && isDefault);
  const entities = visibleModel(model).entities.filter(isOfConnection);
  const tables = new Map(entities.map((entity) => [entity.table.toLowerCase(), entity]));
  ofModel.set(key, tables);
  return tables;
}
