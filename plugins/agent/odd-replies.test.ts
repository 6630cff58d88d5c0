/** Tests replies in forms that no protocol has: labels, fences, thoughts in other tags, queries in place of calls. */
import { describe, expect, test } from 'vitest';
import type { Step } from '../../test/harness/openai-server.ts';
import { callSql, scriptedApp } from '../../test/harness/scripted-agent.ts';
import { answer, args, asked, COUNT, question, recovers, ways } from './fixtures/misbehaviour.ts';
import { agent } from './index.ts';

const looked = callSql(COUNT);
const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
const json = JSON.stringify({ name: 'executeSQL', arguments: { sql: COUNT } });

describe('a call without markup is run', () => {
  test.each([
    ['a bold label, and the arguments in a fence', `**Tool call:** \`executeSQL\`\n\n${fence('json', args)}`],
    ['a sentence, and the arguments in a fence', `I will use the \`executeSQL\` tool:\n\n${fence('json', args)}`],
    ['the arguments alone', args],
    ['the arguments alone in a fence', fence('json', args)],
    ['the arguments in the element of calls', `<tool_call>${args}</tool_call>`],
    ['a name in backquotes', `\`executeSQL\`(${args})`],
    ['all of it in backquotes', `\`executeSQL(sql="${COUNT}")\``],
    ['Tool and Arguments', `Tool: executeSQL\nArguments: ${args}`],
    ['Phi-4', `functools[${json}]`],
    ['a name that is not quite that of the tool', JSON.stringify({ name: 'run_sql', arguments: { sql: COUNT } })],
    ['ReAct with such a name', `Thought: I count.\nAction: run_sql\nAction Input: ${args}`],
    ['ReAct with an invented result', `Action: executeSQL\nAction Input: ${args}\nObservation: 7\nFinal Answer: 7.`],
    ['Python that assigns', fence('python', `rows = executeSQL(sql="${COUNT}")\nprint(rows)`)],
    ['JavaScript that waits', fence('js', `const rows = await executeSQL({sql: "${COUNT}"});\nconsole.log(rows);`)],
    ['the tags tool and tool_input', `<tool>executeSQL</tool><tool_input>${args}</tool_input>`],
    ['the tags action and action_input', `<action>executeSQL</action>\n<action_input>${args}</action_input>`],
    ['a plan in front', `{"tool_plan": "Count.", "tool_calls": [${json}]}`],
    ['nothing but a query', `${COUNT};`],
    ['nothing but a query in a fence', fence('sql', COUNT)],
    ['a sentence and a query', `You can count them like this:\n\n${fence('sql', COUNT)}`],
  ])('%s', async (_, text) => {
    for (const end of await asked([{ text }, answer], 2)) {
      expect(end.error).toBeUndefined();
      expect(end.answer?.sql.map((sql) => sql.replace(/;$/, ''))).toEqual([COUNT]);
      expect(end.text).toContain('There are 500 orders.');
    }
  });

  test('of a tool that does not exist: the model is told which do', () =>
    recovers([{ text: '{"name": "web_search", "arguments": {"q": "orders"}}' }, looked, answer]));

  test('not a query that was asked for, nor one of an answer', async () => {
    const text = `You can count them like this:\n\n${fence('sql', COUNT)}`;
    await using wanted = await scriptedApp([{ text }]);
    const turns = [{ role: 'user', text: 'Which SQL counts the orders?' }] as const;
    expect(await wanted.app.get(agent).answer({ ...question, turns }, wanted.app.scope())).toMatchObject({
      text,
      sql: [],
    });
    for (const end of await asked([looked, { text }], 2)) expect(end.text).toBe(text);
  });
});

describe('a reply that its server calls cut', () => {
  test.each<[string, Step]>([
    ['with a whole call in its text', { text: `<tool_call>${json}</tool_call>` }],
    ['with a whole call', looked],
  ])('%s is run', (_, step) => recovers([{ ...step, finishReason: 'length' }, answer], 2));

  test.each<[string, Step]>([
    ['a call in its text', { text: `<tool_call>${json.slice(0, -1)}` }],
    ['a parameter', { text: `<function=executeSQL><parameter=sql>${COUNT}` }],
    ['a call', { toolCall: { name: 'executeSQL', args: `{"sql":"${COUNT}"` } }],
  ])('not %s that may be incomplete', async (_, step) => {
    for (const end of await asked(() => ({ ...step, finishReason: 'length' }), 1)) {
      expect(end.text).toMatch(/output limit/);
      expect(end.answer?.sql).toEqual([]);
    }
  });
});

describe('thoughts are not shown', () => {
  test.each([
    ['in a fence', `${fence('thinking', 'secret plan')}\nThere are 500 orders.`],
    ['[think]', '[think]secret plan[/think]There are 500 orders.'],
    [
      'a folded element',
      '<details type="reasoning" done="true">\n<summary>Thought for 3 seconds</summary>\n> secret plan\n</details>\nThere are 500 orders.',
    ],
    ['an unusual beginning', 'Counting orders now, secret plan.\n</think>\n\nThere are 500 orders.'],
    ['Final Answer', 'Thought: secret plan\nFinal Answer: There are 500 orders.'],
    ['a label alone', 'Final Answer: There are 500 orders.'],
    [
      'a channel without a message',
      '<|channel|>analysis secret plan<|end|><|channel|>final<|message|>There are 500 orders.',
    ],
  ])('%s', async (_, text) => {
    await recovers([looked, { text }], 2);
    for (const end of await asked([looked, { text }], 2)) expect(end.text).toBe('There are 500 orders.');
  });

  test('that never end are no answer', async () => {
    for (const end of await asked(() => ({ text: '<think>secret plan' }), 2)) {
      expect(end.text).toMatch(/without an answer.*raise the limits/);
    }
  });

  test('without a known beginning: of a model that has done so before', async () => {
    const text = 'Orders: secret plan.\n</think>\n\nThere are 500 orders.';
    for (const model of ['deepseek-r1:8b', 'scripted']) {
      await using scripted = await scriptedApp((_, n) => (n % 2 === 0 ? looked : { text }), { model: { model } });
      if (model === 'scripted') await ways.chat?.(scripted.app);
      expect((await ways.chat?.(scripted.app))?.text).toBe('There are 500 orders.');
    }
  });
});

test.each(['I will now query the database.', 'Sure! Let me check the orders table for you.'])(
  'a step that is announced and not taken is asked for: %s',
  async (text) => {
    for (const end of await asked([{ text }, looked, answer], 3)) {
      expect(end.text).toContain('There are 500 orders.');
      expect(end.answer?.sql).toEqual([COUNT]);
    }
    for (const end of await asked(() => ({ text }), 2)) expect(end.text).toContain(text);
  },
);

test.each([
  '{"answer": "There are 500 orders."}',
  fence('json', '{"response": "There are 500 orders."}'),
  '{"type": "final_answer", "answer": "There are 500 orders."}',
  '{"role": "assistant", "content": "There are 500 orders."}',
  '{"role": "assistant", "content": [{"type": "text", "text": "There are 500 orders."}]}',
  '[{"type": "text", "text": "There are "}, {"type": "text", "text": "500 orders."}]',
])('an answer as JSON is its text: %s', async (text) => {
  for (const end of await asked([looked, { text }], 2)) expect(end.text).toBe('There are 500 orders.');
});

test('a model that repeats itself is stopped, and asked once more', async () => {
  const text = 'The orders are counted by region. '.repeat(200);
  for (const end of await asked([looked, { text }, answer], 3)) {
    expect(end.text).toContain('There are 500 orders.');
    expect(end.text.length).toBeLessThan(3_000);
  }
  for (const end of await asked(() => ({ text }), 2)) expect(end.text).toMatch(/same words over and over.*temperature/);
  const rows = '| north | 250 |\n'.repeat(200);
  for (const end of await asked([looked, { text: rows }], 2)) expect(end.text).toBe(rows);
});

test('halves, null characters and byte order marks are left out; a character that was cut in two is whole', async () => {
  const deltas = ['\ufeffThere ', 'are\0 500 \ud83d', '\ude00 orders.', '\ud800'].map((content) => ({ content }));
  await using scripted = await scriptedApp([{ deltas }]);
  expect((await ways.chat?.(scripted.app))?.text).toBe('There are 500 😀 orders.');
});

test('nothing that a provider refuses is sent back', async () => {
  const names = ['web.search', '__proto__', 'constructor'];
  const toolCalls = names.map((name, n) => ({ name, id: `${n}\ud800`, args: { q: `${n}\udfff` } }));
  const step: Step = { text: 'I search.', toolCalls };
  for (const provider of ['openai', 'openai-compatible'] as const) {
    const model = { provider, apiKey: 'sk-test' };
    await using scripted = await scriptedApp([step, looked, answer], { model });
    expect(await ways.query?.(scripted.app)).toMatchObject({ error: undefined, text: 'There are 500 orders.' });
    const [, second] = scripted.server.requests;
    expect(second?.text).not.toMatch(/\\ud[89a-f]/);
    expect(second?.text.match(/"name":"(?:web_search|unnamed)"/g)).toHaveLength(3);
  }
});
