import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { type OpenAIServer, type OpenAIServerOptions, type Step, startOpenAIServer } from './openai-server.ts';

const TOOL = {
  type: 'function' as const,
  name: 'executeSQL',
  inputSchema: { type: 'object' as const, properties: {} },
};
const ASK: LanguageModelV4CallOptions = {
  prompt: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'how many orders?' }] },
  ],
  tools: [TOOL],
};

const PROTOCOLS = ['chat', 'responses'] as const;
type Protocol = (typeof PROTOCOLS)[number];

const modelOf = (server: OpenAIServer, protocol: Protocol): LanguageModelV4 =>
  createOpenAI({ baseURL: server.url, apiKey: 'sk-test' })[protocol]('gpt-test');

const start = (...script: Step[]) => startOpenAIServer({ script });

async function partsOf(model: LanguageModelV4, options: LanguageModelV4CallOptions = ASK) {
  const { stream } = await model.doStream(options);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const textIn = (parts: LanguageModelV4StreamPart[]) =>
  parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
const callsIn = (parts: readonly { type: string }[]) =>
  parts
    .filter((part): part is Extract<LanguageModelV4StreamPart, { type: 'tool-call' }> => part.type === 'tool-call')
    .map((part) => ({ name: part.toolName, input: JSON.parse(part.input), id: part.toolCallId }));

describe.each(PROTOCOLS)('the scripted server over %s', (protocol) => {
  it('answers with text and usage, whole and in deltas', async () => {
    const step = { text: 'There are 42 orders.', usage: { input: 7, output: 3 } };
    await using server = await start(step, step);
    const whole = await modelOf(server, protocol).doGenerate(ASK);
    expect(whole.content).toMatchObject([{ type: 'text', text: 'There are 42 orders.' }]);
    expect(whole.finishReason.unified).toBe('stop');
    expect(whole.usage).toMatchObject({ inputTokens: { total: 7 }, outputTokens: { total: 3 } });

    const parts = await partsOf(modelOf(server, protocol));
    expect(textIn(parts)).toBe('There are 42 orders.');
    expect(parts.filter((part) => part.type === 'text-delta').length).toBeGreaterThan(3);
    expect(parts.at(-1)).toMatchObject({
      type: 'finish',
      finishReason: { unified: 'stop' },
      usage: { inputTokens: { total: 7 }, outputTokens: { total: 3 } },
    });
    expect(server.requests.map((request) => request.stream)).toEqual([false, true]);
    expect(server.requests.every((request) => !request.aborted && request.durationMs !== undefined)).toBe(true);
  });

  it('calls one tool and several, whole and in deltas, each with its own id', async () => {
    const one = { toolCall: { name: 'executeSQL', args: { sql: 'SELECT "a" FROM t' } } };
    const two = {
      text: 'Both.',
      toolCalls: [
        { name: 'executeSQL', args: { n: 1 } },
        { name: 'executeSQL', args: { n: 2 } },
      ],
    };
    await using server = await start(one, one, two, two);
    const model = modelOf(server, protocol);
    const whole = await model.doGenerate(ASK);
    const first = callsIn(whole.content);
    const second = callsIn(await partsOf(model));
    expect(first).toMatchObject([{ name: 'executeSQL', input: { sql: 'SELECT "a" FROM t' } }]);
    expect(second).toMatchObject([{ name: 'executeSQL', input: { sql: 'SELECT "a" FROM t' } }]);
    expect(first[0]?.id).not.toBe(second[0]?.id);
    expect(whole.finishReason.unified).toBe('tool-calls');
    expect(callsIn((await model.doGenerate(ASK)).content).map((call) => call.input.n)).toEqual([1, 2]);
    const parts = await partsOf(model);
    expect(callsIn(parts).map((call) => call.input.n)).toEqual([1, 2]);
    expect(textIn(parts)).toBe('Both.');
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'tool-calls' } });
  });

  it('chooses the answer from the request and lets tests read it', async () => {
    await using server = await startOpenAIServer({
      respond: (request, n) => ({ text: `${n}: ${request.question} ${request.toolResults.join()}` }),
    });
    const model = modelOf(server, protocol);
    expect(textIn(await partsOf(model))).toBe('0: how many orders? ');
    const parts = await partsOf(model, {
      ...ASK,
      prompt: [
        ...ASK.prompt,
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'executeSQL', input: {} }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'call_1',
              toolName: 'executeSQL',
              output: { type: 'text', value: '42 rows' },
            },
          ],
        },
      ],
    });
    expect(textIn(parts)).toBe('1: how many orders? 42 rows');
    const [request] = server.requests;
    expect(request?.body.model).toBe('gpt-test');
    expect(request?.instructions).toBe('Be brief.');
    expect(request?.tools).toEqual(['executeSQL']);
    expect(request?.headers.authorization).toBe('Bearer sk-test');
  });

  it.each([
    [401, 'Incorrect API key', false],
    [404, 'does not exist', false],
    [429, 'Rate limit', true],
    [500, 'had an error', true],
  ])('answers %i as the provider does', async (status, message, isRetryable) => {
    await using server = await start({ status }, { status });
    const model = modelOf(server, protocol);
    const wanted = { statusCode: status, isRetryable, message: expect.stringContaining(message) };
    await expect(model.doGenerate(ASK)).rejects.toMatchObject(wanted);
    await expect(model.doStream(ASK)).rejects.toMatchObject(wanted);
    const response = await fetch(`${server.url}/responses`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('no step 2');
  });

  it('sends the body and headers a step names', async () => {
    const step = { status: 429, body: 'slow down', headers: { 'retry-after': '7' } };
    await using server = await start(step);
    await expect(modelOf(server, protocol).doGenerate(ASK)).rejects.toMatchObject({
      responseBody: 'slow down',
      responseHeaders: { 'retry-after': '7' },
    });
  });

  it('sends garbage of each kind', async () => {
    await using server = await startOpenAIServer({
      respond: (_request, n) => ({
        text: 'one two three',
        garbage: (['not-json', 'truncated', 'cut'] as const)[n % 3]!,
      }),
    });
    const model = modelOf(server, protocol);
    for (let n = 0; n < 3; n++) await expect(model.doGenerate(ASK)).rejects.toThrow();
    for (let n = 0; n < 3; n++) {
      const parts = await partsOf(model).catch(() => []);
      expect(JSON.stringify(parts)).not.toContain('"total":20');
    }
    expect(server.requests).toHaveLength(6);
  });

  it('reports an error in the middle of a stream', async () => {
    await using server = await start({ text: 'Well,', streamError: { message: 'Overloaded.', code: 'server_error' } });
    const parts = await partsOf(modelOf(server, protocol));
    expect(textIn(parts)).toBe('Well,');
    expect(JSON.stringify(parts.find((part) => part.type === 'error'))).toContain('Overloaded');
  });

  it('stalls before and within an answer and sees the client leave', async () => {
    await using server = await start({ stall: true }, { text: 'one two three four', stall: 'mid' });
    const model = modelOf(server, protocol);
    const never = new AbortController();
    const pending = model.doGenerate({ ...ASK, abortSignal: never.signal });
    await expect.poll(() => server.requests).toHaveLength(1);
    expect(server.requests[0]?.aborted).toBe(false);
    never.abort();
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);

    const half = new AbortController();
    const { stream } = await model.doStream({ ...ASK, abortSignal: half.signal });
    const reader = stream.getReader();
    let text = '';
    while (!text) {
      const { value } = await reader.read();
      if (value?.type === 'text-delta') text += value.delta;
    }
    expect(server.requests[1]).toMatchObject({ aborted: false, durationMs: undefined });
    half.abort();
    await expect.poll(() => server.requests[1]).toMatchObject({ aborted: true, durationMs: expect.any(Number) });
  });

  it('waits before the answer and between its events', async () => {
    await using server = await start({ text: 'late', afterMs: 60 }, { text: 'a b c', everyMs: 15 });
    const model = modelOf(server, protocol);
    await model.doGenerate(ASK);
    expect(server.requests[0]?.durationMs).toBeGreaterThanOrEqual(55);
    expect(textIn(await partsOf(model))).toBe('a b c');
    await expect.poll(() => server.requests[1]?.durationMs).toBeGreaterThanOrEqual(60);
  });
});

describe('the scripted server', () => {
  it('sends usage over chat only to a client that asks for it', async () => {
    await using server = await startOpenAIServer({ respond: () => ({ text: 'hi' }) });
    const ask = async (more: object) => {
      const body = JSON.stringify({ messages: [], stream: true, ...more });
      return (await fetch(`${server.url}/chat/completions`, { method: 'POST', body })).text();
    };
    expect(await ask({})).not.toContain('"usage"');
    const text = await ask({ stream_options: { include_usage: true } });
    expect(text).toContain('"total_tokens":120');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('sends arguments that are not JSON as they are', async () => {
    await using server = await start({ toolCall: { name: 'executeSQL', args: '{"sql": ' } });
    const { content } = await modelOf(server, 'chat').doGenerate(ASK);
    expect(content).toMatchObject([{ type: 'tool-call', input: '{"sql": ' }]);
  });

  it('answers 404 elsewhere, 500 when the responder fails, and closes while a request stalls', async () => {
    const options: OpenAIServerOptions = {
      respond: (request) => {
        if (request.question === 'stall') return { stall: true };
        throw new Error('broken responder');
      },
    };
    const server = await startOpenAIServer(options);
    expect((await fetch(`${server.url}/models`)).status).toBe(404);
    const post = (content: string) =>
      fetch(`${server.url}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ messages: [{ role: 'user', content }] }),
      });
    const failed = await post('x');
    expect([failed.status, await failed.text()]).toEqual([500, expect.stringContaining('broken responder')]);
    const stalled = post('stall').catch(() => 'closed');
    await expect.poll(() => server.requests).toHaveLength(2);
    await server.close();
    expect(await stalled).toBe('closed');
    expect(server.requests[1]?.aborted).toBe(false);
  });

  it('forgets requests when told to', async () => {
    await using server = await startOpenAIServer({ respond: () => ({ text: 'hi' }), record: false });
    await modelOf(server, 'responses').doGenerate(ASK);
    expect(server.requests).toEqual([]);
  });
});
