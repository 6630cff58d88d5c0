/** Usage and budgets over HTTP, on both internal databases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { type OpenAIServer, type Step, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { callSql } from '../../test/harness/scripted-agent.ts';
import { internalDb } from '../internal-db/index.ts';
import { type MeteredOptions, type MeteredServer, meteredServer } from './fixtures/metered-server.ts';

const COUNT = callSql('select count(*) from orders');
/** The same call again would end the tool phase. */
const another = (n: number) => callSql(`select count(*) + ${n} from orders`);
const step = (of: Step, input: number, output: number): Step => ({ ...of, usage: { input, output } });

/** Every question takes two calls of 500 tokens. */
const TWO_CALLS = (request: { toolResults: readonly string[] }): Step =>
  request.toolResults.length === 0 ? step(COUNT, 400, 100) : step({ text: '500 orders.' }, 450, 50);

describe.each(chosenEngines)('usage on %s', (_name, open) => {
  let engine: TestEngine;
  let model: OpenAIServer;
  beforeAll(async () => {
    engine = await open();
    model = await startOpenAIServer({ respond: TWO_CALLS });
  });
  afterAll(async () => {
    await model.close();
    await engine[Symbol.asyncDispose]();
  });

  const start = async (options: Partial<MeteredOptions> = {}): Promise<MeteredServer> =>
    meteredServer({ model, database: await engine.fresh(), ...options });

  it('records each question with its conversation, tokens and cost, whatever surface it came by', async () => {
    await using server = await start({ usage: { prices: { scripted: { input: 2, output: 10 } } } });
    const { conversationId } = (await (await server.ask({ org: 'acme' })).json()) as { conversationId: string };
    await (await server.chat({ org: 'acme' })).text();
    await expect.poll(async () => (await server.usage({ org: 'acme' })).body.sums.questions).toBe(2);
    const rows = await server.app.get(internalDb).run((db) => db('usage_questions').orderBy('surface'));
    expect(rows.map(({ surface }: { surface: string }) => surface)).toEqual(['api', 'web']);
    expect(rows[0]).toMatchObject({
      conversation_id: conversationId,
      user_id: 'ann',
      org_id: 'acme',
      day: '2026-01-15',
      model: 'scripted',
      provider: 'openai-compatible',
    });
    const { body } = await server.usage({ org: 'acme' });
    const counts = {
      questions: 2,
      modelCalls: 4,
      inputTokens: 1_700,
      outputTokens: 300,
      totalTokens: 2_000,
      cachedInputTokens: 0,
      estimatedTokens: 0,
      cost: 0.0064,
    };
    expect(body).toEqual({
      scope: 'own',
      from: '2026-01-01',
      to: '2026-01-15',
      entries: [{ day: '2026-01-15', provider: 'openai-compatible', model: 'scripted', ...counts }],
      sums: counts,
      budgets: [],
      total: 1,
      limit: 100,
      offset: 0,
    });
  });

  it('shows users their own usage, and administrators that of their organization', async () => {
    await using server = await start();
    for (const [user, org] of [
      ['ann', 'acme'],
      ['bob', 'acme'],
      ['eve', 'evil'],
    ]) {
      await (await server.ask({ user: user as string, org: org as string })).json();
    }
    const questions = async (...asked: Parameters<MeteredServer['usage']>) => {
      const { status, body } = await server.usage(...asked);
      return body.sums?.questions ?? [status, body.error];
    };
    await expect.poll(() => questions({ user: 'root', org: 'acme', role: 'admin' })).toBe(2);
    await expect.poll(() => questions({ user: 'eve', org: 'evil' })).toBe(1);
    expect(await questions({ user: 'ann', org: 'acme' })).toBe(1);
    expect(await questions({ user: 'ann', org: 'evil' })).toBe(0);
    expect(await questions({ user: 'carl', org: 'acme' })).toBe(0);
    expect(await questions({ user: 'root', role: 'admin' })).toBe(0);
    expect(await questions({ user: 'root', org: 'acme', role: 'admin' }, '?scope=own')).toBe(0);
    expect(await questions({ user: 'root', org: 'acme', role: 'admin' }, '?user=bob')).toBe(1);
    expect(await questions({ user: 'root', org: 'acme', role: 'admin' }, '?user=eve')).toBe(0);
    expect(await questions({ user: 'ann', org: 'acme' }, '?scope=organization')).toEqual([403, 'auth_error']);
    expect(await questions({ user: 'ann', org: 'acme' }, '?user=bob')).toEqual([403, 'auth_error']);
    expect(await questions({ user: 'ann', org: 'acme' }, '?scope=own&user=bob')).toBe(1);
  });

  it('shows a page of a bounded time', async () => {
    const database = await engine.fresh();
    for (const day of ['2026-01-13', '2026-01-14', '2026-02-02']) {
      await using server = await start({ database, now: new Date(`${day}T23:59:59.999Z`) });
      await (await server.ask()).json();
    }
    await using server = await start({ database, now: new Date('2026-02-02T00:00:00Z') });
    const page = async (query: string) => {
      const { status, body } = await server.usage({}, query);
      return body.entries === undefined
        ? [status, body.error]
        : [body.entries.map((e: { day: string }) => e.day), body.total];
    };
    expect(await page('')).toEqual([['2026-02-02'], 1]);
    expect(await page('?from=2026-01-01')).toEqual([['2026-02-02', '2026-01-14', '2026-01-13'], 3]);
    expect(await page('?from=2026-01-01&limit=1&offset=1')).toEqual([['2026-01-14'], 3]);
    expect(await page('?from=2026-01-14&to=2026-01-14')).toEqual([['2026-01-14'], 1]);
    expect(await page('?from=2026-01-14&to=2026-01-13')).toEqual([400, 'invalid_request']);
    expect(await page('?from=2024-01-01')).toEqual([400, 'invalid_request']);
    expect(await page('?from=2026-02-30')).toEqual([400, 'invalid_request']);
    expect(await page('?limit=1001')).toEqual([400, 'invalid_request']);
  });

  it('records questions whose server stops at once, also those that wait for others', async () => {
    const database = await engine.fresh();
    {
      await using server = await start({ database, withConversations: false });
      const db = server.app.get(internalDb);
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const locked = Promise.withResolvers<void>();
      const locking = db.transaction(async (trx) => {
        await trx.raw(db.dialect === 'sqlite' ? 'SELECT 1' : 'LOCK TABLE usage_questions IN EXCLUSIVE MODE');
        locked.resolve();
        await isOver;
      });
      await locked.promise;
      setTimeout(end, 500);
      // While the first is being written, the second waits.
      for (let n = 0; n < 2; n += 1) await (await server.ask()).json();
      void locking;
    }
    await using server = await start({ database });
    expect((await server.usage({}, '')).body.sums.questions).toBe(2);
  });

  it("refuses a user's questions by every surface until the next day", async () => {
    const database = await engine.fresh();
    const budget = { usage: { userDayTokens: 1_500 } };
    {
      await using server = await start({ database, ...budget });
      expect((await server.ask()).status).toBe(200);
      expect((await server.usage()).body.budgets).toEqual([
        {
          name: 'userDay',
          limitTokens: 1_500,
          usedTokens: 1_000,
          reservedTokens: 0,
          renewsAt: '2026-01-16T00:00:00.000Z',
        },
      ]);
      expect(await (await server.chat()).text()).toContain('500 orders.');
      const calls = model.requests.length;
      for (const refused of [await server.ask(), await server.chat(), await server.ask({ org: 'other' })]) {
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(12 * 3_600)]);
        expect(await refused.json()).toMatchObject({
          error: 'budget_exhausted',
          message: expect.stringMatching(
            /^Your budget of 1,500 tokens a day is used up\. It renews at 2026-01-16T00:00/,
          ),
        });
      }
      expect(model.requests).toHaveLength(calls);
      // Refused questions leave nothing behind.
      const list = await fetch(`${server.url}/api/v1/conversations`);
      expect(((await list.json()) as { total: number }).total).toBe(2);
      expect((await server.ask({ user: 'bob' })).status).toBe(200);
    }
    await using server = await start({ database, ...budget, now: new Date('2026-01-16T00:00:00Z') });
    expect((await server.ask()).status).toBe(200);
  });

  it('refuses all of an organization until the next month, without its figures', async () => {
    const database = await engine.fresh();
    const options = { database, usage: { orgMonthTokens: 1_000 } };
    {
      await using server = await start(options);
      expect((await server.ask({ user: 'ann', org: 'acme' })).status).toBe(200);
      const refused = await server.ask({ user: 'bob', org: 'acme' });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(16.5 * 86_400)]);
      const { message } = (await refused.json()) as { message: string };
      expect(message).toMatch(/^Your organization's token budget .* renews at 2026-02-01T00:00:00/);
      expect(message).not.toContain('1,000');
      expect((await server.ask({ user: 'bob', org: 'other' })).status).toBe(200);
      expect((await server.usage({ user: 'bob', org: 'acme' })).body.budgets).toEqual([]);
      const { body } = await server.usage({ user: 'root', org: 'acme', role: 'admin' });
      expect(body.budgets).toMatchObject([{ name: 'orgMonth', limitTokens: 1_000, usedTokens: 1_000 }]);
    }
    await using server = await start({ ...options, now: new Date('2026-02-01T00:00:00Z') });
    expect((await server.ask({ user: 'bob', org: 'acme' })).status).toBe(200);
  });

  it('counts the tokens of a question whose reader leaves', async () => {
    // The same word again and again would end the reply.
    const text = Array.from({ length: 600 }, (_, n) => `word${n}`).join(' ');
    await using slow = await startOpenAIServer({
      respond: () => ({ text, everyMs: 2_000, stall: 'mid' }),
    });
    await using server = await start({ model: slow, usage: { userDayTokens: 200 } });
    for (const surface of ['ask', 'chat'] as const) {
      const leaving = new AbortController();
      const { length } = slow.requests;
      const asked = server[surface]({ user: surface }, leaving.signal);
      asked.then((response) => response.text()).catch(() => {});
      await expect.poll(() => slow.requests.length).toBeGreaterThan(length);
      leaving.abort();
      await expect
        .poll(async () => (await server.usage({ user: surface })).body.sums)
        .toMatchObject({ questions: 1, modelCalls: 1, inputTokens: expect.any(Number) });
      const { sums } = (await server.usage({ user: surface })).body;
      expect(sums.estimatedTokens).toBe(sums.totalTokens);
      expect(sums.inputTokens).toBeGreaterThan(200);
      expect((await server.ask({ user: surface })).status).toBe(429);
    }
  });

  it('lets questions that run at once reserve their tokens, on all servers together', async () => {
    const database = await engine.fresh();
    let running = 0;
    let most = 0;
    // None ends, and frees what it has reserved, before the others are refused.
    const { promise: refusals, resolve: allRefused } = Promise.withResolvers<void>();
    await using slow = await startOpenAIServer({
      async respond(request) {
        running += 1;
        most = Math.max(most, running);
        await refusals;
        running -= 1;
        return TWO_CALLS(request);
      },
    });
    const options = { database, model: slow, usage: { userDayTokens: 45_000 } };
    await using first = await start(options);
    await using second = await start(options);
    const [asked, begun] = [40, 3];
    let refusedCount = 0;
    const ask = async (n: number) => {
      const answer = await (n % 2 === 0 ? first : second).ask();
      if (answer.status === 429) refusedCount += 1;
      if (refusedCount === asked - begun) allRefused();
      return answer;
    };
    const answers = await Promise.all(Array.from({ length: asked }, (_, n) => ask(n)));
    const statuses = answers.map(({ status }) => status).sort();
    // Three reservations of 20,000 tokens begin within 45,000.
    expect(statuses.filter((status) => status === 200)).toHaveLength(begun);
    expect(most).toBe(begun);
    const refused = answers.find(({ status }) => status === 429) as Response;
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(await refused.json()).toMatchObject({
      message: expect.stringMatching(/reserved by questions that are running/),
    });
    expect((await first.usage()).body).toMatchObject({
      sums: { questions: 3 },
      budgets: [{ usedTokens: 3_000, reservedTokens: 0 }],
    });
    expect((await second.ask()).status).toBe(200);
  });

  it('ends the tool phase where the next call would reach the budget, and says so', async () => {
    await using greedy = await startOpenAIServer({
      respond: (request, n) => step(request.tools.length > 0 ? another(n) : { text: 'What I know.' }, 900, 100),
    });
    for (const [budget, calls] of [
      [{ questionTokens: 3_500 }, 4],
      [{ userDayTokens: 2_500 }, 3],
      [{ orgMonthTokens: 2_500 }, 3],
      [{ questionTokens: 100 }, 2],
    ] as const) {
      await using server = await start({ model: greedy, usage: budget });
      const { length } = greedy.requests;
      const answer = (await (await server.ask()).json()) as {
        answer: string;
        notes: { code: string; message: string }[];
      };
      expect([budget, greedy.requests.length - length]).toEqual([budget, calls]);
      expect(answer.answer).toBe('What I know.');
      expect(answer.notes).toContainEqual({
        code: 'budget',
        message: expect.stringMatching(/budget.*so the answer rests/),
      });
    }
  });

  it.each([
    ['negative', -400, -100],
    ['none', 0, 0],
    ['beyond what is counted', 1e300, 1e300],
  ])('estimates what a provider reports as %s', async (_what, input, output) => {
    await using odd = await startOpenAIServer({
      respond: () => step({ text: 'Nothing to look up here.' }, input, output),
    });
    await using server = await start({ model: odd, usage: { userDayTokens: 100_000 } });
    expect((await server.ask()).status).toBe(200);
    const { sums, budgets } = (await server.usage()).body;
    expect(sums.estimatedTokens).toBeGreaterThan(0);
    expect(sums.inputTokens).toBeGreaterThan(0);
    expect(sums.outputTokens).toBeGreaterThan(0);
    expect(budgets[0].usedTokens).toBe(sums.totalTokens);
  });

  it('lets a long question reserve more while there is more', async () => {
    await using greedy = await startOpenAIServer({
      respond: (_request, n) => step(n < 4 ? another(n) : { text: 'Done.' }, 14_000, 1_000),
    });
    await using server = await start({ model: greedy, usage: { userDayTokens: 1_000_000 } });
    const answer = (await (await server.ask()).json()) as { answer: string; notes: object[] };
    expect([answer.answer, answer.notes]).toEqual(['Done.', []]);
    expect((await server.usage()).body.budgets).toMatchObject([{ usedTokens: 75_000, reservedTokens: 0 }]);
  });

  it('deletes what is older than its retention at the start, and keeps the rest', async () => {
    const database = await engine.fresh();
    for (const day of ['2025-12-01', '2026-01-14']) {
      await using server = await start({ database, now: new Date(`${day}T12:00:00Z`) });
      await (await server.ask()).json();
    }
    await using server = await start({ database, usage: { retentionDays: 31 } });
    const { app } = server;
    const left = (table: string, column: string) =>
      app.get(internalDb).run((db) => db(table).orderBy(column).pluck(column));
    await expect.poll(() => left('usage_totals', 'period')).toEqual(['2026-01', '2026-01-14']);
    expect(await left('usage_questions', 'day')).toEqual(['2026-01-14']);
    expect(await left('usage_days', 'day')).toEqual(['2026-01-14']);
  });

  it('releases what a question reserved that called no model', async () => {
    await using server = await start({ usage: { userDayTokens: 1_000 } });
    const post = (question: string) =>
      fetch(`${server.url}/api/v1/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ question }),
      });
    expect((await post(`How many? ${'x'.repeat(70_000)}`)).status).toBe(400);
    expect((await server.usage()).body.budgets).toMatchObject([{ usedTokens: 0, reservedTokens: 0 }]);
    expect((await server.ask()).status).toBe(200);
  });
});
