import { expect, it } from 'vitest';
import { keyOf, recordedRequest } from './request-key.ts';

const keyOfBody = (body: unknown, url = '/v1/chat/completions') =>
  keyOf(recordedRequest('POST', url, typeof body === 'string' ? body : JSON.stringify(body)));

const prompt = (mark: string, today: string) => ({
  messages: [
    {
      role: 'system',
      content: `Notes\n<data ${mark}>\nOrders of 2026-01-01.\n</data ${mark}>\n\nToday is ${today} (UTC).`,
    },
  ],
});

it('is the same on another day and in another process', () => {
  const [first, second] = [prompt('0123456789ab', '2026-01-15'), prompt('ba9876543210', '2027-06-01')];
  expect(keyOfBody(first)).toBe(keyOfBody(second));
});

it('is the same in another order of fields, with another key, and with another id of a call', () => {
  expect(keyOfBody({ a: 1, b: { c: 2, d: 3 } })).toBe(keyOfBody('{"b":{"d":3,"c":2},"a":1}'));
  expect(keyOfBody({}, '/m:generate?key=one&alt=sse')).toBe(keyOfBody({}, '/m:generate?alt=sse&key=two'));
  const chat = (id: string, other: string) => [
    { tool_calls: [{ id, type: 'function' }] },
    { tool_calls: [{ id: other, type: 'function' }] },
    { tool_call_id: other },
    { tool_call_id: id },
  ];
  expect(keyOfBody(chat('a', 'b'))).toBe(keyOfBody(chat('c', 'd')));
  expect(keyOfBody(chat('a', 'b'))).not.toBe(keyOfBody([...chat('a', 'b').slice(0, 2), ...chat('b', 'a').slice(2)]));
  const gemini = (id: string) => [{ functionCall: { id, name: 'f' } }, { functionResponse: { id, name: 'f' } }];
  expect(keyOfBody(gemini('a'))).toBe(keyOfBody(gemini('b')));
  const anthropic = (id: string) => [
    { type: 'tool_use', id, input: {} },
    { type: 'tool_result', tool_use_id: id },
  ];
  expect(keyOfBody(anthropic('a'))).toBe(keyOfBody(anthropic('b')));
});

it.each([
  [{ text: 'orders of 2026-01-01' }, { text: 'orders of 2026-01-02' }],
  [{ text: 'order 11111111-2222-4333-8444-555555555555' }, { text: 'order 66666666-7777-4888-9999-aaaaaaaaaaaa' }],
  [
    { type: 'tool_use', input: { id: 'x' } },
    { type: 'tool_use', input: { id: 'y' } },
  ],
  [{ list: [1, 2] }, { list: [2, 1] }],
  [{ stream: true }, {}],
  ['not json', 'not json either'],
])('tells %j from %j', (one, other) => {
  expect(keyOfBody(one)).not.toBe(keyOfBody(other));
});
