/** Tests the memory limits of one question and of all questions. */
import { expect, test } from 'vitest';
import { definePlugin, type Question, Scope, sqlAfter, sqlBefore } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { callSql, scriptedApp, testShop } from '../../test/harness/scripted-agent.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { resultMemory } from '../datasource-kit/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { sizeOf } from '../model-kit/index.ts';
import { ProcessBudget, QuestionBudget } from './budget.ts';
import { agent } from './index.ts';
import { rowsThatFit } from './size.ts';

const MIB = 1024 * 1024;
const question: Question = { turns: [{ role: 'user', text: 'All?' }], surface: 'api' };
/** About `kibibytes` KiB in as many rows. */
const rows = (kibibytes: number) => `select hex(zeroblob(512)) as text from orders limit ${kibibytes}`;
const protocols = ['openai', 'openai-compatible'] as const;

test.each(protocols)('%s: rows beyond the budget are dropped, and client and model are told', async (provider) => {
  const sql = rows(400);
  await using scripted = await scriptedApp(
    (request) => (request.tools.length === 0 ? { text: 'As far as it goes.' } : callSql(sql)),
    { model: { provider, apiKey: 'sk-test' }, agent: { questionBudgetBytes: MIB } },
  );
  const { app, server, shop } = scripted;
  const answer = await app.get(agent).answer(question, app.scope());
  expect(answer.data.map(({ truncated }) => truncated)).toEqual([false, false, true]);
  expect(answer.data[2]?.rows.length).toBeGreaterThan(100);
  expect(answer.data[2]?.rows.length).toBeLessThan(300);
  expect(answer).toMatchObject({ text: 'As far as it goes.', steps: 4, finishReason: 'stop' });
  expect(shop.executed).toHaveLength(3);
  const results = server.requests[3]?.toolResults.map((text) => JSON.parse(text)) ?? [];
  expect(results[0]).not.toHaveProperty('notes');
  expect(results[1].notes.at(-1)).toMatch(/^Only 0\.\d MiB of 1 MiB are left/);
  expect(results[2]).toMatchObject({ truncated: true, rowCount: answer.data[2]?.rows.length });
  expect(results[2].notes.at(-1)).toContain('have reached their limit of 1 MiB');
});

test('a stream gets the same rows as the answer, and further calls of the step are not run', async () => {
  const toolCalls = Array.from({ length: 8 }, (_, n) => ({ name: 'executeSQL', args: { sql: rows(450 + n) } }));
  await using scripted = await scriptedApp(() => ({ toolCalls }), { agent: { questionBudgetBytes: MIB } });
  const { app, shop } = scripted;
  const results: { rows?: unknown[]; truncated?: boolean }[] = [];
  const errors: unknown[] = [];
  for await (const event of app.get(agent).ask(question, app.scope())) {
    if (event.type === 'tool-result' && event.error !== undefined) errors.push(event.error);
    else if (event.type === 'tool-result') results.push(event.result as { rows: unknown[] });
    else if (event.type === 'finish') {
      expect(event.answer.data).toMatchObject(results.map(({ rows, truncated }) => ({ rows, truncated })));
      // A model that calls tools all the same: the answer says what to do.
      expect(event.answer).toMatchObject({ finishReason: 'length', text: expect.stringContaining('fewer rows') });
    }
  }
  expect(results.map(({ truncated }) => truncated)).toEqual([false, false, true, true]);
  expect(errors).toEqual(Array(4).fill('Not run: there is no room for further results.'));
  expect(shop.executed).toHaveLength(4);
});

test('near the budget of the process new questions are refused, until the others have ended', async () => {
  await using scripted = await scriptedApp(
    (request) => (request.toolResults.length > 0 ? { text: 'All.' } : callSql(rows(450))),
    {
      agent: { questionBudgetBytes: MIB, processBudgetBytes: MIB },
    },
  );
  const { app } = scripted;
  const atResult = async (scope = app.scope()) => {
    const events = app.get(agent).ask(question, scope)[Symbol.asyncIterator]();
    while ((await events.next()).value?.type !== 'tool-result');
    return events;
  };
  const [first, scope] = [await atResult(), app.scope()];
  await atResult(scope);
  const refused = { code: 'overloaded', retryAfterSeconds: expect.any(Number) };
  await expect(app.get(agent).answer(question, app.scope())).rejects.toMatchObject(refused);
  await expect(app.get(agent).ask(question, app.scope())[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
  await first.return?.();
  // The reader never asks for the second event.
  scope.abort(new Error('client left'));
  expect((await app.get(agent).answer(question, app.scope())).data[0]?.rows).toHaveLength(450);
});

test('the rows of an answer count until it has been sent, where its request says so', async () => {
  await using scripted = await scriptedApp(
    (request) => (request.toolResults.length > 0 ? { text: 'All.' } : callSql(rows(450))),
    { agent: { questionBudgetBytes: MIB, processBudgetBytes: MIB } },
  );
  const { app } = scripted;
  const answering = app.get(agent);
  const sent: (() => void)[] = [];
  for (const _ of [1, 2]) {
    const scope = app.scope();
    sent.push(answering.retain?.(scope) ?? expect.unreachable());
    // As those do who wrap the agent.
    await answering.answer(question, scope.part());
  }
  await expect(answering.answer(question, app.scope())).rejects.toMatchObject({ code: 'overloaded' });
  sent[0]?.();
  expect((await answering.answer(question, app.scope())).data[0]?.rows).toHaveLength(450);
});

test('a running question that exceeds the process limit ends with the rows so far', async () => {
  await using scripted = await scriptedApp(
    (request, n) => (request.tools.length === 0 ? { text: 'As far as it goes.' } : callSql(`${rows(490)} -- ${n}`)),
    { agent: { questionBudgetBytes: 8 * MIB, processBudgetBytes: MIB } },
  );
  const { app, server } = scripted;
  for (const _ of [1, 2]) {
    const answer = await app.get(agent).answer(question, app.scope());
    expect(answer.data.map(({ truncated }) => truncated)).toEqual([false, false, true]);
    expect(answer.text).toBe('As far as it goes.');
  }
  const notes = JSON.parse(server.requests[3]?.toolResults[2] ?? '').notes;
  expect(notes.at(-1)).toContain('The server has no memory left');
});

test('rows count from their arrival, and what would not fit is not read', async () => {
  using folder = new SqliteFolder();
  const url = `sqlite:${folder.create('shop.db', 'CREATE TABLE things (id INTEGER)')}`;
  const sql = (rows: number) =>
    `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${rows}) SELECT printf('%8192s', '') AS t FROM c`;
  let held: number | undefined;
  const unsealed = definePlugin({
    name: 'test-tables',
    version: '1.0.0',
    type: 'policy',
    description: 'Lets statements open no table, and looks at their room.',
    setup(ctx) {
      ctx.tap(sqlBefore, (statement) => ({ ...statement, tables: [] }));
      ctx.tap(sqlAfter, async ({ statement }, scope) => {
        held = MIB - ((await ctx.call(resultMemory, statement, scope))?.roomBytes ?? 0);
      });
    },
  });
  await using scripted = await scriptedApp(
    ({ toolResults, question: asked }) =>
      toolResults.length > 0
        ? { text: 'As far as it goes.' }
        : callSql(sql(asked === 'All?' ? 500 : 50), { connectionId: 'files' }),
    {
      agent: { questionBudgetBytes: MIB },
      plugins: [datasourceSqlite({ connections: [{ id: 'files', url }] }), unsealed()],
    },
  );
  const { app, server } = scripted;
  const few = await app.get(agent).answer({ turns: [{ role: 'user', text: 'Some?' }], surface: 'api' }, app.scope());
  expect(few.data).toMatchObject([{ rows: { length: 50 }, truncated: false }]);
  // Counted before the tool had the result.
  expect(held).toBeGreaterThan(50 * 4 * 1024);
  const all = await app.get(agent).answer(question, app.scope());
  expect(all.data).toMatchObject([{ truncated: true }]);
  expect(all.data[0]?.rows.length).toBeGreaterThan(100);
  const [result] = server.requests[3]?.toolResults.map((text) => JSON.parse(text)) ?? [];
  expect(result.notes).toContainEqual(
    expect.stringMatching(/^Only the first 1\d\d rows are given; there is no memory/),
  );
  expect(result.notes.at(-1)).toContain('have reached their limit of 1 MiB');
});

test('rows of a call that fails count no longer', () => {
  const all = new ProcessBudget(1_000);
  const one = new QuestionBudget(all, 600);
  const call = new Scope({ log: undefined as never });
  const rows = one.arriving(call);
  expect(all.arriving(call.part().part())).toBe(rows);
  expect(all.arriving(new Scope({ log: undefined as never }))).toBeUndefined();
  rows.hold(400);
  expect([rows.roomBytes, all.heldBytes]).toEqual([200, 400]);
  rows.end();
  rows.end();
  expect([rows.roomBytes, all.heldBytes]).toEqual([600, 0]);
});

test('memory is released exactly once', () => {
  const all = new ProcessBudget(100);
  const one = new QuestionBudget(all, 1_000);
  one.hold(70);
  expect(all.roomBytes).toBe(30);
  expect(() => all.checkCapacity()).not.toThrow();
  one.hold(20);
  expect(() => all.checkCapacity()).toThrow('take all the memory');
  one.end();
  one.hold(50);
  one.end();
  expect(all.heldBytes).toBe(0);
});

test('a table is counted in place of the rows that arrived for it', () => {
  const all = new ProcessBudget(1e9);
  const one = new QuestionBudget(all, 1e6);
  const rows = Array.from({ length: 4_000 }, (_, id) => ({ id, name: 'Ann' }));
  const arrived = one.arriving(new Scope({ log: undefined as never }));
  arrived.hold(5e5);
  const table = { sql: 'SELECT', connectionId: 'default', columns: ['id', 'name'], rows, truncated: false };
  expect(one.holdTable(table, arrived)).toBe(table);
  // A row takes 51 bytes.
  expect(all.heldBytes).toBe(rows.length * 51);
  one.hold(1e6 - all.heldBytes - 510);
  expect(one.holdTable(table, arrived)).toMatchObject({ truncated: true, rows: { length: 10 } });
  expect(one.isSpent).toBe(true);
});

test('budgets that are too small cannot be configured', async () => {
  await expect(createTestApp({ plugins: [testShop(), agent({ questionBudgetBytes: 7 })] })).rejects.toThrow(
    'questionBudgetBytes',
  );
});

test('sizes are approximate and measured without reading everything', () => {
  expect(sizeOf('x'.repeat(1_000), 1e9)).toBeCloseTo(1_000, -2);
  expect(sizeOf({ a: [1, 'two', null], b: new Uint8Array(500) }, 1e9)).toBeGreaterThan(500);
  let deep: unknown = 1;
  for (let n = 0; n < 10_000; n += 1) deep = [deep];
  expect(sizeOf(deep, 1e9)).toBe(Number.POSITIVE_INFINITY);
  let reads = 0;
  const row = {
    get text() {
      reads += 1;
      return 'x'.repeat(100);
    },
  };
  expect(rowsThatFit(Array(1_000).fill(row), 1_000).count).toBeLessThan(10);
  expect(reads).toBeLessThan(12);
});
