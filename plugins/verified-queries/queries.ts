/** Finds the verified queries of a question, and where their statements run. */
import {
  AtlasError,
  type ConnectionInfo,
  datasourceList,
  type PluginContext,
  type Question,
  type Scope,
} from '../../kernel/index.ts';
import { chosenByNumber } from '../agent/index.ts';
import { timeReader, tokenizer } from '../model-offline/index.ts';
import {
  type ModelVerifiedQuery,
  type SemanticLayerApi,
  type SemanticModel,
  visibleModel,
} from '../semantic-layer/index.ts';
import { compileQuery, type QueryPlan } from '../semantic-query/index.ts';
import { dialectOf, type SqlDialect } from '../sql-kit/index.ts';
import { type Found, type Match, Matcher } from './matching.ts';
import type { Values } from './parameters.ts';
import { statementOf } from './statement.ts';

/** Whether a person vouches for it; any other is an example. */
export const isVouched = ({ verifiedBy, verifiedAt }: ModelVerifiedQuery) =>
  verifiedBy !== undefined && verifiedAt !== undefined;

/** A choice between queries that a question asks for alike: the reply to it names the query. */
export const choiceOf = ({ asked, query }: Pick<Match, 'asked' | 'query'>) => `${asked} [${query.name}]`;
const CHOICE = /^(.*) \[([a-z][a-z0-9_-]*)\]$/;
const NONE: Found = { certain: [], near: [] };

export interface Statement {
  readonly sql: string;
  readonly connectionId: string;
}

export interface VerifiedQueryFinder {
  /** Those that may be shown; none where the layer has none. */
  all(scope: Scope): Promise<readonly ModelVerifiedQuery[]>;
  find(question: Question, scope: Scope): Promise<Found>;
  matcher(model: SemanticModel): Promise<Matcher>;
  statement(query: ModelVerifiedQuery, values: Values, scope: Scope): Promise<Statement>;
  dialect(connectionId: string | undefined, scope: Scope): Promise<SqlDialect>;
}

export function verifiedQueryFinder(ctx: PluginContext, layer: SemanticLayerApi): VerifiedQueryFinder {
  const matchers = new WeakMap<SemanticModel, Promise<Matcher>>();
  const matcher = (model: SemanticModel) => {
    const known =
      matchers.get(model) ??
      Promise.all([tokenizer(), timeReader()]).then(
        ([words, times]) => new Matcher(model, words.tokenize, times.readTime),
      );
    matchers.set(model, known);
    return known;
  };
  const connectionsOf = async (scope: Scope) =>
    (await ctx.call(datasourceList, undefined, scope)).map(({ value }) => value);

  const connectionOf = async (wanted: string | undefined, scope: Scope): Promise<ConnectionInfo> => {
    const connections = await connectionsOf(scope);
    const found = wanted === undefined ? mainOf(connections) : connections.find(({ id }) => id === wanted);
    if (found !== undefined) return found;
    const which = wanted === undefined ? 'No datasource is configured.' : `There is no connection "${wanted}".`;
    throw new AtlasError(which, { code: wanted === undefined ? 'no_datasource' : 'invalid_request' });
  };

  return {
    matcher,
    all: async (scope) => visibleModel(await layer.for(scope)).verified ?? [],

    async find({ turns, connectionId }, scope) {
      const model = await layer.for(scope);
      if ((visibleModel(model).verified ?? []).length === 0) return NONE;
      const reply = chosenByNumber(turns);
      const [, chosen, name] = CHOICE.exec(reply ?? '') ?? [];
      const text = chosen ?? reply ?? turns.at(-1)?.text ?? '';
      const isFollowUp = reply === undefined && turns.some(({ role }) => role === 'assistant');
      const found = (await matcher(model)).find({ text, now: new Date(ctx.now()), isFollowUp });
      const main = connectionId === undefined ? undefined : mainOf(await connectionsOf(scope))?.id;
      const isMeant = ({ query }: Pick<Match, 'query'>) =>
        (name === undefined || query.name === name) &&
        (connectionId === undefined || connectionId === (connectionFor(query, model) ?? main));
      const fitting = found.certain.filter(isMeant);
      const certain = fitting.filter(({ query }) => isVouched(query));
      const others = fitting.filter((match) => !certain.includes(match));
      return { certain, near: [...others, ...found.near.filter(isMeant)] };
    },

    async statement(query, values, scope) {
      const model = await layer.for(scope);
      const { id, dbType } = await connectionOf(connectionFor(query, model), scope);
      const sql = await statementOf(query, values, model, await dialectOf(ctx, dbType, scope));
      return { sql, connectionId: id };
    },

    dialect: async (connectionId, scope) => dialectOf(ctx, (await connectionOf(connectionId, scope)).dbType, scope),
  };
}

const mainOf = (connections: readonly ConnectionInfo[]) =>
  connections.find(({ id }) => id === 'default') ?? connections[0];

/** `undefined`: the default connection. A plan that does not fit the layer says so when it is used. */
function connectionFor({ connection, plan, source }: ModelVerifiedQuery, model: SemanticModel): string | undefined {
  if (connection !== undefined) return connection;
  if (plan === undefined) return source === 'default' ? undefined : source;
  try {
    return compileQuery(model, plan as QueryPlan).connection;
  } catch {
    return undefined;
  }
}
