/** What the model client costs: a call by the provider package as Atlas makes it, against a bare request of the same bytes. */
import { Agent } from 'node:http';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { openaiModel } from '../../plugins/model-openai/index.ts';
import { startOpenAIServer } from '../harness/openai-server.ts';
import { send, textOf } from './client.ts';
import { median, type Row } from './measure.ts';

const CALLS = 100;
const ROUNDS = 12;
const WARM_UP = 3;

interface SentBody {
  readonly messages: readonly { readonly role: 'system' | 'user'; readonly content: string }[];
  readonly tools: readonly { readonly function: { name: string; description: string; parameters: object } }[];
}

/** The call of which Atlas made the body of a first request. */
function callOf(body: string): LanguageModelV4CallOptions {
  const { messages, tools } = JSON.parse(body) as SentBody;
  return {
    prompt: messages.map(({ role, content }) =>
      role === 'system' ? { role, content } : { role, content: [{ type: 'text', text: content }] },
    ),
    tools: tools.map(({ function: { name, description, parameters: inputSchema } }) => ({
      type: 'function',
      name,
      description,
      inputSchema,
    })),
  };
}

const modelAt = (baseUrl: string) =>
  openaiModel({ provider: 'openai-compatible', baseUrl, model: 'scripted' } as Parameters<
    typeof openaiModel
  >[0]).load();

async function call(model: LanguageModelV4, options: LanguageModelV4CallOptions, isStreamed: boolean): Promise<void> {
  if (!isStreamed) await model.doGenerate(options);
  else for await (const _ of (await model.doStream(options)).stream);
}

/** The body of the call as it reaches a server; throws when Atlas would have sent another. */
async function bytesOf(options: LanguageModelV4CallOptions, isStreamed: boolean, expected: string): Promise<string> {
  await using server = await startOpenAIServer({ respond: () => ({ text: 'Yes.' }) });
  await call(await modelAt(server.url), options, isStreamed);
  const sent = server.requests[0]?.text ?? '';
  if (sent !== expected) throw new Error('The model client sends another body than Atlas did.');
  return sent;
}

/** Processor time of this process in milliseconds, for one of many calls. */
async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let calls = 0; calls < CALLS; calls += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / CALLS;
}

/** `bodies`: of the first request for a question, not streamed and streamed. */
export async function modelClientRows(modelUrl: string, bodies: readonly [string, string]): Promise<Row[]> {
  const agent = new Agent({ keepAlive: true });
  const model = await modelAt(modelUrl);
  const rows: Row[] = [];
  for (const [body, isStreamed] of [[bodies[0], false] as const, [bodies[1], true] as const]) {
    const options = callOf(body);
    const bytes = await bytesOf(options, isStreamed, body);
    const [own, bare]: [number[], number[]] = [[], []];
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const ownMs = await processorMs(() => call(model, options, isStreamed));
      const bareMs = await processorMs(async () => textOf(await send(agent, `${modelUrl}/chat/completions`, bytes)));
      if (round < 0) continue;
      own.push(ownMs);
      bare.push(bareMs);
    }
    const what = `one model call${isStreamed ? ', streamed' : ''}: processor time of the client, floor: a bare request`;
    rows.push({ what, value: median(own), unit: 'ms', floor: median(bare) });
  }
  agent.destroy();
  return rows;
}
