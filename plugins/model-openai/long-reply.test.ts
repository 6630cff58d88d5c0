/** Checks that little of a long reply is handed on, or that it is refused. */
import { describe, expect, test } from 'vitest';
import { STREAM_READER } from './chat-filter.ts';
import { jsonObject } from './event-lines.ts';
import { filteredDocument, ResponsesFilter } from './responses-filter.ts';

const MIB = 1024 * 1024;

/** Reads a text in pieces as the network cuts it. */
const inPieces = (text: string, pieceChars: number, read: (piece: string) => unknown) => {
  for (let at = 0; at < text.length; at += pieceChars) read(text.slice(at, at + pieceChars));
};

const readers: Readonly<Record<string, () => (piece: string) => unknown>> = {
  'Chat Completions': () => {
    const events = STREAM_READER.events();
    return (piece) => events.read(piece);
  },
  Responses: () => {
    const filter = new ResponsesFilter();
    return (piece) => filter.read(piece);
  },
};

describe.each(Object.entries(readers))('%s', (_, reader) => {
  test('a line without end is refused', () => {
    expect(() => inPieces('x'.repeat(2 * MIB), 8_192, reader())).toThrow('longer than');
  });
});

test('events that say nothing are not handed on', () => {
  const events = STREAM_READER.events();
  expect(events.read('data: {}\n\ndata: {"choices":[{"delta":{}}]}\n\n')).toEqual([]);
  expect(events.read('data: {"choices":[{"delta":{"content":"x"}}]}\n\n')).toMatchObject([
    { message: { content: 'x' } },
  ]);
});

const documents: Readonly<Record<string, string>> = {
  numbers: `{"output":[${Array(500_000).fill('0').join(',')}]}`,
  'items of no kind': `{"output":[${Array(75_000).fill('{"type":"x"}').join(',')}]}`,
  'parts of no kind': `{"output":[{"type":"message","content":[${Array(75_000).fill('{"type":"x"}').join(',')}]}]}`,
  calls: `{"output":[${Array(13_000).fill('{"type":"function_call","id":"f","call_id":"c","name":"n","arguments":"{}"}').join(',')}]}`,
  names: `{"output":[{${Array.from({ length: 70_000 }, (_, n) => `"${n}":${n}`).join(',')}}]}`,
};

test.each(Object.entries(documents))('of a document of %s little is handed on', (_, text) => {
  expect(JSON.parse(filteredDocument(text)).output.length).toBeLessThanOrEqual(256);
  expect(filteredDocument(text).length).toBeLessThan(30_000);
});

test('a document of nothing but depth is refused', () => {
  expect(() => filteredDocument(`{"output":${'['.repeat(400_000)}${']'.repeat(400_000)}}`)).toThrow('No answer');
});

test('a document of half a million lists is not read, one with as many brackets in a text is', () => {
  expect(jsonObject(`{"choices":${'['.repeat(400_000)}${']'.repeat(400_000)}}`)).toBeUndefined();
  expect(jsonObject(`{"choices":[${Array(150_000).fill('{}').join(',')}]}`)).toBeUndefined();
  const text = '{["\\'.repeat(100_000);
  expect(jsonObject(JSON.stringify({ text }))).toEqual({ text });
});
