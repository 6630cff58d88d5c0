/** A model that answers at once: one call of `executeSQL`, then a sentence. Run by `startChild`. */
import { type OpenAIServerOptions, startOpenAIServer } from '../harness/openai-server.ts';
import { childInput } from './child.ts';

const BYTES_PER_TOKEN = 4;

export interface ModelInput {
  readonly sql: string;
  /** Wait before each answer. */
  readonly afterMs?: number;
}

/** Steps for any number of conversations, of two requests each. */
export function scriptOf(sql: string, afterMs = 0): Extract<OpenAIServerOptions, { respond: unknown }>['respond'] {
  const call = { toolCall: { name: 'executeSQL', args: { sql } } };
  const answer = { text: 'Most of the orders are closed; the table shows how many there are in each status.' };
  return ({ text }) => ({
    ...(text.includes('"role":"tool"') ? answer : call),
    ...(afterMs > 0 && { afterMs }),
    usage: { input: Math.ceil(text.length / BYTES_PER_TOKEN), output: 20 },
  });
}

if (import.meta.main) {
  const { sql, afterMs } = await childInput<ModelInput>();
  const { url } = await startOpenAIServer({ record: false, respond: scriptOf(sql, afterMs) });
  process.send?.({ url });
}
