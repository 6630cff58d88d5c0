/** Finds the tables behind views, so that a view over a table is no way around a rule about it. */
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

interface Views {
  readonly byName: ReadonlyMap<string, ViewDefinition>;
  readonly until: number;
}

export class ViewTables {
  readonly #ctx: Pick<PluginContext, 'callKey'>;
  readonly #views = new Map<string, Promise<Views>>();

  constructor(ctx: Pick<PluginContext, 'callKey'>) {
    this.#ctx = ctx;
  }

  /** All tables that are read through the views among `tables`; `undefined` where a definition is not known. */
  async behind(
    tables: readonly string[],
    connection: ConnectionInfo,
    dialect: SqlDialect,
    scope: Scope,
  ): Promise<readonly ReadTable[] | undefined> {
    const schema = ownSchema(connection, dialect);
    const keyOf = (name: string) => fold(name.includes('.') ? name : `${schema}.${name}`);
    const { byName } = await this.#of(connection, keyOf, scope);
    const found: ReadTable[] = [];
    const open = tables.map(keyOf);
    const seen = new Set(open);
    for (let view = open.pop(); view !== undefined; view = open.pop()) {
      const definition = byName.get(view);
      if (definition === undefined) continue;
      const read = readsOf(definition, dialect);
      if (read === undefined || seen.size > MAX_VIEWS) return undefined;
      for (const { names, columns } of read) {
        const [name = ''] = names;
        found.push({ names: namesOf(name, schema), columns });
        const key = keyOf(name);
        if (!seen.has(key)) open.push(key);
        seen.add(key);
      }
    }
    return found;
  }

  async #of(connection: ConnectionInfo, keyOf: (name: string) => string, scope: Scope): Promise<Views> {
    const key = connection.key ?? connection.id;
    const known = await this.#views.get(key)?.catch(() => undefined);
    if (known !== undefined && performance.now() < known.until) return known;
    const until = performance.now() + FRESH_MS;
    const loading = this.#load(key, scope).then((views) => ({
      byName: new Map(
        views.map((view) => [keyOf(view.schema === undefined ? view.name : `${view.schema}.${view.name}`), view]),
      ),
      until,
    }));
    this.#views.delete(key);
    if (this.#views.size >= MAX_CONNECTIONS) this.#views.delete(this.#views.keys().next().value as string);
    this.#views.set(key, loading);
    return loading;
  }

  /** Of a datasource that does not tell the definitions, its views without them. */
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

/** Names as the definition writes them. */
function readsOf({ sql, reads }: ViewDefinition, dialect: SqlDialect): readonly ReadTable[] | undefined {
  if (reads !== undefined) return reads.map((name) => ({ names: [name], columns: ['*'] }));
  const tree = sql === undefined ? undefined : treeOf(sql, dialect);
  if (tree === undefined) return undefined;
  const { tables, columns, isKnown } = namedThings(tree, dialect);
  if (!isKnown) return undefined;
  return tables.map(({ schema, name }) => ({
    names: [schema === undefined ? name : `${schema}.${name}`],
    columns: [...columns],
  }));
}
