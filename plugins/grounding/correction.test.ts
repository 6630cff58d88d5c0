/** The agent with the check: what the model is asked to correct, and what its reader gets to see. */
import { expect, test } from 'vitest';
import type { Question } from '../../kernel/index.ts';
import type { Step } from '../../test/harness/openai-server.ts';
import { callSql, type ScriptedOptions, scriptedApp } from '../../test/harness/scripted-agent.ts';
import { type AgentEvent, type Answer, agent } from '../agent/index.ts';
import { grounding } from './index.ts';

const QUESTION = { turns: [{ role: 'user', text: 'How many orders?' }], surface: 'api' } as const;
const COUNT = callSql('select count(*) as n from orders');
const WRONG = { text: 'There are 510 orders.' };
const RIGHT = { text: 'There are 500 orders.' };
const LATER = { text: 'There are 500 orders. Last year there were 437.' };

const ungrounded = ({ notes }: Answer) => notes.filter(({ code }) => code === 'ungrounded_figure');

async function ask(
  script: readonly Step[],
  isStreamed: boolean,
  options: ScriptedOptions = {},
  question: Question = QUESTION,
) {
  await using scripted = await scriptedApp(script, { plugins: [grounding()], ...options });
  const { app, server } = scripted;
  const events: AgentEvent[] = [];
  if (isStreamed) for await (const event of app.get(agent).ask(question, app.scope())) events.push(event);
  else await app.get(agent).answer(question, app.scope(), (event) => events.push(event));
  const last = events.at(-1);
  if (last?.type !== 'finish') throw new Error('The question did not finish.');
  const shown = events.flatMap((event) => (event.type === 'text' ? event.text : [])).join('');
  return { answer: last.answer, shown, requests: server.requests };
}

test('a wrong figure is corrected once, without tools', async () => {
  for (const isStreamed of [false, true]) {
    const { answer, shown, requests } = await ask([COUNT, WRONG, RIGHT], isStreamed);
    expect(answer).toMatchObject({ text: RIGHT.text, outcome: 'answered', steps: 3 });
    expect(ungrounded(answer)).toEqual([]);
    expect(shown).toBe(isStreamed ? `${WRONG.text}\n\nCorrection: ${RIGHT.text}` : RIGHT.text);
    expect(requests.map(({ tools }) => tools.length > 0)).toEqual([true, true, false]);
    expect(requests[2]?.question).toContain('"510"');
    expect(answer.usage.totalTokens).toBe(360);
  }
});

const NO_ANSWER = /^No reliable answer was reached: .*"510".* use a more capable model\.$/;

test('what stays wrong is no answer, and a right answer costs no call', async () => {
  for (const isStreamed of [false, true]) {
    for (const second of [WRONG, { text: 'Sure!\n\nThere are 511 orders.' }]) {
      const { answer, shown, requests } = await ask([COUNT, WRONG, second], isStreamed);
      expect(answer).toMatchObject({
        outcome: 'failed',
        text: expect.stringMatching(NO_ANSWER),
        data: [{ rows: [{ n: 500 }] }],
      });
      expect([shown, requests.length]).toEqual([
        isStreamed ? `${WRONG.text}\n\nCorrection: ${answer.text}` : answer.text,
        3,
      ]);
      expect(ungrounded(answer).map(({ message }) => message)).toEqual([expect.stringContaining('"510"')]);
    }
    const right = await ask([COUNT, RIGHT], isStreamed);
    expect([ungrounded(right.answer), right.shown, right.requests.length]).toEqual([[], RIGHT.text, 2]);
  }
});

test('a figure without a query is refused once, so that it is looked up', async () => {
  const { answer, shown, requests } = await ask([RIGHT, COUNT, RIGHT], false);
  expect(answer).toMatchObject({ text: RIGHT.text, steps: 3, data: [{ rows: [{ n: 500 }] }] });
  expect(ungrounded(answer)).toEqual([]);
  expect([shown, requests[1]?.tools]).toEqual([RIGHT.text, expect.arrayContaining(['executeSQL'])]);
  const insisting = await ask([RIGHT, RIGHT], false);
  expect(insisting.answer).toMatchObject({ outcome: 'failed', text: expect.stringContaining('looked nothing up') });
  expect(ungrounded(insisting.answer)).toHaveLength(1);
  expect(insisting.requests).toHaveLength(2);
});

test('a correction that fails, is empty or worse leaves the first answer, which counts no more than it did', async () => {
  for (const step of [{ status: 500 }, { text: '' }, { text: 'There are 510 or 511 or 512 orders.' }]) {
    const { answer, shown } = await ask([COUNT, WRONG, step], false);
    expect(answer).toMatchObject({ outcome: 'failed', text: expect.stringMatching(NO_ANSWER) });
    expect(shown).toBe(answer.text);
    expect(ungrounded(answer)).toHaveLength(1);
    const later = await ask([COUNT, LATER, step], false);
    expect(later.answer).toMatchObject({ outcome: 'answered', text: LATER.text });
  }
});

test.each([
  ['## Result\n\nThere are **510** orders.', ['510']],
  ['Sure! There are approx. 617 orders in all.', ['617']],
  ['There are 500 orders, 37 more than last year.', ['37']],
  ['| n |\n|---|\n| 510 |', ['510']],
  ['Es gibt 1.517 Bestellungen. Davor waren es 1.400.', ['1.517']],
  ['The revenue is $1,912,345.67.', ['1,912,345.67']],
  ['There are 500 orders. Last year there were 437.', []],
  ['Over 400: in 2024 there were 500 orders, 100% of them in Q1, top 5, 1 row.', []],
])('the first sentence with figures decides: %j', async (text, figures) => {
  const { answer } = await ask([COUNT, { text }, { text }], false);
  if (figures.length === 0) expect(answer).toMatchObject({ outcome: 'answered', text });
  else expect(answer).toMatchObject({ outcome: 'failed', text: expect.stringContaining(`explains "${figures[0]}",`) });
});

test('a figure that was withheld explains nothing later on', async () => {
  for (const isStreamed of [false, true]) {
    const { shown } = await ask([COUNT, WRONG, WRONG], isStreamed);
    const [asked] = QUESTION.turns;
    const turns = [asked, { role: 'assistant', text: shown }, { role: 'user', text: 'Really?' }] as const;
    const { answer } = await ask([COUNT, WRONG, WRONG], isStreamed, {}, { ...QUESTION, turns });
    expect(answer.outcome).toBe('failed');
  }
});

test('the limit of steps holds, and corrections can be switched off', async () => {
  for (const options of [{ agent: { maxSteps: 2 } }, { plugins: [grounding({ correct: false })] }]) {
    const { answer, requests } = await ask([COUNT, WRONG], false, options);
    expect([answer.outcome, requests.length, ungrounded(answer).length]).toEqual(['failed', 2, 1]);
  }
});
