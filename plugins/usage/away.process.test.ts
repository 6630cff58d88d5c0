/** Budgets and records while the internal database is away, and without one. */
import { expect, it } from 'vitest';
import { startOpenAIServer } from '../../test/harness/openai-server.ts';
import { startPostgres } from '../../test/harness/postgres.ts';
import { callSql } from '../../test/harness/scripted-agent.ts';
import { meteredServer } from './fixtures/metered-server.ts';

const reply = { text: 'Done.', usage: { input: 80, output: 20 } };

it('refuses a question whose budget cannot be checked, and counts again once the database is back', async () => {
  await using database = await startPostgres();
  await using model = await startOpenAIServer({ respond: () => reply });
  await using server = await meteredServer({
    model,
    database: database.url,
    silenceMs: 2_500,
    usage: { userDayTokens: 250 },
  });
  expect((await server.ask()).status).toBe(200);
  database.freeze();
  for (const refused of [await server.ask(), await server.chat()]) {
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({
      error: 'unavailable',
      message: expect.stringMatching(/^The token budget cannot be checked, because the internal database/),
    });
  }
  expect(model.requests).toHaveLength(1);
  database.thaw();
  await expect.poll(async () => (await server.ask()).status).toBe(200);
  expect((await server.usage()).body.budgets).toMatchObject([{ usedTokens: 200 }]);
});

it('answers without a budget while the database is away, and records that once, when it is back', async () => {
  await using database = await startPostgres();
  let isFrozen = false;
  await using model = await startOpenAIServer({
    respond() {
      // Frozen while the question runs: its tokens are sent to the database, which takes them only later.
      if (!isFrozen) database.freeze();
      isFrozen = true;
      return reply;
    },
  });
  await using server = await meteredServer({
    model,
    database: database.url,
    silenceMs: 2_500,
    withConversations: false,
  });
  expect((await server.ask()).status).toBe(200);
  // Longer than the database may be silent: the write is given up, and sent again.
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  database.thaw();
  await expect.poll(async () => (await server.usage()).body.sums).toMatchObject({ questions: 1, totalTokens: 100 });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect((await server.usage()).body.sums).toMatchObject({ questions: 1, totalTokens: 100 });
});

it('without an internal database keeps the budget of a question, and starts with no other', async () => {
  await using model = await startOpenAIServer({
    respond: (request, n) => ({
      ...(request.tools.length > 0 ? callSql(`select ${n}`) : reply),
      usage: { input: 900, output: 100 },
    }),
  });
  await using server = await meteredServer({ model, database: undefined, usage: { questionTokens: 2_500 } });
  const answer = await (await server.ask()).json();
  expect(answer).toMatchObject({ answer: 'Done.', steps: 3, notes: [{ code: 'budget' }] });
  expect(await server.usage()).toMatchObject({ status: 404, body: { error: 'not_available' } });
  for (const usage of [{ userDayTokens: 1 }, { orgMonthTokens: 1 }]) {
    await expect(meteredServer({ model, database: undefined, usage })).rejects.toThrow(
      /needs the internal database to count in.* Set DATABASE_URL/,
    );
  }
});
