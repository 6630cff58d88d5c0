import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { RequestJson } from './request-json.ts';

const tool = (description: string) => ({ type: 'function', function: { name: 'executeSQL', description } });
const system = { role: 'system', content: `Rules.\n"Quotes", 日本語, ${'\u2028'} and ${'x'.repeat(5_000)}` };
const user = { role: 'user', content: 'How many?' };

/** The options of a call, as far as they matter here: each with values of its own. */
const call = (): LanguageModelV4CallOptions => ({ prompt: [{ role: 'system', content: system.content }], tools: [] });

describe('writes what JSON.stringify writes, at first and again', () => {
  const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    'a question': {
      model: 'm',
      user: undefined,
      messages: [system, user],
      tool_choice: 'auto',
      tools: [tool('Runs.')],
    },
    'a step without tools': { model: 'm', messages: [system, user] },
    'a system message with more fields': { messages: [{ ...system, name: 'n', extra: [1, null] }, user], tools: [] },
    'instructions in parts': { messages: [{ role: 'system', content: [{ type: 'text' }] }], tools: [] },
    'no instructions': { messages: [user], tools: [tool('Runs.')] },
    'no fields': {},
    'fields of the configuration': { messages: 'none', 'a "name"': null, top_p: 0.5, tools: { odd: true } },
  };
  const json = new RequestJson();
  test.each(Object.entries(bodies))('%s', (_, body) => {
    const options = call();
    for (const _time of [1, 2]) {
      expect(JSON.parse(`${json.write(body, options)}`)).toEqual(JSON.parse(JSON.stringify(body)));
    }
  });
});

test('instructions and tools of another value are others', () => {
  const json = new RequestJson();
  for (const word of ['one', 'two', 'one']) {
    const body = { messages: [{ role: 'system', content: word }, user], tools: [tool(word)] };
    expect(JSON.parse(`${json.write(body, call())}`)).toEqual(body);
  }
});

test('halves of characters, which providers refuse, are replaced in every part', () => {
  const half = '\ud83d';
  const body = {
    messages: [
      { role: 'system', content: `a${half}` },
      { role: 'user', content: `b${half}` },
    ],
    tools: [tool(`c${half}`)],
    user: `d${half}`,
  };
  const written = `${new RequestJson().write(body, call())}`;
  expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(body).replaceAll('\\ud83d', '\ufffd')));
});
