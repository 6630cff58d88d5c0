/** Tests what plugins tell of a result: to readers beside the rows, to the model with them. */
import { expect, test } from 'vitest';
import { definePlugin, Type, toolsCollect } from '../../kernel/index.ts';
import { callSql, scriptedApp } from '../../test/harness/scripted-agent.ts';
import { grounding } from '../grounding/index.ts';
import { agent, resultForModel, shownTable, tableDescribe, tableOf, verify } from './index.ts';

const SQL = 'select count(*) as n from orders';

const describing = definePlugin({
  name: 'describing',
  version: '1.0.0',
  type: 'context',
  description: 'Describes results.',
  setup(ctx) {
    ctx.tap(toolsCollect, () => [
      {
        name: 'vouched',
        description: 'Answers with a statement for which a person vouches.',
        input: Type.Object({}),
        async run(_, { scope, memory }) {
          const reply = await ctx.runSql({ sql: SQL, surface: 'api' }, scope);
          const table = tableOf(reply, SQL);
          verify(memory, table, { name: 'orders', by: 'Ann', at: '2026-01-01', parameters: {} });
          return { forModel: resultForModel(reply.result, 1_000), table };
        },
      },
    ]);
    ctx.tap(tableDescribe, ({ table, question, isVerified }, scope) => {
      if (isVerified) return [{ facts: { isVerified }, forAnswer: 'By the way, 8,317.45 EUR are due.' }];
      // As the kernel does at a deadline.
      if (table.sql.includes('late')) scope.abort(new Error('of the deadline'));
      if (/broken|late/.test(table.sql)) throw new Error('of its own');
      return [{ facts: { origin: question?.surface ?? 'a caller' }, forModel: `${table.rows.length} row seen.` }];
    });
  },
});

test('facts are in the answer, its events and the result of a statement, and the sentence is for the model', async () => {
  await using scripted = await scriptedApp([callSql(SQL), { text: 'There are 500.' }], { plugins: [describing()] });
  const { app, server } = scripted;
  const { answer, runStatement } = app.get(agent);
  const facts: unknown[] = [];
  const { data } = await answer(
    { turns: [{ role: 'user', text: 'How many?' }], surface: 'api' },
    app.scope(),
    (event) => (event.type === 'tool-result' ? facts.push(event.statement?.about) : undefined),
  );
  expect(data.map(shownTable)).toMatchObject([{ origin: 'api', rowCount: 1 }]);
  expect(facts).toEqual([{ origin: 'api' }]);
  expect(server.requests[1]?.toolResults.map((text) => JSON.parse(text).notes)).toEqual([['1 row seen.']]);
  const ran = await runStatement({ sql: SQL, surface: 'api' }, app.scope());
  expect(shownTable(ran.table)).toMatchObject({ origin: 'a caller', rows: [{ n: 500 }] });
  ran.release();
});

test('what the answer has to say is for the model and for checks of the answer, and who vouches is known', async () => {
  const steps = [
    { toolCall: { name: 'vouched', args: {} } },
    { text: 'There are 500. By the way, 8,317.45 EUR are due.' },
  ];
  await using scripted = await scriptedApp(steps, { plugins: [describing(), grounding()] });
  const { app, server } = scripted;
  const question = { turns: [{ role: 'user', text: 'How many?' }], surface: 'api' } as const;
  const { data, notes } = await app.get(agent).answer(question, app.scope());
  expect(data.map(shownTable)).toMatchObject([{ isVerified: true }]);
  expect(server.requests[1]?.toolResults.map((text) => JSON.parse(text).notes)).toEqual([
    ['Say in the answer: By the way, 8,317.45 EUR are due.'],
  ]);
  expect(notes.map(({ code }) => code)).not.toContain('ungrounded_figure');
});

test.each(['broken', 'late'])(
  'a result is shown all the same where its description is %s, and that is logged',
  async (name) => {
    const sql = `select count(*) as ${name} from orders`;
    await using scripted = await scriptedApp([callSql(sql), { text: 'There are 500.' }], { plugins: [describing()] });
    const { app } = scripted;
    const question = { turns: [{ role: 'user', text: 'How many?' }], surface: 'api' } as const;
    const { data } = await app.get(agent).answer(question, app.scope());
    expect(data.map(shownTable)).toMatchObject([{ rows: [{ [name]: 500 }] }]);
    expect(data[0]).not.toHaveProperty('about');
    expect(app.lines.some(({ message }) => message === 'A result could not be described.')).toBe(true);
  },
);
