/** Tests answers of a model that exceed the limits of an answer. */
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import type { Question } from '../../kernel/index.ts';
import { type ScriptedApp, scriptedApp } from '../../test/harness/scripted-agent.ts';
import type { ModelAnswer } from '../model-kit/index.ts';
import type { AgentEvent, Answer } from './api.ts';
import { agent } from './index.ts';
import { generate, stream } from './model-call.ts';
import { normalizeSpace } from './tools/execute-sql.ts';

const question: Question = { turns: [{ role: 'user', text: 'All?' }], surface: 'api' };

/** The same question in both ways. */
const ways: Readonly<Record<string, (app: ScriptedApp['app'], events: AgentEvent[]) => Promise<Answer>>> = {
  streamed: async (app, events) => {
    for await (const event of app.get(agent).ask(question, app.scope())) {
      events.push(event);
      if (event.type === 'finish') return event.answer;
    }
    throw new Error('It did not finish.');
  },
  whole: (app, events) => app.get(agent).answer(question, app.scope(), (event) => events.push(event)),
};
const cases = Object.keys(ways).flatMap((way) =>
  (['openai', 'openai-compatible'] as const).map((provider) => ({ way, provider })),
);

describe.each(cases)('$provider, $way', ({ way, provider }) => {
  const model = { provider, apiKey: 'sk-test' };
  const ask = ways[way] as (typeof ways)[string];

  test.each([65, 200, 2_000])('%i calls of one step: none is run, and the model gets one refusal', async (count) => {
    const toolCalls = Array.from({ length: count }, (_, n) => ({ name: 'executeSQL', args: { sql: `select ${n}` } }));
    await using scripted = await scriptedApp([{ text: 'All at once.', toolCalls }, { text: 'One by one.' }], { model });
    const { app, server, shop } = scripted;
    const events: AgentEvent[] = [];
    expect(await ask(app, events)).toMatchObject({ text: 'One by one.', sql: [], steps: 2 });
    expect(shop.executed).toEqual([]);
    expect(events.filter(({ type }) => type.startsWith('tool'))).toEqual([]);
    expect(server.requests[1]?.toolResults.map((text) => JSON.parse(text).error)).toEqual([
      'None of the calls was run: there were more than 64 in one step.',
    ]);
    expect(server.requests[1]?.text.match(/select \d/g)?.length ?? 0).toBeLessThan(2);
  });

  test('arguments that are too long are neither run nor sent back', async () => {
    const sql = `select '${'x'.repeat(2_000)}'`;
    const toolCalls = [
      { name: 'executeSQL', args: { sql: 'select 1' } },
      { name: 'executeSQL', args: { sql } },
    ];
    await using scripted = await scriptedApp(() => ({ toolCalls }), { model, agent: { answerBytes: 1_000 } });
    const { app, server, shop } = scripted;
    const events: AgentEvent[] = [];
    expect(await ask(app, events)).toMatchObject({ finishReason: 'length', steps: 1, sql: [] });
    expect(shop.executed).toEqual([]);
    expect(JSON.stringify(events)).not.toContain('xxxx');
    expect(server.requests).toHaveLength(1);
  });

  test('arguments that are nested too deeply are refused', async () => {
    const args = `{"sql":"select 1","more":${'['.repeat(9_000)}${']'.repeat(9_000)}}`;
    await using scripted = await scriptedApp([{ toolCall: { name: 'executeSQL', args } }, { text: 'No.' }], { model });
    const { app, server } = scripted;
    const events: AgentEvent[] = [];
    expect(await ask(app, events)).toMatchObject({ text: 'No.' });
    expect(JSON.parse(server.requests[1]?.toolResults[0] ?? '').error).toContain('not a JSON object');
    expect(JSON.stringify(events)).not.toContain('[[[');
  });
});

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: Number.POSITIVE_INFINITY, text: 2, reasoning: 0 },
};
type Part = LanguageModelV4StreamPart;
const finish: Part = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage };
const call = () => ({ prompt: [], abortSignal: new AbortController().signal });
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

/** The answer assembled from a model that streams these parts. */
async function taken(parts: Iterable<Part>): Promise<ModelAnswer> {
  const model = { doStream: async () => ({ stream: ReadableStream.from(parts) }) };
  const events = stream(
    model as never,
    { prompt: [], abortSignal: new AbortController().signal },
    { answerBytes: 65_536, usedIds: new Set() },
  );
  for (;;) {
    const { done, value } = await events.next();
    if (done) return value;
  }
}

describe('one answer', () => {
  test.each([
    ['reasoning', numbers(9_000).map((n): Part => ({ type: 'reasoning-delta', id: '1', delta: `${n}`.padEnd(100) }))],
    ['parts', numbers(9_000).map((n): Part => ({ type: 'text-start', id: `${n}` }))],
    [
      "the provider's marks",
      numbers(9_000).map(
        (n): Part => ({ type: 'reasoning-start', id: `${n % 99}`, providerMetadata: { x: { y: 'z'.repeat(n) } } }),
      ),
    ],
    ['text', numbers(9_000).map((n): Part => ({ type: 'text-delta', id: '1', delta: `${n}`.padEnd(100) }))],
    ['arguments', numbers(9_000).map((n): Part => ({ type: 'tool-input-delta', id: `${n}`, delta: '['.repeat(99) }))],
  ])('%s without end are cut', async (_, parts) => {
    let read = 0;
    const counted = function* () {
      for (const part of parts) {
        read += 1;
        yield part;
      }
      yield finish;
    };
    expect(await taken(counted())).toMatchObject({ finish: 'length', isCut: true });
    expect(read).toBeLessThan(9_000);
  });

  test('invalid token counts count as zero', async () => {
    expect(await taken([finish])).toMatchObject({ usage: { inputTokens: 1, outputTokens: 0, totalTokens: 1 } });
  });

  test('a stream that arrives after the question was cancelled is closed', async () => {
    const abort = new AbortController();
    let cancelled = false;
    const late = new ReadableStream<Part>({
      cancel() {
        cancelled = true;
      },
    });
    const { promise, resolve: arrive } = Promise.withResolvers<{ stream: ReadableStream<Part> }>();
    let isCalled = false;
    const model = {
      doStream: () => {
        isCalled = true;
        return promise;
      },
    } as Partial<LanguageModelV4>;
    const first = stream(
      model as never,
      { prompt: [], abortSignal: abort.signal },
      { answerBytes: 100, usedIds: new Set() },
    ).next();
    await expect.poll(() => isCalled).toBe(true);
    abort.abort();
    await expect(first).rejects.toMatchObject({ code: 'request_cancelled' });
    arrive({ stream: late });
    await expect.poll(() => cancelled).toBe(true);
  });

  test('of 60,000 calls few are read before they are refused', async () => {
    let read = 0;
    const calls = numbers(60_000).map((n) => ({
      get type() {
        read += 1;
        return 'tool-call';
      },
      toolCallId: `${n}`,
      toolName: 'x',
      input: '{}',
    }));
    const model = {
      doGenerate: async () => ({ content: calls, finishReason: { unified: 'tool-calls' }, usage, warnings: [] }),
    };
    const answer = await generate(model as never, call(), { answerBytes: 65_536, usedIds: new Set() });
    expect(answer).toMatchObject({ finish: 'too-many-calls', calls: { length: 1 }, content: { length: 1 } });
    expect(read).toBeLessThan(1_000);
  });
});

describe('normalizeSpace', () => {
  test('white space and closing semicolons make no difference, quoted ones do', () => {
    expect(normalizeSpace('select  1\n;; \n')).toBe(normalizeSpace(' select 1'));
    for (const quoted of [`'a  b'`, `"a  b"`, '`a  b`', '/* a  b */', '-- a  b', `'it''s  b'`, `'a  b`, '/* a  b']) {
      expect(normalizeSpace(`select ${quoted}`)).toContain(quoted.trim());
    }
    // With other kinds of quoting, statements stay as written.
    for (const other of ['$$a  b$$', String.raw`'it\'s  b'`]) expect(normalizeSpace(other)).toBe(other);
  });
});
