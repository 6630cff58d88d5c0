/** The agent with the check: what the model is asked to correct, and what its reader gets to see. */
import { expect, test } from 'vitest';
import type { Step } from '../../test/harness/openai-server.ts';
import { callSql, type ScriptedOptions, scriptedApp } from '../../test/harness/scripted-agent.ts';
import { type AgentEvent, type Answer, agent } from '../agent/index.ts';
import { grounding } from './index.ts';

const QUESTION = { turns: [{ role: 'user', text: 'How many orders?' }], surface: 'api' } as const;
const COUNT = callSql('select count(*) as n from orders');
const WRONG = { text: 'There are 510 orders.' };
const RIGHT = { text: 'There are 500 orders.' };

const ungrounded = ({ notes }: Answer) => notes.filter(({ code }) => code === 'ungrounded_figure');

async function ask(script: readonly Step[], isStreamed: boolean, options: ScriptedOptions = {}) {
  await using scripted = await scriptedApp(script, { plugins: [grounding()], ...options });
  const { app, server } = scripted;
  const events: AgentEvent[] = [];
  if (isStreamed) for await (const event of app.get(agent).ask(QUESTION, app.scope())) events.push(event);
  else await app.get(agent).answer(QUESTION, app.scope(), (event) => events.push(event));
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

test('what stays wrong is noted, and a right answer costs no call', async () => {
  for (const isStreamed of [false, true]) {
    const { answer, shown, requests } = await ask([COUNT, WRONG, WRONG], isStreamed);
    expect([answer.text, shown, requests.length]).toEqual([WRONG.text, WRONG.text, 3]);
    expect(ungrounded(answer).map(({ message }) => message)).toEqual([expect.stringContaining('"510"')]);
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
  expect(ungrounded(insisting.answer)).toHaveLength(1);
  expect(insisting.requests).toHaveLength(2);
});

test('a correction that fails, is empty or worse leaves the answer, with its note', async () => {
  for (const step of [{ status: 500 }, { text: '' }, { text: 'There are 510 or 511 or 512 orders.' }]) {
    const { answer, shown } = await ask([COUNT, WRONG, step], false);
    expect([answer.text, shown]).toEqual([WRONG.text, WRONG.text]);
    expect(ungrounded(answer)).toHaveLength(1);
  }
});

test('the limit of steps holds, and corrections can be switched off', async () => {
  for (const options of [{ agent: { maxSteps: 2 } }, { plugins: [grounding({ correct: false })] }]) {
    const { answer, requests } = await ask([COUNT, WRONG], false, options);
    expect([answer.text, requests.length, ungrounded(answer).length]).toEqual([WRONG.text, 2, 1]);
  }
});
