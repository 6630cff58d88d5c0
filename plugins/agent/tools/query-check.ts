/** Asks the plugins whether a query should be reconsidered. */
import { AtlasError, type PluginContext, type ToolRun } from '../../../kernel/index.ts';
import { type QueryAttempt, queryCheck } from '../hooks.ts';
import { notesOf } from '../notes.ts';

const KEY = 'agent.objections';
const STEP_KEY = 'agent.step';

/** Called before each step, and returns it: calls that run side by side all get an objection. */
export function beginStep(memory: Map<string, unknown>, step: number): number {
  memory.set(STEP_KEY, step);
  return step;
}

/**
 * Throws the first time that a plugin has an objection in this question; in a later step the model may insist on its
 * query. To be called once it has run, the returned function notes on the answer what the model insists on.
 */
export async function checkQuery(
  ctx: Pick<PluginContext, 'call'>,
  attempt: Omit<QueryAttempt, 'question'>,
  { scope, question, memory }: ToolRun,
): Promise<() => void> {
  const collected = await ctx.call(queryCheck, { ...attempt, question }, scope);
  if (collected.length === 0) return () => {};
  /** The step in which each objection was told. */
  const told = (memory.get(KEY) as Map<string, unknown> | undefined) ?? new Map<string, unknown>();
  memory.set(KEY, told);
  const step = memory.get(STEP_KEY);
  const isNew = (message: string) => !told.has(message) || (step !== undefined && told.get(message) === step);
  const all = collected.map(({ value }) => value);
  const objections = all.filter(({ message }) => isNew(message));
  if (objections.length === 0) {
    return () => {
      for (const { note } of all) if (note !== undefined) notesOf(memory).add(note);
    };
  }
  for (const { message } of objections) told.set(message, step);
  throw new AtlasError(objections.map(({ message }) => message).join(' '), {
    code: 'invalid_request',
    reason: 'E_QUERY_QUESTIONABLE',
    hint: objections.map(({ hint }) => hint).join(' '),
  });
}
