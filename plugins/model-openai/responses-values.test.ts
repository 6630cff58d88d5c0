/** Checks that no value of a reply which the answer does not depend on keeps the answer from being read. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Step } from '../../test/harness/openai-server.ts';
import { renderDocument, renderEvents } from '../../test/harness/openai-wire.ts';
import { openaiModel } from './source.ts';

type Json = Record<string, unknown>;

const TEXT = 'There are 500.';
const SQL = '{"sql":"select 1"}';
const steps: Readonly<Record<string, Step>> = {
  text: { text: TEXT },
  call: { toolCall: { name: 'executeSQL', args: SQL, id: 'call_1' } },
};
/** Without these there is no answer, or a part of it is missing. */
const NEEDED =
  /^(?:type|output|delta|response|item)$|(?:output|item)\.(?:0\.)?(?:type|content.*|name|arguments)$|^output\.0$/;
const ODD: readonly unknown[] = [undefined, null, 7, 1e300, '', 'odd', {}, [{}]];
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: '?' }] }];

let body = '';
let model: LanguageModelV4;
const server = createServer((request, response) => {
  request.resume();
  const type = body.startsWith('{') ? 'application/json' : 'text/event-stream';
  response.writeHead(200, { 'content-type': type, connection: 'close' });
  response.end(body);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  model = await openaiModel({ provider: 'openai', apiKey: 'sk-test', baseUrl }).load();
});
afterAll(() => void server.close());

const pathsIn = (value: unknown, path = ''): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, item]) => [`${path}${name}`, ...pathsIn(item, `${path}${name}.`)]);

/** A copy with another value at one place; `undefined` leaves it out. */
function changed(value: Json, path: string, odd: unknown): Json {
  const copy = structuredClone(value);
  const names = path.split('.');
  const last = names.pop() as string;
  const owner = names.reduce<Json>((at, name) => at[name] as Json, copy);
  if (odd === undefined) delete owner[last];
  else owner[last] = odd;
  return copy;
}

async function read(sent: string, isStreamed = !sent.startsWith('{')): Promise<string> {
  body = sent;
  if (!isStreamed) return said((await model.doGenerate({ prompt })).content);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of (await model.doStream({ prompt })).stream) parts.push(part);
  return said(parts);
}

/** What the package wraps, or lets pass. */
const failureOf = (sent: string) =>
  read(sent).then(
    () => undefined,
    (error: Error) => error.cause ?? error,
  );

const said = (parts: readonly { readonly type: string }[]) =>
  (parts as readonly LanguageModelV4StreamPart[])
    .map((part) => {
      if (part.type === 'error') return `error: ${part.error}`;
      const text = (part as { readonly text?: unknown }).text;
      return part.type === 'text-delta' ? part.delta : part.type === 'tool-call' ? part.input : (text ?? '');
    })
    .join('');

describe.each(Object.entries(steps))('%s', (name, step) => {
  const expected = name === 'text' ? TEXT : SQL;

  test('in a document', async () => {
    const sent = JSON.parse(renderDocument('responses', step)) as Json;
    for (const path of pathsIn(sent).filter((path) => !NEEDED.test(path))) {
      for (const odd of ODD) {
        expect(await read(JSON.stringify(changed(sent, path, odd))), `${path} = ${JSON.stringify(odd)}`).toBe(expected);
      }
    }
  });

  test('in a stream', async () => {
    const events = renderEvents('responses', step, true);
    const seen = new Set<unknown>();
    for (const [at, event] of events.entries()) {
      const sent = JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Json;
      if (seen.has(sent.type)) continue;
      seen.add(sent.type);
      for (const path of pathsIn(sent).filter((path) => !NEEDED.test(path))) {
        for (const odd of ODD) {
          const own = `data: ${JSON.stringify(changed(sent, path, odd))}\n\n`;
          const reply = await read(events.with(at, own).join(''));
          expect(reply, `${sent.type}: ${path} = ${JSON.stringify(odd)}`).toBe(expected);
        }
      }
    }
  });
});

test.each(Object.entries(steps))('a %s in the other form than it was asked for', async (name, step) => {
  const expected = name === 'text' ? TEXT : SQL;
  expect(await read(renderDocument('responses', step), true)).toBe(expected);
  const events = renderEvents('responses', step, true);
  expect(await read(events.join(''), false)).toBe(expected);
  const withoutItems = events.with(-1, 'data: {"type":"response.completed","response":{"output":[]}}\n\n');
  expect(await read(withoutItems.join(''), false)).toBe(expected);
  await expect(read(events.slice(0, -1).join(''), false)).rejects.toMatchObject({
    cause: { message: 'The stream broke off.' },
  });
});

test.each(Object.entries(steps))('a %s that only one event has', async (name, step) => {
  const events = renderEvents('responses', step, true);
  const end = 'data: {"type":"response.completed","response":{"output":[]}}\n\n';
  const kept = name === 'text' ? /output_text\.done/ : /arguments\.done|item\.added/;
  for (const only of [/response\.completed/, /output_item\.done/, kept]) {
    const sent = events.filter((event) => only.test(event.split('\n', 1)[0] ?? '')).join('');
    const body = only.test('response.completed') ? sent : sent + end;
    expect(await read(body), `${only}`).toBe(name === 'text' ? TEXT : SQL);
  }
});

test('a text that is no list of parts, or stands beside the items', async () => {
  expect(await read(JSON.stringify({ output: [{ type: 'message', content: TEXT }] }))).toBe(TEXT);
  expect(await read(JSON.stringify({ output: [], output_text: TEXT }))).toBe(TEXT);
});

test('a reply that failed is no answer, whatever is in it', async () => {
  for (const status of ['failed', 'cancelled']) {
    const sent = { ...(JSON.parse(renderDocument('responses', { text: TEXT })) as Json), status };
    expect(await failureOf(JSON.stringify(sent))).toMatchObject({ statusCode: 500 });
    const ended = `data: ${JSON.stringify({ type: `response.${status}`, response: sent })}\n\n`;
    expect(await failureOf(ended)).toMatchObject({ statusCode: 500 });
  }
});

test('events that say nothing about the answer are left out', async () => {
  const events = renderEvents('responses', { text: TEXT }, true);
  for (const odd of [
    { type: 'response.output_text.annotation.added', annotation: { type: 'url_citation' } },
    { type: 'response.output_item.added', output_index: 9, item: { type: 'shell_call' } },
    { type: 'response.reasoning_summary_part.added', item_id: null },
    { type: 'response.custom_tool_call_input.delta' },
    { type: 'keepalive' },
  ]) {
    expect(await read(events.toSpliced(5, 0, `data: ${JSON.stringify(odd)}\n\n`).join(''))).toBe(TEXT);
  }
});

test('what a stream reports in place of an answer is told with its status', async () => {
  const reports: readonly (readonly [Json, number])[] = [
    [{ type: 'error', error: { message: 'Slow down.', code: 'rate_limit_exceeded' } }, 429],
    [{ type: 'error', message: 'Slow down.', code: 429 }, 429],
    [{ error: { message: 'No.', type: 'authentication_error' } }, 401],
    [{ error: 'No.' }, 500],
  ];
  for (const [report, statusCode] of reports) {
    expect(await failureOf(`data: ${JSON.stringify(report)}\n\n`)).toMatchObject({ statusCode });
  }
  const cause = { message: 'A reply of Chat Completions was sent.' };
  await expect(read('data: {"choices":[]}\n\n')).rejects.toMatchObject({ cause });
});
