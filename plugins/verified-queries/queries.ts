/** Finds the verified queries of a question, and where their statements run. */
import {
  type ConnectionInfo,
  datasourceList,
  type PluginContext,
  type Question,
  type Scope,
} from '../../kernel/index.ts';
import { choicesIn, chosenByNumber } from '../agent/index.ts';
import { timeReader, tokenizer } from '../model-offline/index.ts';
import {
  createModel,
  type ModelVerifiedQuery,
  type SemanticLayerApi,
  type SemanticModel,
  visibleModel,
} from '../semantic-layer/index.ts';
import { connectionFor, connectionOf, type QueryPlan } from '../semantic-query/index.ts';
import { dialectOf } from '../sql-kit/index.ts';
import type { Found, Match, Matcher } from './matching.ts';
import type { Values } from './parameters.ts';

/** Whether a person vouches for it; any other is an example. */
export const isVouched = ({ verifiedBy, verifiedAt }: ModelVerifiedQuery) =>
  verifiedBy !== undefined && verifiedAt !== undefined;

/** A choice between queries that a question asks for alike: the reply to it names the query. */
export const choiceOf = ({ asked, query }: Pick<Match, 'asked' | 'query'>) => `${asked} [${query.name}]`;
/** How the offer begins of queries that a question is only like. */
export const UNKNOWN = 'I did not understand the question. Did you mean one of these?';
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
  /** Values to try a query with, which the layer need not have: its defaults, and any others. */
  examples(query: ModelVerifiedQuery, scope: Scope): Promise<Values>;
  statement(query: ModelVerifiedQuery, values: Values, scope: Scope): Promise<Statement>;
  /** Without an id, the default one. */
  connection(id: string | undefined, scope: Scope): Promise<ConnectionInfo>;
}

export function verifiedQueryFinder(ctx: PluginContext, layer: SemanticLayerApi): VerifiedQueryFinder {
  const matchers = new WeakMap<SemanticModel, Promise<Matcher>>();
  const matcher = (model: SemanticModel) => {
    const known =
      matchers.get(model) ??
      Promise.all([tokenizer(), timeReader(), import('./matching.ts')]).then(
        ([words, times, { Matcher }]) => new Matcher(model, words.tokenize, times.readTime),
      );
    matchers.set(model, known);
    return known;
  };
  const connectionsOf = async (scope: Scope) =>
    (await ctx.call(datasourceList, undefined, scope)).map(({ value }) => value);

  return {
    async examples(query, scope) {
      const alone = createModel({ ...(await layer.for(scope)), verified: [query] }, 1, []);
      return (await matcher(alone)).examples(query, new Date(ctx.now()));
    },

    all: async (scope) => visibleModel(await layer.for(scope)).verified ?? [],

    async find({ turns, connectionId }, scope) {
      const model = await layer.for(scope);
      if ((visibleModel(model).verified ?? []).length === 0) return NONE;
      const asked = turns.at(-1)?.text ?? '';
      const text = chosenByNumber(turns) ?? asked;
      const [, chosen, name] = CHOICE.exec(text) ?? [];
      const last = turns.findLast(({ role }) => role === 'assistant')?.text ?? '';
      const isReply = choicesIn(last).some(({ label }) => label === text);
      // What others ask back goes on from the question: "number of bookings" of "demand in Vienna" is those in Vienna.
      if (isReply && name === undefined && !last.startsWith(UNKNOWN)) return NONE;
      const isFollowUp = !isReply && turns.length > 1;
      const found = (await matcher(model)).find({ text: chosen ?? text, now: new Date(ctx.now()), isFollowUp });
      const main = connectionId === undefined ? undefined : connectionFor(await connectionsOf(scope), undefined).id;
      const isMeant = ({ query }: Pick<Match, 'query'>) =>
        (name === undefined || query.name === name) &&
        (connectionId === undefined || connectionId === (wantedBy(query, model) ?? main));
      const fitting = found.certain.filter(isMeant);
      const certain = fitting.filter(({ query }) => isVouched(query));
      const others = fitting.filter((match) => !certain.includes(match));
      return { certain, near: [...others, ...found.near.filter(isMeant)] };
    },

    async statement(query, values, scope) {
      const model = await layer.for(scope);
      const { id, dbType } = connectionFor(await connectionsOf(scope), wantedBy(query, model));
      const { statementOf } = await import('./statement.ts');
      const sql = await statementOf(query, values, model, await dialectOf(ctx, dbType, scope));
      return { sql, connectionId: id };
    },

    connection: async (id, scope) => connectionFor(await connectionsOf(scope), id),
  };
}

/** `undefined`: the default connection. A plan that does not fit the layer says so when it is used. */
function wantedBy({ connection, plan, source }: ModelVerifiedQuery, model: SemanticModel): string | undefined {
  const own = connection ?? (source === 'default' ? undefined : source);
  if (own !== undefined || plan === undefined) return own;
  try {
    return connectionOf(model, plan as QueryPlan);
  } catch {
    return undefined;
  }
}
