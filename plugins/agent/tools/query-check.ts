/** Asks the plugins whether a query should be reconsidered. */
import { AtlasError, type PluginContext, type SqlResult, type ToolRun } from '../../../kernel/index.ts';
import { type QueryAttempt, type QueryObjection, queryCheck } from '../hooks.ts';
import { notesOf } from '../notes.ts';

const KEY = 'agent.objections';
const STEP_KEY = 'agent.step';

/** Called before each step, and returns it: calls that run side by side all get an objection. */
export function beginStep(memory: Map<string, unknown>, step: number): number {
  memory.set(STEP_KEY, step);
  return step;
}

/** What to tell the model with the result of a query. */
export type NotedResult = (result: SqlResult) => SqlResult;

/**
 * Throws the first time that a plugin has an objection in this question; in a later step the model may insist on its
 * query. What is only of interest with an empty result, the returned function adds to it; it notes on the answer what the
 * model insists on.
 */
export async function checkQuery(
  ctx: Pick<PluginContext, 'call'>,
  attempt: Omit<QueryAttempt, 'question'>,
  { scope, question, memory }: ToolRun,
): Promise<NotedResult> {
  const collected = await ctx.call(queryCheck, { ...attempt, question }, scope);
  if (collected.length === 0) return (result) => result;
  /** The step in which each objection was told. */
  const told = (memory.get(KEY) as Map<string, unknown> | undefined) ?? new Map<string, unknown>();
  memory.set(KEY, told);
  const step = memory.get(STEP_KEY);
  const isNew = (message: string) => !told.has(message) || (step !== undefined && told.get(message) === step);
  const all = collected.map(({ value }) => value);
  const objections = all.filter(({ message, onlyWhenEmpty }) => onlyWhenEmpty !== true && isNew(message));
  if (objections.length === 0) {
    return (result) => {
      for (const { note } of all) if (note !== undefined) notesOf(memory).add(note);
      return withNotes(result, all);
    };
  }
  for (const { message } of objections) told.set(message, step);
  throw new AtlasError(objections.map(({ message }) => message).join(' '), {
    code: 'invalid_request',
    reason: 'E_QUERY_QUESTIONABLE',
    hint: objections.map(({ hint }) => hint).join(' '),
  });
}

function withNotes(result: SqlResult, objections: readonly QueryObjection[]): SqlResult {
  if (!isEmpty(result)) return result;
  return { ...result, notes: [...objections.map(({ message, hint }) => `${message} ${hint}`), ...result.notes] };
}

/** No rows, or one row of totals over none. */
function isEmpty({ rows }: SqlResult): boolean {
  if (rows.length > 1) return false;
  return rows.every((row) => Object.values(row).every((value) => value === null || Number(value) === 0));
}
