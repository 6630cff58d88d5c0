/** A model that answers at once: one call of `executeSQL`, then a sentence. Run by `startChild`. */
import { type OpenAIServerOptions, startOpenAIServer } from '../harness/openai-server.ts';
import { childInput } from './child.ts';

const BYTES_PER_TOKEN = 4;

/** Steps for any number of conversations, of two requests each. */
export function scriptOf(sql: string): Extract<OpenAIServerOptions, { respond: unknown }>['respond'] {
  const call = { toolCall: { name: 'executeSQL', args: { sql } } };
  const answer = { text: 'Most of the orders are closed; the table shows how many there are in each status.' };
  return ({ text }) => ({
    ...(text.includes('"role":"tool"') ? answer : call),
    usage: { input: Math.ceil(text.length / BYTES_PER_TOKEN), output: 20 },
  });
}

if (import.meta.main) {
  const { sql } = await childInput<{ sql: string }>();
  const { url } = await startOpenAIServer({ record: false, respond: scriptOf(sql) });
  process.send?.({ url });
}
