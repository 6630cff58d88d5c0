/** Tests what plugins tell of a result: to readers beside the rows, to the model with them. */
import { expect, test } from 'vitest';
import { definePlugin } from '../../kernel/index.ts';
import { callSql, scriptedApp } from '../../test/harness/scripted-agent.ts';
import { agent, shownTable, tableDescribe } from './index.ts';

const SQL = 'select count(*) as n from orders';

const describing = definePlugin({
  name: 'describing',
  version: '1.0.0',
  type: 'context',
  description: 'Describes results.',
  setup(ctx) {
    ctx.tap(tableDescribe, ({ table, question }, scope) => {
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
