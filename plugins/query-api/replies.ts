/** Makes replies of answers and of statements, whose rows count as memory until the client has them. */
import type { Question, RouteReply, Scope, SqlRequest } from '../../kernel/index.ts';
import { type Agent, type Answer, shownTable } from '../agent/index.ts';
import { answerWithoutSql } from './hidden-sql.ts';
import { shownActions } from './pending-actions.ts';
import type { QueryResult } from './schemas.ts';

/** For the end of an answer to be stored and to reach its client, beyond the deadline of its question. */
const TAKING_MS = 5_000;

/** Failures of configuration, datasource and model provider; see the table of error codes. */
export const QUESTION_ERRORS = [
  'configuration_error',
  'no_datasource',
  'datasource_unavailable',
  'not_found',
  'conflict',
  'not_available',
  'budget_exhausted',
  'provider_model_not_found',
  'provider_auth_error',
  'provider_rate_limit',
  'provider_timeout',
  'provider_unreachable',
  'provider_error',
];

/** When a client must have taken the whole answer to a question asked now, on the clock of `performance`. */
export function sendUntil({ requestTimeoutMs }: Pick<Agent, 'requestTimeoutMs'>): number {
  return performance.now() + requestTimeoutMs + TAKING_MS;
}

/** Failures of a statement: refused, rejected by the database, or not run. */
export const STATEMENT_ERRORS = [
  'sql_refused',
  'sql_failed',
  'sql_timeout',
  'forbidden',
  'configuration_error',
  'no_datasource',
  'datasource_unavailable',
  'unavailable',
];

/** An answer as clients get it. */
export function resultOf(answer: Answer, hasActions: boolean): QueryResult {
  const { text, sql, data, steps, usage, conversationId, ...end } = answer;
  const pending = shownActions(end, hasActions);
  return {
    answer: text,
    outcome: end.outcome,
    notes: [...end.notes],
    ...(end.choices !== undefined && { choices: [...end.choices] }),
    ...(end.verified !== undefined && { verified: { ...end.verified } }),
    sql: [...sql],
    data: data.map(shownTable) as QueryResult['data'],
    steps,
    usage,
    ...(conversationId !== undefined && { conversationId }),
    ...(pending !== undefined && { pendingActions: pending }),
  };
}

/** `hasActions`: the answer lists those that await approval, even if there are none. */
export async function answerReply(
  agent: Agent,
  question: Question,
  scope: Scope,
  hasActions: boolean,
): Promise<RouteReply> {
  const until = sendUntil(agent);
  // Rows that a client does not take are in memory for as long as it takes.
  const release = agent.retain?.(scope) ?? (() => {});
  try {
    return { body: resultOf(await agent.answer(question, scope), hasActions), sendUntil: until, done: release };
  } catch (error) {
    release();
    throw error;
  }
}

/** A statement in the form of an answer, without a text; `hasActions` as for an answer, `showsSql` of its reader. */
export async function statementReply(
  agent: Pick<Agent, 'runStatement'>,
  request: SqlRequest,
  scope: Scope,
  { hasActions, showsSql }: { readonly hasActions: boolean; readonly showsSql: boolean },
): Promise<RouteReply> {
  const { table, notes, release } = await agent.runStatement(request, scope);
  const answer: Answer = {
    text: '',
    outcome: 'answered',
    notes,
    sql: [request.sql],
    data: [table],
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    pendingActions: [],
    finishReason: 'stop',
  };
  const shown = showsSql ? answer : answerWithoutSql(answer, new Set());
  return { body: resultOf(shown, hasActions), done: release };
}
