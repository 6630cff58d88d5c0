/** Tests models other than the built-in one, through the AI SDK's provider interface. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { definePlugin, modelResolve, type ResolvedModel } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { testShop } from '../../test/harness/scripted-agent.ts';
import type { AgentEvent } from './api.ts';
import { agent } from './index.ts';
import type { AgentOptions } from './options.ts';

const question = { turns: [{ role: 'user', text: 'How many?' }], surface: 'api' } as const;
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};

const result = (
  content: LanguageModelV4GenerateResult['content'],
  unified: 'stop' | 'tool-calls' | 'content-filter' = 'stop',
): LanguageModelV4GenerateResult => ({ content, finishReason: { unified, raw: unified }, usage, warnings: [] });

/** Streams the texts of a reply. */
const streamOf = ({ content, finishReason }: LanguageModelV4GenerateResult) =>
  ReadableStream.from<LanguageModelV4StreamPart>([
    ...content.flatMap((part, index): LanguageModelV4StreamPart[] =>
      part.type === 'text'
        ? [
            { type: 'text-start', id: `${index}` },
            { type: 'text-delta', id: `${index}`, delta: part.text },
            { type: 'text-end', id: `${index}` },
          ]
        : [],
    ),
    { type: 'finish', finishReason, usage },
  ]);

type Generate = (options: LanguageModelV4CallOptions, n: number) => PromiseLike<LanguageModelV4GenerateResult>;

async function appWith(generate: Generate, options: Partial<AgentOptions> = {}, version = 'v4') {
  let n = 0;
  const model = {
    specificationVersion: version,
    provider: 'custom',
    modelId: 'custom-1',
    supportedUrls: {},
    doGenerate: (call: LanguageModelV4CallOptions) => generate(call, n++),
    doStream: async (call: LanguageModelV4CallOptions) => ({ stream: streamOf(await generate(call, n++)) }),
  } satisfies Omit<LanguageModelV4, 'specificationVersion'> & ResolvedModel['model'];
  const custom = definePlugin({
    name: 'model-custom',
    version: '1.0.0',
    type: 'model',
    description: 'A model of the test.',
    setup: (ctx) => ctx.tap(modelResolve, () => ({ model, provider: 'custom' })),
  });
  return createTestApp({ plugins: [testShop(), custom(), agent(options)] });
}

test('the system message ends with a cache point for the providers that want one', async () => {
  let first: LanguageModelV4CallOptions['prompt'] = [];
  await using app = await appWith(async ({ prompt }) => {
    first = prompt;
    return result([{ type: 'text', text: 'One.' }]);
  });
  await app.get(agent).answer(question, app.scope());
  expect(first.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(first[0]?.providerOptions).toEqual({
    anthropic: { cacheControl: { type: 'ephemeral' } },
    bedrock: { cachePoint: { type: 'default' } },
  });
  expect(first[1]?.providerOptions).toBeUndefined();
});

test("the provider's metadata on reasoning and calls is sent back to it", async () => {
  const mark = (value: string) => ({ providerMetadata: { custom: { mark: value } } });
  let second: LanguageModelV4CallOptions['prompt'] = [];
  await using app = await appWith(async ({ prompt }, n) => {
    if (n === 1) second = prompt;
    const input = '{"sql":"select 1"}';
    return n === 0
      ? result([
          { type: 'reasoning', text: '', ...mark('thought') },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'executeSQL', input, ...mark('call') },
        ])
      : result([{ type: 'text', text: 'One.' }]);
  });
  expect((await app.get(agent).answer(question, app.scope())).usage.totalTokens).toBe(6);
  expect(second[2]).toEqual({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: '', providerOptions: { custom: { mark: 'thought' } } },
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'executeSQL',
        input: { sql: 'select 1' },
        providerOptions: { custom: { mark: 'call' } },
      },
    ],
  });
});

test('reasoning is an event and no part of the answer', async () => {
  await using app = await appWith(async () =>
    result([
      { type: 'reasoning', text: 'Counting is enough.' },
      { type: 'text', text: 'One.' },
    ]),
  );
  const events: AgentEvent[] = [];
  const answer = await app.get(agent).answer(question, app.scope(), (event) => events.push(event));
  expect(answer.text).toBe('One.');
  expect(events.slice(0, 2)).toEqual([
    { type: 'reasoning', text: 'Counting is enough.' },
    { type: 'text', text: 'One.' },
  ]);
});

test('a model that ignores its deadline is not waited for', async () => {
  await using app = await appWith(() => new Promise(() => {}), { stepTimeoutMs: 50 });
  await expect(app.get(agent).answer(question, app.scope())).rejects.toMatchObject({ code: 'provider_timeout' });
});

test('an unknown failure reveals no internals', async () => {
  await using app = await appWith(() => Promise.reject(new Error('stack and secrets')));
  const answer = app.get(agent).answer(question, app.scope());
  await expect(answer).rejects.toMatchObject({
    code: 'provider_error',
    message: expect.not.stringContaining('secrets'),
  });
});

test('empty answers and refusals are explained', async () => {
  for (const [reason, words] of [
    ['stop', 'without an answer'],
    ['content-filter', 'declined'],
  ] as const) {
    await using app = await appWith(async () => result([], reason));
    expect((await app.get(agent).answer(question, app.scope())).text).toContain(words);
  }
});

test('a model of another version of the interface is refused', async () => {
  await using app = await appWith(async () => result([]), {}, 'v3');
  await expect(app.get(agent).answer(question, app.scope())).rejects.toMatchObject({ code: 'configuration_error' });
});
