/** Several statements for one question, through the provider package against the scripted server. */
import { describe, expect, it } from 'vitest';
import { definePlugin, type Question } from '../../kernel/index.ts';
import type { Step } from '../../test/harness/openai-server.ts';
import { callSql, type ScriptedOptions, scriptedApp } from '../../test/harness/scripted-agent.ts';
import type { AgentEvent } from './api.ts';
import { agentContinue, queryCheck } from './hooks.ts';
import { agent } from './index.ts';

const QUESTION: Question = {
  turns: [{ role: 'user', text: 'How many orders are there in the north?' }],
  surface: 'api',
};
const BROKEN = "SELECT COUNT(*) FROM orders WHERE regoin = 'north'";
const EMPTY = "SELECT COUNT(*) AS n FROM orders WHERE region = 'North'";
const RIGHT = "SELECT COUNT(*) AS n FROM orders WHERE region = 'north'";
const SAME = "SELECT SUM(CASE region WHEN 'north' THEN 1 END) AS orders FROM orders";
const OTHER = 'SELECT COUNT(*) AS n FROM orders';
const DONE: Step = { text: 'See the rows.' };

async function answered(script: readonly Step[], options: ScriptedOptions = { agent: { candidates: 3 } }) {
  await using scripted = await scriptedApp(script, options);
  const { app, server, shop } = scripted;
  const answer = await app.get(agent).answer(QUESTION, app.scope());
  return {
    answer,
    requests: server.requests.map(({ body }) => body as Record<string, unknown>),
    executed: shop.executed,
    toolResult: server.requests.at(-1)!.toolResults[0] ?? '',
  };
}

describe('where the first statement fails', () => {
  it('the result on which most statements agree is taken, and said to be chosen', async () => {
    const { answer, requests, toolResult } = await answered([callSql(BROKEN), callSql(RIGHT), callSql(SAME), DONE]);
    expect(answer).toMatchObject({
      outcome: 'answered',
      sql: [RIGHT],
      data: [{ rows: [{ n: 250 }] }],
      notes: [
        { code: 'candidates', message: 'Chosen among 3 candidates, 2 of which agree: the first statement failed.' },
      ],
      steps: 4,
      usage: { inputTokens: 400 },
    });
    expect(JSON.parse(toolResult)).toMatchObject({
      untrustedData: true,
      sql: RIGHT,
      rows: [{ n: 250 }],
      notes: ['Your statement failed; this is the result on which 2 of 3 statements for the question agree.'],
    });
    // The same prompt, so that providers find it in their caches.
    const [first, second, third, last] = requests;
    expect(second).toEqual({ ...first, temperature: 0.7 });
    expect(third).toEqual(second);
    expect(last).not.toHaveProperty('temperature');
  });

  it.each([
    [12, 'Chosen among 3 candidates, 2 of which agree: the first statement failed.'],
    [
      13,
      '3 candidates were tried, because the first statement failed: no two have the same result, and none was taken.',
    ],
  ])('results of %i columns: %s', async (count, message) => {
    const wide = `SELECT ${Array.from({ length: count }, (_, at) => `COUNT(*) AS n${at}`).join(', ')} FROM orders`;
    const { answer } = await answered([callSql(BROKEN), callSql(wide), callSql(wide), callSql(wide), DONE]);
    expect(answer.notes).toContainEqual({ code: 'candidates', message });
  });

  it('none is taken where no two agree, and the model goes on as it does without', async () => {
    const script = [callSql(BROKEN), callSql(RIGHT), callSql(OTHER), callSql(RIGHT), DONE];
    const { answer, toolResult } = await answered(script);
    expect(answer).toMatchObject({
      sql: [RIGHT],
      notes: [{ message: expect.stringMatching(/^3 candidates .* no two have/) }],
    });
    expect(toolResult).toContain('no such column: regoin');
  });

  it('more are asked for until most agree', async () => {
    const script = [callSql(BROKEN), callSql(OTHER), callSql(RIGHT), callSql(SAME), callSql(RIGHT), DONE];
    const { answer, requests } = await answered(script, { agent: { candidates: 5 } });
    expect(answer.notes).toMatchObject([{ message: expect.stringContaining('among 5 candidates, 3 of which agree') }]);
    expect(requests).toHaveLength(6);
  });

  it('an answer that is no query, or one that fails too, counts for nothing', async () => {
    const script = [
      callSql(BROKEN),
      { text: 'I do not know.' },
      callSql('SELECT COUNT(*) FROM order'),
      callSql(RIGHT),
      callSql(SAME),
      DONE,
    ];
    const { answer } = await answered(script, { agent: { candidates: 5 } });
    expect(answer).toMatchObject({
      sql: [RIGHT],
      notes: [{ message: expect.stringContaining('among 5 candidates, 2 of') }],
    });
  });

  it('an error of every statement ends it', async () => {
    const script = [callSql(BROKEN), callSql(BROKEN), callSql(RIGHT), DONE];
    const { answer, requests } = await answered(script, { agent: { candidates: 5 } });
    expect([requests.length, answer.sql]).toEqual([4, [RIGHT]]);
  });

  it('a failure of the model ends it', async () => {
    const { answer } = await answered([callSql(BROKEN), { status: 500 }, callSql(RIGHT), DONE]);
    expect(answer).toMatchObject({ outcome: 'answered', sql: [RIGHT], notes: [] });
  });
});

describe('where the first statement finds nothing', () => {
  it('others that agree are taken instead', async () => {
    const { answer } = await answered([callSql(EMPTY), callSql(RIGHT), callSql(SAME), DONE]);
    expect(answer).toMatchObject({
      sql: [RIGHT],
      notes: [{ message: 'Chosen among 3 candidates, 2 of which agree: the first statement found nothing.' }],
    });
  });

  it('one that fails for good does not end the question, which it would as a first one', async () => {
    const down = callSql("SELECT 'down' FROM orders");
    const { answer } = await answered([callSql(EMPTY), down, callSql(RIGHT), callSql(SAME), DONE], {
      agent: { candidates: 4 },
    });
    expect(answer).toMatchObject({ outcome: 'answered', sql: [RIGHT] });
  });

  it('nothing stays nothing where another statement finds none, too', async () => {
    const { answer, requests, toolResult } = await answered([callSql(EMPTY), callSql(EMPTY), DONE]);
    expect([requests.length, answer.sql, answer.data[0]?.rows]).toEqual([3, [EMPTY], [{ n: 0 }]]);
    expect(toolResult).not.toContain('agree');
  });

  it('NULL is not 0', async () => {
    const none = "SELECT SUM(amount) AS n FROM orders WHERE region = 'North'";
    const { answer } = await answered([callSql(none), callSql(EMPTY), callSql(EMPTY), DONE]);
    expect(answer.data[0]?.rows).toEqual([{ n: 0 }]);
  });
});

describe('results agree', () => {
  const first = callSql(BROKEN);
  const list = (order: string) => callSql(`SELECT id FROM orders WHERE id < 4${order}`);
  it.each([
    ['in any order where one of them has none', list(' ORDER BY id DESC'), list(''), true],
    ['in the same order where both have one', list(' ORDER BY id'), list(' ORDER BY id'), true],
    ['not in another order', list(' ORDER BY id'), list(' ORDER BY id DESC'), false],
    ['not with a further column', list(''), callSql('SELECT id, amount FROM orders WHERE id < 4'), false],
    ['within 1e-6', callSql('SELECT 1000000.0'), callSql('SELECT 1000000.4'), true],
    ['not beyond', callSql('SELECT 1000000.0'), callSql('SELECT 1000002'), false],
  ])('%s', async (_, one, other, isSame) => {
    const { answer } = await answered([first, one, other, DONE]);
    expect(answer.notes[0]?.message.startsWith('Chosen among 3 candidates, 2')).toBe(isSame);
  });
});

describe('nothing is tried', () => {
  it('without the option: the same requests, and no note', async () => {
    const script = [callSql(BROKEN), callSql(RIGHT), DONE];
    const { answer, requests } = await answered(script, {});
    expect([requests.length, answer.notes]).toEqual([3, []]);
    for (const request of requests) expect(request).not.toHaveProperty('temperature');
  });

  it('where the first statement brings something, or a later one fails', async () => {
    const { answer, requests } = await answered([callSql(RIGHT), callSql(BROKEN), DONE]);
    expect([requests.length, answer.notes]).toEqual([3, []]);
  });

  it('beyond the steps of the question, of which the last is for its answer', async () => {
    const { answer, requests } = await answered([callSql(BROKEN), callSql(RIGHT), DONE], {
      agent: { candidates: 5, maxSteps: 3 },
    });
    expect([requests.length, answer.steps, answer.text]).toEqual([3, 3, 'See the rows.']);
  });

  it('where a budget says that the question may not go on', async () => {
    const broke = definePlugin({
      name: 'test-broke',
      version: '1.0.0',
      type: 'policy',
      description: 'Ends the tokens of every question.',
      setup: (ctx) => ctx.tap(agentContinue, () => ({ code: 'spent', message: 'The tokens are spent.' })),
    });
    const { requests } = await answered([callSql(BROKEN), DONE], { agent: { candidates: 3 }, plugins: [broke()] });
    expect(requests).toHaveLength(2);
  });
});

it('an objection to a candidate is not told, and the model hears it with a statement of its own', async () => {
  const objections = new Map([
    [RIGHT, 'Regions are codes.'],
    [OTHER, 'Some orders are tests.'],
  ]);
  const picky = definePlugin({
    name: 'test-picky',
    version: '1.0.0',
    type: 'policy',
    description: 'Objects to two statements.',
    setup: (ctx) =>
      ctx.tap(queryCheck, ({ sql }) => {
        const message = objections.get(sql);
        return message === undefined ? [] : [{ message, hint: 'Look them up.' }];
      }),
  });
  const script = [callSql(RIGHT), callSql(OTHER), callSql(SAME), callSql(OTHER), callSql(OTHER), DONE];
  await using scripted = await scriptedApp(script, { agent: { candidates: 3 }, plugins: [picky()] });
  const { app, server } = scripted;
  const answer = await app.get(agent).answer(QUESTION, app.scope());
  expect(answer.sql).toEqual([OTHER]);
  const [first, second, third] = server.requests.at(-1)!.toolResults;
  expect([first, second]).toEqual([expect.stringContaining('codes'), expect.stringContaining('tests')]);
  expect(third).toContain('"n":500');
});

it('a reader of the stream sees the first call, and the result that was taken', async () => {
  await using scripted = await scriptedApp(
    [{ text: 'Let me look.', ...callSql(BROKEN) }, { text: 'Hidden.', ...callSql(RIGHT) }, callSql(SAME), DONE],
    { agent: { candidates: 3 } },
  );
  const { app } = scripted;
  const events: AgentEvent[] = [];
  for await (const event of app.get(agent).ask(QUESTION, app.scope())) events.push(event);
  expect(JSON.stringify(events)).not.toContain('Hidden.');
  expect(events.filter(({ type }) => type === 'tool-call')).toHaveLength(1);
  expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({
    result: { rows: [{ n: 250 }] },
    statement: { requested: RIGHT },
  });
});
