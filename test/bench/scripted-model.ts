/** A model that answers at once: one call of `executeSQL`, then a sentence. Run by `startChild`. */
import { type OpenAIServerOptions, startOpenAIServer } from '../harness/openai-server.ts';
import { childInput } from './child.ts';

/** Steps for any number of conversations, of two requests each. */
export function scriptOf(sql: string): Extract<OpenAIServerOptions, { respond: unknown }>['respond'] {
  // As many tokens as the prompt has: fewer would be taken for a prompt that the server has cut.
  const usage = { input: 5_000, output: 20 };
  const call = { toolCall: { name: 'executeSQL', args: { sql } }, usage };
  const answer = { text: 'Most of the orders are closed; the table shows how many there are in each status.', usage };
  return ({ text }) => (text.includes('"role":"tool"') ? answer : call);
}

if (import.meta.main) {
  const { sql } = await childInput<{ sql: string }>();
  const { url } = await startOpenAIServer({ record: false, respond: scriptOf(sql) });
  process.send?.({ url });
}
