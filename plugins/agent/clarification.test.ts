import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { definePlugin, type Question } from '../../kernel/index.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { callSql, scriptedApp } from '../../test/harness/scripted-agent.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { createSimpleDemo } from '../demo-data/index.ts';
import { modelOffline } from '../model-offline/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { semanticQuery } from '../semantic-query/index.ts';
import type { AgentEvent } from './api.ts';
import { chosenByNumber } from './clarification.ts';
import { agent, queryCheck } from './index.ts';

const ask = (...texts: string[]): Question => ({
  turns: texts.map((text, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', text })),
  surface: 'api',
});
const clarify = (args: unknown) => ({ toolCall: { name: 'clarify', args } });
const WHICH = { question: 'Which sales?', choices: ['revenue', { label: 'orders', description: 'how many' }] };
const TEXT = 'Which sales?\n\n1. revenue\n2. orders: how many';

describe('the tool clarify', () => {
  test('ends the answer with its question and numbered choices', async () => {
    await using scripted = await scriptedApp([clarify(WHICH)]);
    const { app, server } = scripted;
    const events: AgentEvent[] = [];
    const answer = await app.get(agent).answer(ask('sales?'), app.scope(), (event) => events.push(event));
    expect(answer).toMatchObject({ outcome: 'clarify', text: TEXT, finishReason: 'stop', steps: 1, sql: [] });
    expect(answer.choices).toEqual([
      { id: '1', label: 'revenue' },
      { id: '2', label: 'orders', description: 'how many' },
    ]);
    expect(events.map(({ type }) => type)).toEqual(['tool-call', 'tool-result', 'text', 'finish']);
    expect(events[1]).toMatchObject({ result: { question: 'Which sales?', choices: answer.choices } });
    expect(server.requests).toHaveLength(1);
  });

  test('streams the question after what the model said before', async () => {
    await using scripted = await scriptedApp([{ text: 'Let me ask.', ...clarify(WHICH) }]);
    const { app } = scripted;
    let text = '';
    for await (const event of app.get(agent).ask(ask('sales?'), app.scope())) {
      if (event.type === 'text') text += event.text;
    }
    expect(text).toBe(`Let me ask.\n\n${TEXT}`);
  });

  test('a model that asks in its own text offers the choices of that text', async () => {
    using folder = emptyFolder();
    const database = join(folder.path, 'demo.db');
    createSimpleDemo(database);
    await using app = await createTestApp({
      plugins: [
        semanticLayer({ dir: new URL('../../semantic', import.meta.url).pathname }),
        semanticQuery(),
        datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${database}` }] }),
        modelOffline(),
        agent(),
      ],
    });
    const { text, outcome, choices = [] } = await app.get(agent).answer(ask('total sales'), app.scope());
    expect(outcome).toBe('clarify');
    expect(choices.map(({ id }) => id)).toEqual(['1', '2', '3']);
    for (const { id, label } of choices) expect(text).toContain(`\n${id}. ${label}`);
  });

  test('is called again when its arguments are wrong', async () => {
    await using scripted = await scriptedApp([clarify({ question: 'Which?', choices: ['one'] }), clarify(WHICH)]);
    const { app } = scripted;
    expect(await app.get(agent).answer(ask('?'), app.scope())).toMatchObject({ outcome: 'clarify', steps: 2 });
  });

  test('does not ask what was just answered, nor three times in a row', async () => {
    const other = 'Of which year?\n\n1. 2025\n2. 2026';
    for (const [turns, said] of [
      [['sales?', TEXT, 'orders'], 'just answered'],
      [['sales?', 'By what?\n\n1. month\n2. year', 'month', other, '2026'], 'twice already'],
    ] as const) {
      await using scripted = await scriptedApp([clarify(WHICH), { text: 'Fine.' }]);
      const { app, server } = scripted;
      expect(await app.get(agent).answer(ask(...turns), app.scope())).toMatchObject({ text: 'Fine.', steps: 2 });
      expect(JSON.parse(server.requests[1]?.toolResults[0] ?? '').error).toContain(said);
    }
    await using scripted = await scriptedApp([clarify(WHICH)]);
    const turns = ask('sales?', other, '2026');
    expect(await scripted.app.get(agent).answer(turns, scripted.app.scope())).toMatchObject({ outcome: 'clarify' });
  });

  test('a reply by number reaches the model with what it chooses', async () => {
    await using scripted = await scriptedApp(() => ({ text: 'Fine.' }));
    const { app, server } = scripted;
    await app.get(agent).answer(ask('sales?', TEXT, '2'), app.scope());
    expect(server.requests[0]?.question).toMatch(/<data (\w+)>\norders: how many\n<\/data \1>[\s\S]*\n\n2$/);
    await app.get(agent).answer(ask('sales?', TEXT, 'orders'), app.scope());
    expect(server.requests[1]?.question).toBe('orders');
  });

  test.each<[string, string | undefined]>([
    ['1', 'revenue'],
    ['option 2, please', 'orders: how many'],
    ['the second one', 'orders: how many'],
    ['#2', 'orders: how many'],
    ['2nd', 'orders: how many'],
    ['option two', 'orders: how many'],
    ['two', 'orders: how many'],
    ['I mean 2.', 'orders: how many'],
    ["Let's go with number one", 'revenue'],
    ['Nr. 2', 'orders: how many'],
    ['ten', undefined],
    ['I mean 2 weeks', undefined],
    ['3', undefined],
    ['0', undefined],
    ['2 weeks', undefined],
    ['orders', undefined],
  ])('the reply "%s" chooses %s', (reply, expected) => {
    expect(chosenByNumber(ask('sales?', TEXT, reply).turns)).toBe(expected);
  });

  test('a number chooses nothing where there was no list', () => {
    expect(chosenByNumber(ask('sales?', 'There were 5.', '2').turns)).toBeUndefined();
    expect(chosenByNumber(ask('2').turns)).toBeUndefined();
  });
});

describe('an objection of a plugin', () => {
  const objecting = definePlugin({
    name: 'test-objection',
    version: '1.0.0',
    type: 'context',
    description: 'Objects to every query.',
    setup: (ctx) => ctx.tap(queryCheck, () => [{ message: 'Is that meant?', hint: 'Call clarify.' }]),
  });

  test('refuses a query once, and the model may insist', async () => {
    const call = callSql('select 1 as n');
    await using scripted = await scriptedApp([call, call, call, { text: 'One.' }], { plugins: [objecting()] });
    const { app, server, shop } = scripted;
    const answer = await app.get(agent).answer(ask('?'), app.scope());
    expect(answer.data).toHaveLength(2);
    expect(shop.executed).toHaveLength(2);
    expect(JSON.parse(server.requests[1]?.toolResults[0] ?? '')).toEqual({
      error: 'Is that meant?',
      hint: 'Call clarify.',
    });
  });

  test('refuses all queries of the step in which it is told', async () => {
    const calls = [1, 2].map((n) => ({ name: 'executeSQL', args: { sql: `select ${n} as n` } }));
    const script = [{ toolCalls: calls }, callSql('select 3 as n'), { text: 'Three.' }];
    await using scripted = await scriptedApp(script, { plugins: [objecting()] });
    const { app, shop } = scripted;
    await app.get(agent).answer(ask('?'), app.scope());
    expect(shop.executed).toEqual(['select 3 as n']);
  });
});
