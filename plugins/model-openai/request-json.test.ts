import { describe, expect, test } from 'vitest';
import { RequestJson } from './request-json.ts';

const parameters = { type: 'object', properties: { sql: { type: 'string', description: 'One “statement”.' } } };
const tool = (description: string, more: object = {}) => ({
  type: 'function',
  function: { name: 'executeSQL', description, parameters, ...more },
});
const system = { role: 'system', content: `Rules.\n"Quotes", 日本語, ${'\u2028'} and ${'x'.repeat(5_000)}` };
const user = { role: 'user', content: 'How many?' };
const call = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'executeSQL', arguments: '{}' } }],
};

describe('writes what JSON.stringify writes, at first and again', () => {
  const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    'a question': {
      model: 'm',
      user: undefined,
      messages: [system, user],
      tools: [tool('Runs.')],
      tool_choice: 'auto',
    },
    'a later step': { model: 'm', messages: [system, user, call, { role: 'tool', tool_call_id: 'a', content: '[]' }] },
    'a system message with more fields': { messages: [{ ...system, name: 'n', extra: { deep: [1, null] } }, user] },
    'instructions in parts, and twice': { messages: [{ role: 'system', content: [{ type: 'text' }] }, system, system] },
    'no fields': {},
    'no messages, no tools': { messages: [], tools: [] },
    'tools without a schema': { tools: [{ type: 'function', function: { name: 'a' } }, tool('b', { strict: true })] },
    'fields of the configuration': { messages: 'none', tools: { odd: true }, 'a "name"': null, top_p: 0.5 },
  };
  const json = new RequestJson();
  test.each(Object.entries(bodies))('%s', (_, body) => {
    for (const _time of [1, 2]) expect(`${Buffer.concat(json.write(body))}`).toBe(JSON.stringify(body));
  });
});

test('a tool with the same schema and another description is another tool', () => {
  const json = new RequestJson();
  for (const tools of [[tool('one')], [tool('two')], [tool('two', { strict: true })], [tool('one')]]) {
    expect(`${Buffer.concat(json.write({ tools }))}`).toBe(JSON.stringify({ tools }));
  }
});

test('instructions are written once', () => {
  const json = new RequestJson();
  const pieces = () => json.write({ messages: [{ ...system }, user] });
  const [, first] = pieces();
  expect(first?.length).toBeGreaterThan(5_000);
  expect(pieces()[1]).toBe(first);
});
