/** Tests that a call succeeds without the fields that its server refuses, over each way in which models are called. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { aiSdkModel } from '../model-ai-sdk/index.ts';
import { openaiModel } from '../model-openai/index.ts';
import type { ModelSource } from './source.ts';

type Body = Readonly<Record<string, unknown>>;

/** A server that refuses some fields, and otherwise answers nothing useful. */
async function strictServer(refusal: (body: Body) => object | string | undefined) {
  const bodies: Body[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    bodies.push(body);
    const refused = refusal(body);
    response.writeHead(refused === undefined ? 500 : 400, { 'content-type': 'application/json' });
    response.end(refused === undefined ? '{"error":{"message":"taken"}}' : JSON.stringify(refused));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    bodies,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const tools: LanguageModelV4CallOptions['tools'] = [
  { type: 'function', name: 'f', inputSchema: { type: 'object', properties: { temperature: { type: 'number' } } } },
];
const call: LanguageModelV4CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'temperature' }] }],
  tools,
};

/** How often each of two calls was sent; every call ends with the failure that says it was taken. */
async function callsTo(source: ModelSource): Promise<void> {
  try {
    const model = await source.load();
    for (const send of ['doGenerate', 'doStream'] as const)
      await expect(model[send](call)).rejects.toMatchObject({ responseBody: expect.stringContaining('taken') });
  } finally {
    source.close?.();
  }
}

const message = (text: string) => ({ error: { message: text, type: 'invalid_request_error' } });

test.each<[string, Body, (body: Body) => object | undefined]>([
  [
    'temperature',
    { temperature: 0.2 },
    (body) =>
      'temperature' in body
        ? message("Unsupported value: 'temperature' does not support 0.2 with this model.")
        : undefined,
  ],
  [
    'one after the other',
    { reasoning_effort: 'low', parallel_tool_calls: false },
    (body) => {
      const name = ['parallel_tool_calls', 'reasoning_effort', 'tool_choice'].find((field) => field in body);
      return name === undefined ? undefined : { detail: [{ type: 'extra_forbidden', loc: ['body', name] }] };
    },
  ],
  [
    'max_tokens',
    { max_tokens: 100 },
    (body) =>
      'max_tokens' in body
        ? message("Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.")
        : undefined,
  ],
])('%s: left out, and from then on', async (_, fields, refusal) => {
  for (const provider of ['openai-compatible', 'openai'] as const) {
    await using server = await strictServer(refusal);
    await callsTo(openaiModel({ provider, baseUrl: server.url, apiKey: 'x', model: 'm', body: fields }));
    const last = server.bodies.slice(-2);
    for (const body of last) {
      for (const name of Object.keys(fields)) expect(body).not.toHaveProperty(name);
      expect(JSON.stringify(body.tools)).toContain('temperature');
      if ('max_tokens' in fields) expect(body.max_completion_tokens).toBe(100);
    }
  }
});

test('strict tools', async () => {
  await using server = await strictServer((body) =>
    JSON.stringify(body.tools).includes('"strict"')
      ? message('tools.0.function.strict: Extra inputs are not permitted')
      : undefined,
  );
  const source = openaiModel({ provider: 'openai', baseUrl: server.url, apiKey: 'x', model: 'm' });
  const model = await source.load();
  const strict = { ...call, tools: tools.map((tool) => ({ ...tool, strict: true })) };
  await expect(model.doGenerate(strict)).rejects.toMatchObject({ responseBody: expect.stringContaining('taken') });
  expect(server.bodies).toHaveLength(2);
  source.close?.();
});

test('models of other packages', async () => {
  for (const provider of ['anthropic', 'google', 'mistral'] as const) {
    await using server = await strictServer((body) =>
      JSON.stringify(body).includes('"temperature":0.2')
        ? message('temperature is not supported with this model')
        : undefined,
    );
    const fields = provider === 'google' ? { generationConfig: { temperature: 0.2 } } : { temperature: 0.2 };
    await callsTo(aiSdkModel({ provider, model: 'm', apiKey: 'x', baseUrl: server.url, body: fields }));
    expect(server.bodies).toHaveLength(3);
  }
});

test('what is needed stays, and other failures are not tried again', async () => {
  for (const text of [
    'model not supported',
    "Unknown field 'tools'",
    'temperature is too high',
    'messages: not allowed',
  ]) {
    await using server = await strictServer(() => message(text));
    const source = openaiModel({
      provider: 'openai-compatible',
      baseUrl: server.url,
      model: 'm',
      body: { temperature: 9 },
    });
    await expect((await source.load()).doGenerate(call)).rejects.toThrow(text);
    expect(server.bodies).toHaveLength(1);
    source.close?.();
  }
});
