/** Builds the agent's API: the work on a question, wrapped by the plugins that tap `agent.wrap`. */
import { datasourceList, type PluginContext, type Question, type Scope } from '../../kernel/index.ts';
import type { Agent, Answer } from './api.ts';
import { type Ask, agentWrap } from './hooks.ts';

type AskedAgent = Pick<Agent, 'requestTimeoutMs' | 'ask' | 'answer'>;

/** Collects the wrappers once all plugins are set up. */
export function wrappedAgent(ctx: PluginContext, work: Ask, requestTimeoutMs: number): AskedAgent {
  let wrapped = work;
  ctx.onReady(async () => {
    const wrappers = await ctx.call(agentWrap, undefined, ctx.scope());
    wrapped = wrappers.reduceRight((inner, { value: wrap }) => wrap(inner), work);
  });
  const isKnown = async ({ connectionId }: Question, scope: Scope): Promise<boolean> => {
    if (connectionId === undefined) return true;
    const connections = await ctx.call(datasourceList, undefined, scope);
    return connections.some(({ value }) => value.id === connectionId);
  };
  const ask: Ask = async function* (question, scope, isStreamed) {
    // A question to an unknown connection goes past the wrappers: it is refused, and nothing of it is recorded.
    yield* ((await isKnown(question, scope)) ? wrapped : work)(question, scope, isStreamed);
  };
  return {
    requestTimeoutMs,
    ask: (question, scope) => ask(question, scope, true),
    async answer(question, scope, observe) {
      let answer: Answer | undefined;
      for await (const event of ask(question, scope, false)) {
        observe?.(event);
        if (event.type === 'finish') answer = event.answer;
      }
      return answer as Answer;
    },
  };
}
