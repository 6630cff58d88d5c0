/** Finds the tables behind views, so that a view over a table is no way around a rule about it. */
import { LRUCache } from 'lru-cache';
import {
  AtlasError,
  type ConnectionInfo,
  datasourceDescribe,
  type PluginContext,
  type Scope,
} from '../../kernel/index.ts';
import { datasourceViews, type ViewDefinition } from '../datasource-kit/index.ts';
import { fold, type SqlDialect } from '../sql-kit/index.ts';
import type { ReadTable } from './matching.ts';
import { namesOf, ownSchema } from './statement-reads.ts';
import { namedThings, treeOf } from './statement-tree.ts';

/** After this a view that was created or changed is seen. */
const FRESH_MS = 10_000;
const MAX_CONNECTIONS = 1_000;
/** Views behind one statement. */
const MAX_VIEWS = 200;

/** Engines may tell names apart that differ in case only, so that one may mean several. */
type Views = ReadonlyMap<string, readonly ViewDefinition[]>;

/** On the way from a part to its whole, or the other way, other parts are not read. */
type Way = 'parts' | 'partOf' | undefined;

interface Step extends ReadTable {
  readonly way: Way;
}

export class ViewTables {
  readonly #ctx: Pick<PluginContext, 'callKey'>;
  readonly #views = new LRUCache<string, Promise<Views>>({ max: MAX_CONNECTIONS, ttl: FRESH_MS });

  constructor(ctx: Pick<PluginContext, 'callKey'>) {
    this.#ctx = ctx;
  }

  /** Whether the table's rows are made from others, as far as that is known. */
  async isView(table: string, connection: ConnectionInfo, dialect: SqlDialect, scope: Scope): Promise<boolean> {
    const schema = ownSchema(connection, dialect);
    const byName = await this.#of(connection, schema, scope);
    return keysOf(table, schema).some((key) => byName.get(key)?.some((view) => isQuery(view)));
  }

  /** All that is read through the views among `tables`; `undefined` where a definition is not known. */
  async behind(
    tables: readonly ReadTable[],
    connection: ConnectionInfo,
    dialect: SqlDialect,
    scope: Scope,
  ): Promise<readonly ReadTable[] | undefined> {
    const schema = ownSchema(connection, dialect);
    const byName = await this.#of(connection, schema, scope);
    const found: ReadTable[] = [];
    const open: Step[] = tables.map((table) => ({ ...table, way: undefined }));
    const seen = new Set<string>();
    let views = 0;
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      const [name = ''] = step.names;
      for (const definition of keysOf(name, schema).flatMap((key) => byName.get(key) ?? [])) {
        if (isQuery(definition)) views += 1;
        const next = views > MAX_VIEWS ? undefined : readsOf(definition, step, dialect);
        if (next === undefined) return undefined;
        for (const { names: written, columns, way } of next) {
          const names = written.flatMap((one) => namesOf(one, schema));
          const key = JSON.stringify([names, columns, way]);
          if (seen.has(key)) continue;
          seen.add(key);
          found.push({ names, columns });
          open.push({ names, columns, way });
        }
      }
    }
    return found;
  }

  async #of(connection: ConnectionInfo, schema: string, scope: Scope): Promise<Views> {
    const key = connection.key ?? connection.id;
    const known = await this.#views.get(key)?.catch(() => undefined);
    if (known !== undefined) return known;
    const loading = this.#load(key, scope).then((views) =>
      Map.groupBy(views, (view) => fold(`${view.schema ?? schema}.${view.name}`)),
    );
    this.#views.set(key, loading);
    return loading;
  }

  /** Loads the views; those of a datasource that does not tell the definitions come without them. */
  async #load(key: string, scope: Scope): Promise<readonly ViewDefinition[]> {
    try {
      const views = await this.#ctx.callKey(datasourceViews, key, undefined, scope);
      if (views !== undefined) return views;
    } catch (error) {
      if (!(error instanceof AtlasError) || error.reason !== 'E_KEY_UNKNOWN') throw error;
    }
    const tables = await this.#ctx.callKey(datasourceDescribe, key, undefined, scope);
    return tables
      .filter(({ kind }) => kind === 'view')
      .map(({ schema, name }) => ({ ...(schema && { schema }), name }));
  }
}

/** What a name may stand for: a dot may be part of it. */
const keysOf = (name: string, schema: string): string[] =>
  name.includes('.') ? [fold(name), fold(`${schema}.${name}`)] : [fold(`${schema}.${name}`)];

const isQuery = ({ parts, partOf, computed, reads }: ViewDefinition) =>
  (parts ?? partOf ?? computed ?? reads) === undefined;

/** Names as the definition writes them; `undefined`: not known. */
function readsOf(view: ViewDefinition, { names, columns, way }: Step, dialect: SqlDialect): Step[] | undefined {
  const { reads, parts = [], partOf = [], computed = [] } = view;
  if (isQuery(view)) return readsOfQuery(view, dialect);
  const all = { columns: ['*'], way: undefined };
  const isComputed = computed.some((name) => columns.some((read) => read === '*' || fold(read) === fold(name)));
  return [
    ...(reads ?? []).map((name) => ({ names: [name], ...all })),
    ...(way === 'partOf' ? [] : parts.map((name) => ({ names: [name], columns, way: 'parts' as const }))),
    ...(way === 'parts' ? [] : partOf.map((name) => ({ names: [name], columns, way: 'partOf' as const }))),
    ...(isComputed ? [{ names: names.slice(0, 1), ...all }] : []),
  ];
}

function readsOfQuery({ schema: own, sql }: ViewDefinition, dialect: SqlDialect): Step[] | undefined {
  const tree = sql === undefined ? undefined : treeOf(sql, dialect);
  if (tree === undefined) return undefined;
  const { tables, columns, isKnown } = namedThings(tree, dialect);
  if (!isKnown) return undefined;
  // A name without schema may mean the view's own one, or that of the connection.
  const written = tables.flatMap(({ schema, name }) =>
    schema !== undefined ? [`${schema}.${name}`] : own === undefined ? [name] : [name, `${own}.${name}`],
  );
  return written.map((name) => ({ names: [name], columns: [...columns], way: undefined }));
}
