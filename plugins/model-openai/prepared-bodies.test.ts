import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { startOpenAIServer } from '../../test/harness/openai-server.ts';
import { openaiModel } from './index.ts';

const SETTINGS = { provider: 'openai-compatible', model: 'm', apiKey: 'sk-test' } as const;
const TOOL = { type: 'function', name: 'executeSQL', description: 'Runs.', inputSchema: { type: 'object' } } as const;

const options = (text: string): LanguageModelV4CallOptions => ({
  prompt: [
    { role: 'system', content: 'Rules.' },
    { role: 'user', content: [{ type: 'text', text }] },
  ],
  tools: [TOOL],
  headers: { 'x-own': text },
});

test('calls at the same time send each its own body, headers and nothing of how it is told apart', async () => {
  await using server = await startOpenAIServer({ respond: ({ question }) => ({ text: question, afterMs: 5 }) });
  const source = openaiModel({ ...SETTINGS, baseUrl: server.url, body: { top_k: 3 } });
  const model = await source.load();
  const texts = Array.from({ length: 20 }, (_, index) => `Question ${index}?`);
  const answers = await Promise.all(
    texts.map(async (text, index) => {
      if (index % 2 === 0)
        return (await model.doGenerate(options(text))).content.map((part) => 'text' in part && part.text);
      const said: string[] = [];
      for await (const part of (await model.doStream(options(text))).stream) {
        if (part.type === 'text-delta') said.push(part.delta);
      }
      return [said.join('')];
    }),
  );
  expect(answers).toEqual(texts.map((text) => [text]));
  for (const request of server.requests) {
    expect(request.headers).toMatchObject({ 'x-own': request.question, authorization: 'Bearer sk-test' });
    expect(Object.keys(request.headers).filter((name) => name.includes('prepared'))).toEqual([]);
    expect(request.body).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Rules.' },
        { role: 'user', content: request.question },
      ],
      tools: [
        { type: 'function', function: { name: 'executeSQL', description: 'Runs.', parameters: { type: 'object' } } },
      ],
      ...(request.stream && { stream: true, stream_options: { include_usage: true } }),
      top_k: 3,
    });
  }
  expect(server.requests.filter(({ stream }) => stream)).toHaveLength(10);
  source.close?.();
});
