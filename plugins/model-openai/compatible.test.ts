import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { testShop } from '../../test/harness/scripted-agent.ts';
import { agent } from '../agent/index.ts';
import { modelOpenai, openaiModel } from './index.ts';

/** A server that answers the first request with `call` and the second with `text`, as they are. */
async function odd(call: string, text: string, contentType: string) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString());
      response.setHeader('content-type', contentType);
      // In two pieces, cut inside a line and inside a character.
      const body = Buffer.from(bodies.length === 1 ? call : text);
      response.write(body.subarray(0, body.length >> 1));
      setTimeout(() => response.end(body.subarray(body.length >> 1)), 5);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const app = await createTestApp({
    plugins: [testShop(), modelOpenai({ provider: 'openai-compatible', baseUrl, maxRetries: 0 }), agent()],
  });
  const question = { turns: [{ role: 'user', text: 'Combien ?' }], surface: 'api' } as const;
  return {
    bodies,
    errors: () => app.lines.map(({ fields }) => fields.error),
    answer: () => app.get(agent).answer(question, app.scope()),
    async ask() {
      for await (const event of app.get(agent).ask(question, app.scope())) {
        if (event.type === 'finish') return event.answer;
      }
      return undefined;
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      server.close();
    },
  };
}

const SQL = 'select count(*) as n from orders';
const sse = (...events: unknown[]) =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
const expected = { text: 'Il y en a 500 – voilà.', sql: [SQL], finishReason: 'stop', usage: { estimated: true } };
const usage = { prompt_tokens: 1, completion_tokens: 1 };

test('documents without index, type, id, usage or finish reason, arguments as an object', async () => {
  const call = {
    choices: [
      { message: { content: null, tool_calls: [{ function: { name: 'executeSQL', arguments: { sql: SQL } } }] } },
    ],
  };
  const text = { choices: [{ message: { role: 'model', content: [{ type: 'text', text: expected.text }] } }] };
  await using server = await odd(JSON.stringify(call), JSON.stringify(text), 'application/json; charset=utf-8');
  expect(await server.answer()).toMatchObject(expected);
});

test('a document where a stream was asked for', async () => {
  const call = {
    choices: [
      {
        message: {
          content: '',
          tool_calls: [{ id: 'a', function: { name: 'executeSQL', arguments: JSON.stringify({ sql: SQL }) } }],
        },
      },
    ],
    usage,
  };
  const text = {
    choices: [{ message: { content: expected.text } }],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
  };
  await using server = await odd(JSON.stringify(call), JSON.stringify(text), 'application/json');
  expect(await server.ask()).toMatchObject({ ...expected, usage: { totalTokens: 9 } });
});

test.each(['text/event-stream', 'text/plain', ''])(
  'streams without index, type or finish reason, as "%s"',
  async (type) => {
    const call = sse(
      { choices: [{ delta: { role: 'assistant', content: null } }] },
      { choices: [{ delta: { tool_calls: [{ function: { name: 'executeSQL', arguments: { sql: SQL } } }] } }] },
      { usage },
      '[DONE]',
    );
    const text = `: keep alive\r\n\r\nevent: message\r\n${sse(
      { choices: [{ delta: { content: 'Il y en ' }, finish_reason: '' }] },
      { choices: [{ delta: { content: 'a 500 – ' } }] },
      { choices: [{ delta: { content: 'voilà.', annotations: [{ odd: 1 }] }, logprobs: { content: [1] } }] },
      { usage: { prompt_tokens: 3, completion_tokens: 4 } },
      '[DONE]',
    ).replaceAll('\n', '\r\n')}`;
    await using server = await odd(call, text, type);
    expect(await server.ask()).toMatchObject({ ...expected, usage: { totalTokens: 9 } });
  },
);

test.each([
  ['answer', '', 'The reply broke off.'],
  ['ask', '', 'The stream broke off.'],
  ['answer', 'data: {"choices":[null]}', 'A choice is not an object.'],
  ['ask', 'data: {"choices":[null]}', 'A choice is not an object.'],
] as const)('the log of %s has why %j could not be read', async (how, body, why) => {
  await using server = await odd(body, body, 'text/event-stream');
  await expect(server[how]()).rejects.toMatchObject({ code: 'provider_error' });
  expect(server.errors()).toContain(`The response could not be read. Cause: ${why}`);
});

test('shapes that make no sense are an error of the provider, and the process stays up', async () => {
  const message = { content: 'x', tool_calls: 'none' };
  const bodies = [{ choices: [null] }, { choices: [{ message, delta: message }] }, { choices: 'x' }, [1], null, 7];
  for (const body of bodies) {
    for (const type of ['application/json', 'text/event-stream']) {
      const text = type === 'application/json' ? JSON.stringify(body) : sse(body, '[DONE]');
      await using server = await odd(text, text, type);
      await expect(server.ask()).rejects.toMatchObject({ code: 'provider_error' });
      await expect(server.answer()).rejects.toMatchObject({ code: 'provider_error' });
    }
  }
});

test('a body without end is given up', async () => {
  const endless = `{"choices":[{"message":{"content":"${'x'.repeat(33 * 1024 * 1024)}"}}]}`;
  await using server = await odd(endless, endless, 'application/json');
  await expect(server.answer()).rejects.toMatchObject({ code: 'provider_error' });
});

test('a stream that ends without any sign of an end is not an answer', async () => {
  const text = sse({ choices: [{ delta: { content: 'Il y en ' } }] });
  await using server = await odd(text, text, 'text/event-stream');
  await expect(server.ask()).rejects.toMatchObject({ code: 'provider_error' });
});

/** The parts that the model makes of a body, which is sent in pieces. */
async function partsOf(pieces: readonly string[], type = 'text/event-stream') {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': type });
    const send = ([piece, ...more]: readonly string[]) => {
      if (response.destroyed) return undefined;
      if (piece === undefined) return response.end();
      response.write(piece);
      return setTimeout(() => send(more), 10);
    };
    send(pieces);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const source = openaiModel({ provider: 'openai-compatible', baseUrl });
  try {
    const { stream } = await (await source.load()).doStream({ prompt: [] });
    return await Array.fromAsync(stream);
  } finally {
    source.close?.();
    server.close();
  }
}

test('text that arrives together is joined, and nothing else is', async () => {
  const word = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
  const events = sse(word('a'), word('b'), { choices: [{ delta: {}, finish_reason: 'stop' }] }, { usage: {} });
  expect(await partsOf([events.slice(0, 20), events.slice(20), 'data: [DONE]'])).toMatchObject([
    { type: 'stream-start' },
    { type: 'text-start' },
    { type: 'text-delta', delta: 'ab' },
    { type: 'text-end' },
    { type: 'finish', finishReason: { unified: 'stop' } },
  ]);
});

test('reasoning, words and calls come in their order, lists of parts as well', async () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'So.' }] };
  const call = { id: 'a', function: { name: 'one', arguments: '{}' } };
  const deltas = [
    { reasoning: 'Hm.' },
    { content: [thinking, { type: 'text', text: 'Yes' }, { type: 'odd' }] },
    { content: [] },
    { content: '!' },
    { tool_calls: [call] },
  ];
  const usage = { prompt_tokens: 3, completion_tokens: 4 };
  expect(await partsOf([sse(...deltas.map((delta) => ({ choices: [{ delta }] })), { usage }, '[DONE]')])).toMatchObject(
    [
      { type: 'stream-start' },
      { type: 'reasoning-start' },
      { type: 'reasoning-delta', delta: 'Hm.' },
      { type: 'reasoning-delta', delta: 'So.' },
      { type: 'reasoning-end' },
      { type: 'text-start' },
      { type: 'text-delta', delta: 'Yes' },
      { type: 'text-delta', delta: '!' },
      { type: 'text-end' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'one', input: '{}' },
      { type: 'finish', finishReason: { unified: 'tool-calls' }, usage: { inputTokens: { total: 3 } } },
    ],
  );
});

test('calls in pieces, with and without an index, stay apart', async () => {
  const piece = (...calls: object[]) => ({ choices: [{ delta: { tool_calls: calls } }] });
  const numbered = [
    piece({ index: 0, id: 'a', function: { name: 'one', arguments: '' } }),
    piece({ index: 1, id: 'b', function: { name: 'two', arguments: '{"x"' } }),
    piece({ index: 0, function: { arguments: '{}' } }, { index: 1, function: { arguments: ':1}' } }),
  ];
  const whole = [
    piece({ id: 'a', function: { name: 'one', arguments: '{}' } }),
    piece({ id: 'b', function: { name: 'two', arguments: { x: 1 } } }),
  ];
  for (const pieces of [numbered, whole]) {
    const parts = await partsOf([sse(...pieces, '[DONE]')]);
    expect(parts.filter(({ type }) => type === 'tool-call' || type === 'finish')).toMatchObject([
      { toolCallId: 'a', toolName: 'one', input: '{}' },
      { toolCallId: 'b', toolName: 'two', input: '{"x":1}' },
      { finishReason: { unified: 'tool-calls' } },
    ]);
  }
});

test('a refusal is text, and the reason of the end', async () => {
  const body = '{"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]}';
  expect(await partsOf([body], 'application/json')).toMatchObject([
    { type: 'stream-start' },
    { type: 'text-start' },
    { delta: 'No.' },
    { type: 'text-end' },
    { finishReason: { unified: 'content-filter' } },
  ]);
});

test('a server that keeps its response open after the end does not keep the reader', async () => {
  // Open for ten seconds, of which the reader needs few on a machine that does other work.
  const parts = partsOf([sse({ choices: [{ delta: { content: 'a' } }] }, '[DONE]'), ...Array(1_000).fill(': wait\n')]);
  const late = new Promise((resolve) => setTimeout(() => resolve('late'), 5_000).unref());
  expect(await Promise.race([parts, late])).toMatchObject({ length: 5 });
});

test('a stream where a document was asked for', async () => {
  const piece = (call: object) => ({ choices: [{ delta: { tool_calls: [call] } }] });
  const call = sse(
    piece({ index: 0, id: 'a', function: { name: 'executeSQL', arguments: '{"sql":' } }),
    piece({ index: 0, function: { arguments: `${JSON.stringify(SQL)}}` } }),
    { usage },
    '[DONE]',
  );
  const text = sse(
    { choices: [{ delta: { content: 'Il y en a ' } }] },
    { choices: [{ delta: { content: '500 – voilà.' }, finish_reason: 'stop' }], usage: { prompt_tokens: 3 } },
  );
  for (const type of ['text/event-stream', 'text/plain']) {
    await using server = await odd(call, text, type);
    expect(await server.answer()).toMatchObject({ ...expected, usage: { inputTokens: 4 } });
  }
});

test.each(['reasoning', 'reasoning_content'])('%s goes back to the server in the next step', async (name) => {
  for (const streaming of [true, false]) {
    const said = streaming ? 'delta' : 'message';
    const call = { id: 'a', function: { name: 'executeSQL', arguments: JSON.stringify({ sql: SQL }) } };
    const first = { choices: [{ [said]: { [name]: 'Count them.', tool_calls: [call] } }] };
    const second = { choices: [{ [said]: { content: expected.text }, finish_reason: 'stop' }] };
    const body = (reply: object) => (streaming ? sse(reply, '[DONE]') : JSON.stringify(reply));
    await using server = await odd(body(first), body(second), streaming ? 'text/event-stream' : 'application/json');
    await (streaming ? server.ask() : server.answer());
    const { messages } = JSON.parse(server.bodies[1] ?? '{}');
    expect(messages.find((message: { role: string }) => message.role === 'assistant')).toMatchObject({
      [name]: 'Count them.',
      tool_calls: [{ id: 'a' }],
    });
  }
});

test('a thought signature goes back with its call', async () => {
  const extra_content = { google: { thought_signature: 'sealed' } };
  const call = { id: 'a', function: { name: 'executeSQL', arguments: { sql: SQL } }, extra_content };
  for (const streaming of [true, false]) {
    const body = (reply: object) => (streaming ? sse(reply, '[DONE]') : JSON.stringify(reply));
    const said = streaming ? 'delta' : 'message';
    const replies = [{ tool_calls: [call] }, { content: expected.text }].map((reply) =>
      body({ choices: [{ [said]: reply }] }),
    );
    await using server = await odd(
      replies[0] ?? '',
      replies[1] ?? '',
      streaming ? 'text/event-stream' : 'application/json',
    );
    await (streaming ? server.ask() : server.answer());
    expect(JSON.parse(server.bodies[1] ?? '{}').messages).toContainEqual(
      expect.objectContaining({ tool_calls: [expect.objectContaining({ extra_content })] }),
    );
  }
});

test('a server that does not know the request for usage is asked without it', async () => {
  const bodies: { stream_options?: object }[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    bodies.push(body);
    if (body.stream_options !== undefined) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"error":"Extra inputs are not permitted: stream_options"}');
    } else response.end(sse({ choices: [{ delta: { content: 'a' } }] }, '[DONE]'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const source = openaiModel({ provider: 'openai-compatible', baseUrl });
  const model = await source.load();
  for (const _ of [1, 2]) await Array.fromAsync((await model.doStream({ prompt: [] })).stream);
  source.close?.();
  server.close();
  expect(bodies.map((body) => body.stream_options !== undefined)).toEqual([true, false, false]);
});

test.each([
  [['qwen3:14b', 'llama4'], 'Did you mean qwen3:14b?'],
  [['a', 'b', 'c', 'd', 'e', 'f', '<b>not a name</b>', null], 'It has a, b, c, d, e and 1 more.'],
  [[], 'Check the name of the model and the base URL.'],
])('an unknown model is named with those that the server has: %j', async (ids, hint) => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(request.method === 'GET' ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(request.method === 'GET' ? { data: ids.map((id) => ({ id })) } : { error: 'no model' }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const options = { provider: 'openai-compatible', baseUrl, model: 'qwen3:14', maxRetries: 0 } as const;
  await using app = await createTestApp({ plugins: [testShop(), modelOpenai(options), agent()] });
  const question = { turns: [{ role: 'user', text: 'How many?' }], surface: 'api' } as const;
  await expect(app.get(agent).answer(question, app.scope())).rejects.toMatchObject({
    code: 'provider_model_not_found',
    hint: expect.stringContaining(hint),
  });
  server.close();
});

test.each<[string, readonly object[]]>([
  [
    'arguments that repeat what came before',
    ['{"sq', '{"sql":"select ', JSON.stringify({ sql: SQL })].map((args) => ({
      index: 0,
      id: 'a',
      function: { name: 'executeSQL', arguments: args },
    })),
  ],
  [
    'a name in two pieces',
    [
      { index: 0, id: 'a', function: { name: 'execute', arguments: '' } },
      { index: 0, function: { name: 'SQL', arguments: '' } },
      { index: 0, function: { arguments: JSON.stringify({ sql: SQL }) } },
    ],
  ],
  [
    'a name that grows',
    [
      { index: 0, id: 'a', function: { name: 'execute', arguments: '' } },
      { index: 0, function: { name: 'executeSQL', arguments: '{"sql": ' } },
      { index: 0, function: { name: 'executeSQL', arguments: `${JSON.stringify(SQL)}}` } },
    ],
  ],
  ['all of it twice', Array(2).fill({ index: 0, id: 'a', function: { name: 'executeSQL', arguments: { sql: SQL } } })],
])('%s', async (_, pieces) => {
  const call = sse(...pieces.map((piece) => ({ choices: [{ delta: { tool_calls: [piece] } }] })), '[DONE]');
  const text = sse({ choices: [{ delta: { content: expected.text }, finish_reason: 'stop' }] }, '[DONE]');
  await using server = await odd(call, text, 'text/event-stream');
  expect(await server.ask()).toMatchObject(expected);
  await using other = await odd(call, text, 'text/event-stream');
  expect(await other.answer()).toMatchObject(expected);
});

test('reasoning details go back with their call, put together', async () => {
  const call = { index: 0, id: 'a', function: { name: 'executeSQL', arguments: { sql: SQL } } };
  const detail = (text: string, more = {}) => ({ type: 'reasoning.text', text, index: 0, format: 'x', ...more });
  const sealed = { type: 'reasoning.encrypted', data: 'sealed', id: 'rs_1', index: 1 };
  const whole = [detail('Count them.', { signature: 'sig' }), sealed];
  const pieces = [
    { reasoning: 'Count ', reasoning_details: [detail('Count ')] },
    { reasoning: 'them.', reasoning_details: [detail('them.', { signature: 'sig' })] },
    { reasoning_details: [sealed] },
    { tool_calls: [call] },
  ];
  for (const streaming of [true, false]) {
    const first = streaming
      ? sse(...pieces.map((delta) => ({ choices: [{ delta }] })), '[DONE]')
      : JSON.stringify({ choices: [{ message: { reasoning_details: whole, tool_calls: [call] } }] });
    const second = { choices: [{ [streaming ? 'delta' : 'message']: { content: expected.text } }] };
    const text = streaming ? sse(second, '[DONE]') : JSON.stringify(second);
    await using server = await odd(first, text, streaming ? 'text/event-stream' : 'application/json');
    await (streaming ? server.ask() : server.answer());
    const { messages } = JSON.parse(server.bodies[1] ?? '{}');
    const sent = messages.find((message: { role: string }) => message.role === 'assistant');
    expect(sent.reasoning_details).toEqual(whole);
    expect(JSON.stringify(sent.tool_calls)).not.toContain('extra_content');
  }
});
