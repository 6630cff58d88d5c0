/** Sessions in the documented formats of four providers, played back through the packages that speak with them. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { API_KEY, ASK, MODELS, REFUSED, resultOf } from './fixtures/sessions.ts';
import { modelReplay } from './index.ts';

const SQL = 'SELECT COUNT(*) AS n FROM orders';
const USAGE = { inputTokens: { total: 96, cacheRead: 64 }, outputTokens: { total: 21 } };

it.each(Object.entries(MODELS))('%s', async (name, load) => {
  const file = new URL(`fixtures/${name}.jsonl`, import.meta.url).pathname;
  await using app = await createTestApp({ plugins: [modelReplay({ file, port: 0 })] });
  const model = await load(app.get(modelReplay).url);
  const streamed = async (options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamPart[]> =>
    Array.fromAsync((await model.doStream(options)).stream);

  const { content, usage, finishReason } = await model.doGenerate(ASK);
  expect(finishReason.unified).toBe('tool-calls');
  expect(usage).toMatchObject(USAGE);
  const called = content.find((part) => part.type === 'tool-call');
  expect([called?.toolName, JSON.parse(called?.input ?? '')]).toEqual(['executeSQL', { sql: SQL }]);

  const parts = await streamed(ASK);
  expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'tool-calls' }, usage: USAGE });
  const call = parts.find((part) => part.type === 'tool-call');
  if (call === undefined) throw new Error('There is no call.');
  const { toolCallId, toolName, input, providerMetadata } = call;
  expect(JSON.parse(input)).toEqual({ sql: SQL });

  const said: LanguageModelV4Message = {
    role: 'assistant',
    content: [
      {
        type: 'tool-call',
        toolCallId,
        toolName,
        input: JSON.parse(input),
        ...(providerMetadata && { providerOptions: providerMetadata }),
      },
    ],
  };
  const answer = await streamed(resultOf(said));
  expect(answer.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : [])).join('')).toBe(
    'There are 500 orders.',
  );
  await expect(model.doGenerate(REFUSED)).rejects.toMatchObject({
    statusCode: 429,
    responseHeaders: { 'retry-after': '20' },
  });
  expect(JSON.stringify(app.lines)).not.toContain(API_KEY);
});
