/** Checks that long replies are read in linear time and in short turns, or refused. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { blockingTime, maxBlockingMs } from '../../test/growth/blocking.ts';
import { STREAM_FILTER } from './chat-filter.ts';
import { jsonObject } from './event-lines.ts';
import { filteredDocument, ResponsesFilter } from './responses-filter.ts';
import { openaiModel } from './source.ts';

const ATTEMPTS = 4;
const MIB = 1024 * 1024;

/** The shortest of several times: everything else on the machine only adds to them. */
async function shortest(work: () => unknown, enoughMs = 50): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && best > enoughMs; attempt += 1) {
    best = Math.min(best, await blockingTime(work));
  }
  return best;
}

const wholeEvents: Readonly<Record<string, string>> = {
  'empty lines': '\n',
  'carriage returns': '\r',
  comments: ': x\n',
  'words of Chat Completions': 'data: {"choices":[{"delta":{"content":"x"}}]}\n\n',
  'calls of Chat Completions': 'data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"b"}}]}}]}\n\n',
  'words of Responses': 'data: {"type":"response.output_text.delta","item_id":"1","delta":"x"}\n\n',
};

/** Reads a text in pieces as the network cuts it. */
const inPieces = (text: string, pieceChars: number, read: (piece: string) => unknown) => {
  for (let at = 0; at < text.length; at += pieceChars) read(text.slice(at, at + pieceChars));
};

const readers: Readonly<Record<string, () => (piece: string) => unknown>> = {
  'Chat Completions': () => {
    const events = STREAM_FILTER.events?.();
    return (piece) => events?.read(piece);
  },
  Responses: () => {
    const filter = new ResponsesFilter();
    return (piece) => filter.read(piece);
  },
};

describe.each(Object.entries(readers))('%s', (_, reader) => {
  test('a line in small pieces takes time in proportion to its length', async () => {
    const timeOf = (chars: number) => shortest(() => inPieces('x'.repeat(chars), 16, reader()), 0);
    await timeOf(MIB / 16);
    const [sixteenth, quarter, whole] = [await timeOf(MIB / 16), await timeOf(MIB / 4), await timeOf(MIB - 1)];
    // Quadratic work takes 16 times as long for each step, and seconds in the end.
    expect(Math.min(whole / quarter, Math.sqrt(whole / sixteenth)), `${[sixteenth, quarter, whole]}`).toBeLessThan(10);
  });

  test('a line without end is refused', () => {
    expect(() => inPieces('x'.repeat(2 * MIB), 8_192, reader())).toThrow('longer than');
  });
});

test('events that say nothing are not handed on', () => {
  const events = STREAM_FILTER.events?.();
  expect(events?.read('data: {}\n\ndata: {"choices":[{"delta":{}}]}\n\n')).toBe('');
  expect(events?.read('data: {"choices":[{"delta":{"content":"x"}}]}\n\n')).toContain('"x"');
});

const documents: Readonly<Record<string, string>> = {
  numbers: `{"output":[${Array(500_000).fill('0').join(',')}]}`,
  'items of no kind': `{"output":[${Array(75_000).fill('{"type":"x"}').join(',')}]}`,
  'parts of no kind': `{"output":[{"type":"message","content":[${Array(75_000).fill('{"type":"x"}').join(',')}]}]}`,
  calls: `{"output":[${Array(13_000).fill('{"type":"function_call","id":"f","call_id":"c","name":"n","arguments":"{}"}').join(',')}]}`,
  depth: `{"output":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
  names: `{"output":[{${Array.from({ length: 70_000 }, (_, n) => `"${n}":${n}`).join(',')}}]}`,
};

test.each(Object.entries(documents))('a document of %s takes no time', async (_, text) => {
  expect(await shortest(() => filteredDocument(text))).toBeLessThan(maxBlockingMs());
});

/** The longest turn that a reply of the server takes, read to its end or until it is refused. */
async function turnOf(body: string, contentType: string, provider: 'openai' | 'openai-compatible'): Promise<number> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const source = openaiModel({ provider, apiKey: 'sk-test', baseUrl });
  const model = await source.load();
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: '?' }] }];
  const read = async () => {
    if (contentType === 'application/json') return model.doGenerate({ prompt });
    const { stream } = await model.doStream({ prompt });
    const last: LanguageModelV4StreamPart[] = [];
    for await (const part of stream) {
      last[0] = part;
      // Whoever reads a stream of the agent's lets others have their turn as well.
      if (part.type === 'tool-input-start') await new Promise(setImmediate);
    }
    return last;
  };
  try {
    return await shortest(read);
  } finally {
    source.close?.();
    server.closeAllConnections();
    server.close();
  }
}

describe.each(['openai', 'openai-compatible'] as const)('%s', (provider) => {
  test.each(Object.entries(documents))('a reply of %s leaves the event loop to others', async (_, text) => {
    expect(await turnOf(text, 'application/json', provider)).toBeLessThan(2 * maxBlockingMs());
  });

  test.each(Object.entries(wholeEvents))('so does a stream of %s', async (_, event) => {
    const body = event.repeat(Math.floor(65_536 / event.length));
    expect(await turnOf(body, 'text/event-stream', provider)).toBeLessThan(2 * maxBlockingMs());
  });
});

test('a document of half a million lists is not read, one with as many brackets in a text is', () => {
  expect(jsonObject(`{"choices":${'['.repeat(400_000)}${']'.repeat(400_000)}}`)).toBeUndefined();
  expect(jsonObject(`{"choices":[${Array(150_000).fill('{}').join(',')}]}`)).toBeUndefined();
  const text = '{["\\'.repeat(100_000);
  expect(jsonObject(JSON.stringify({ text }))).toEqual({ text });
});
