/** Asks the plugins whether a query should be reconsidered before it runs. */
import { AtlasError, type PluginContext, type ToolRun } from '../../../kernel/index.ts';
import { type QueryAttempt, queryCheck } from '../hooks.ts';

const KEY = 'agent.objections';

/** Throws the first time that a plugin has an objection in this question; the model may then insist on its query. */
export async function checkQuery(
  ctx: Pick<PluginContext, 'call'>,
  attempt: Omit<QueryAttempt, 'question'>,
  { scope, question, memory }: ToolRun,
): Promise<void> {
  const collected = await ctx.call(queryCheck, { ...attempt, question }, scope);
  if (collected.length === 0) return;
  const told = (memory.get(KEY) as Set<string> | undefined) ?? new Set();
  memory.set(KEY, told);
  const objections = collected.map(({ value }) => value).filter(({ message }) => !told.has(message));
  if (objections.length === 0) return;
  for (const { message } of objections) told.add(message);
  throw new AtlasError(objections.map(({ message }) => message).join(' '), {
    code: 'invalid_request',
    reason: 'E_QUERY_QUESTIONABLE',
    hint: objections.map(({ hint }) => hint).join(' '),
  });
}
