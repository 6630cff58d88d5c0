/** Tests what the protocols of Anthropic and Gemini have for replies that are no answer, streamed and not. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { Question } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { testShop } from '../../test/harness/scripted-agent.ts';
import { agent } from '../agent/index.ts';
import { modelAiSdk } from './index.ts';

const SQL = 'select count(*) as n from orders';
const ANSWER = 'There are 500 orders.';
const question: Question = { turns: [{ role: 'user', text: 'How many orders?' }], surface: 'api' };

type Body = Readonly<Record<string, unknown>>;

/** A reply as its document, and as the events of a stream. */
interface Reply {
  readonly document: Body;
  readonly events: readonly Body[];
}

const usage = { input_tokens: 10, output_tokens: 5 };
const begun = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage };

function anthropic(content: readonly Body[], stop_reason: string, failure?: Body): Reply {
  const blocks = content.flatMap((block, index): Body[] => [
    { type: 'content_block_start', index, content_block: { ...block, ...(block.type === 'text' && { text: '' }) } },
    ...(block.type === 'text'
      ? [{ type: 'content_block_delta', index, delta: { type: 'text_delta', text: block.text } }]
      : []),
    ...(block.type === 'tool_use'
      ? [
          {
            type: 'content_block_delta',
            index,
            delta: { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          },
        ]
      : []),
    { type: 'content_block_stop', index },
  ]);
  const end: readonly Body[] = [
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  return {
    document: failure ?? { ...begun, content, stop_reason },
    events: [{ type: 'message_start', message: begun }, ...blocks, ...(failure === undefined ? end : [failure])],
  };
}

function gemini(candidate: Body | undefined, more: Body = {}): Reply {
  const document = { ...(candidate && { candidates: [{ index: 0, ...candidate }] }), usageMetadata: {}, ...more };
  return { document, events: [document] };
}

const parts = (...list: readonly Body[]) => ({ content: { role: 'model', parts: list } });
const anthropicCall = anthropic([{ type: 'tool_use', id: 'c', name: 'executeSQL', input: { sql: SQL } }], 'tool_use');
const geminiCall = gemini({
  ...parts({ functionCall: { name: 'executeSQL', args: { sql: SQL } } }),
  finishReason: 'STOP',
});
const text = {
  anthropic: anthropic([{ type: 'text', text: ANSWER }], 'end_turn'),
  google: gemini({ ...parts({ text: ANSWER }), finishReason: 'STOP' }),
};
const called = { anthropic: anthropicCall, google: geminiCall };

async function ended(provider: 'anthropic' | 'google', replies: readonly Reply[], isStreamed: boolean) {
  let calls = 0;
  const server = createServer(async (request, response) => {
    const { stream } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const reply = replies[Math.min(calls, replies.length - 1)] as Reply;
    calls += 1;
    const streams = stream === true || request.url?.includes('streamGenerate') === true;
    const status = !streams && reply.document.type === 'error' ? 529 : 200;
    response.writeHead(status, { 'content-type': streams ? 'text/event-stream' : 'application/json' });
    const sse = (event: Body) =>
      `${provider === 'anthropic' ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`;
    response.end(streams ? reply.events.map(sse).join('') : JSON.stringify(reply.document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model = modelAiSdk({ provider, model: 'm', apiKey: 'x', baseUrl, maxRetries: 0 });
  const app = await createTestApp({ plugins: [testShop(), model, agent()] });
  try {
    let shown = '';
    if (!isStreamed) return { ...(await app.get(agent).answer(question, app.scope())), calls };
    for await (const event of app.get(agent).ask(question, app.scope())) {
      if (event.type === 'text') shown += event.text;
      if (event.type === 'finish') return { ...event.answer, text: shown, calls };
    }
    throw new Error('no answer');
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    return { text: `${message} ${hint}`, outcome: 'error', calls };
  } finally {
    await app.close();
    server.close();
  }
}

const NOTHING = { content: {} };

test.each<[string, 'anthropic' | 'google', readonly Reply[]]>([
  [
    'Gemini: MALFORMED_FUNCTION_CALL',
    'google',
    [gemini({ ...NOTHING, finishReason: 'MALFORMED_FUNCTION_CALL' }), geminiCall, text.google],
  ],
  [
    'Gemini: UNEXPECTED_TOOL_CALL',
    'google',
    [gemini({ ...NOTHING, finishReason: 'UNEXPECTED_TOOL_CALL' }), geminiCall, text.google],
  ],
  ['Gemini: STOP with nothing', 'google', [geminiCall, gemini({ ...NOTHING, finishReason: 'STOP' }), text.google]],
  ['Gemini: no candidates', 'google', [geminiCall, gemini(undefined), text.google]],
  ['Anthropic: end_turn with nothing', 'anthropic', [anthropicCall, anthropic([], 'end_turn'), text.anthropic]],
  [
    'Anthropic: pause_turn',
    'anthropic',
    [anthropicCall, anthropic([{ type: 'text', text: 'Wait.' }], 'pause_turn'), text.anthropic],
  ],
])('%s: goes on', async (_, provider, replies) => {
  for (const isStreamed of [false, true]) {
    const end = await ended(provider, replies, isStreamed);
    expect(end).toMatchObject({ text: expect.stringContaining(ANSWER), outcome: 'answered', sql: [SQL], calls: 3 });
  }
});

test.each<[string, 'anthropic' | 'google', Reply, string, RegExp]>([
  ['Gemini: SAFETY', 'google', gemini({ ...NOTHING, finishReason: 'SAFETY' }), 'declined', /content filter.*Word/],
  ['Gemini: RECITATION', 'google', gemini({ ...NOTHING, finishReason: 'RECITATION' }), 'declined', /content filter/],
  [
    'Gemini: a blocked prompt',
    'google',
    gemini(undefined, { promptFeedback: { blockReason: 'SAFETY' } }),
    'declined',
    /content filter/,
  ],
  [
    'Gemini: SAFETY behind a text',
    'google',
    gemini({ ...parts({ text: 'There are ' }), finishReason: 'SAFETY' }),
    'declined',
    /There are[\s\S]*content filter.*ended the answer/,
  ],
  ['Gemini: MAX_TOKENS', 'google', gemini({ ...NOTHING, finishReason: 'MAX_TOKENS' }), 'failed', /output limit.*Raise/],
  [
    'Anthropic: refusal',
    'anthropic',
    anthropic([{ type: 'text', text: 'I cannot help with that.' }], 'refusal'),
    'declined',
    /^I cannot help with that\.$/,
  ],
  ['Anthropic: refusal without a text', 'anthropic', anthropic([], 'refusal'), 'declined', /declined.*Word/],
  [
    'Anthropic: the context is full',
    'anthropic',
    anthropic([], 'model_context_window_exceeded'),
    'failed',
    /output limit or the context/,
  ],
])('%s: ends in a sentence', async (_, provider, reply, outcome, said) => {
  for (const isStreamed of [false, true]) {
    const end = await ended(provider, [called[provider], reply], isStreamed);
    expect(end).toMatchObject({ text: expect.stringMatching(said), outcome, calls: 2 });
  }
});

test('Anthropic: a text that its limit cuts is noted', async () => {
  for (const isStreamed of [false, true]) {
    const end = await ended('anthropic', [anthropic([{ type: 'text', text: 'There are ' }], 'max_tokens')], isStreamed);
    expect(end).toMatchObject({ text: 'There are ', notes: [{ code: 'answer_cut' }] });
  }
});

test('Anthropic: overloaded, also in the middle of a stream', async () => {
  const failure = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  for (const isStreamed of [false, true]) {
    const end = await ended('anthropic', [anthropic([{ type: 'text', text: 'There are ' }], '', failure)], isStreamed);
    expect(end.text).toMatch(/is overloaded.*SVC_FALLBACK_MODEL/);
  }
});
