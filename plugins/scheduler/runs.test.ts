import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver } from '../../test/harness/http-receiver.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { internalDb } from '../internal-db/index.ts';
import { caller, clockAt, haveEnded, settle, startModel, startScheduled, until } from './fixtures/scheduled-app.ts';

describe.each(chosenEngines)('runs on %s', (_, engine) => {
  let databases: TestEngine;
  beforeAll(async () => {
    databases = await engine();
  });
  afterAll(() => databases[Symbol.asyncDispose]());

  it('begin when the task is due, answer the question and deliver the report', async () => {
    await using receiver = await startHttpReceiver();
    const model = await startModel();
    const clock = clockAt('2026-01-15T07:59:30Z');
    await using app = await startScheduled(await databases.fresh(), model, { clock, allowPrivate: [receiver.host] });
    const user = caller(app);
    const task = await user.create({ recipients: [{ type: 'webhook', url: `${receiver.url}/hook?token=1` }] });
    expect(task).toMatchObject({ nextRunAt: '2026-01-15T08:00:00.000Z', lastRunAt: null });
    await settle();
    expect(await user.runs(task.id)).toEqual([]);

    clock.now = Date.parse('2026-01-15T08:00:00Z');
    const [run] = await until(
      () => user.runs(task.id),
      (runs) => runs[0]?.deliveryStatus === 'sent',
    );
    expect(run).toEqual({
      id: expect.any(String),
      taskId: task.id,
      scheduledFor: '2026-01-15T08:00:00.000Z',
      late: false,
      status: 'success',
      startedAt: '2026-01-15T08:00:00.000Z',
      completedAt: '2026-01-15T08:00:00.000Z',
      conversationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      error: null,
      tokensUsed: 30,
      deliveryStatus: 'sent',
      deliveryReason: null,
      figure: null,
      deliveryError: null,
    });
    expect(await user.get(task.id)).toMatchObject({
      lastRunAt: '2026-01-15T08:00:00.000Z',
      nextRunAt: '2026-01-16T08:00:00.000Z',
      recentRuns: [run],
    });
    const [sent] = receiver.received;
    const body = JSON.parse(sent?.body ?? '');
    expect(body).toMatchObject({
      taskId: task.id,
      taskName: 'Orders',
      question: 'How many orders?',
      answer: 'There are 500 orders.',
      data: [{ columns: ['id', 'region'], totalRows: 500, truncated: true }],
      usage: { totalTokens: 30 },
    });
    expect(body.data[0].rows).toHaveLength(50);
    const conversation = await app.inject({ method: 'GET', url: `/api/v1/conversations/${run?.conversationId}` });
    expect(conversation.json()).toMatchObject({ surface: 'schedule', total: 2 });
    await settle();
    expect(await user.runs(task.id)).toHaveLength(1);
    await model.close();
  });

  it('are one for each time, however many servers look, and whatever their clocks say', async () => {
    await using model = await startModel();
    const url = await databases.fresh();
    const clocks = [clockAt('2026-01-15T07:59:00Z'), clockAt('2026-01-15T07:57:00Z')] as const;
    await using first = await startScheduled(url, model, { clock: clocks[0] });
    await using second = await startScheduled(url, model, { clock: clocks[1] });
    const user = caller(first);
    const tasks = await Promise.all(Array.from({ length: 10 }, () => user.create({ cronExpression: '* * * * *' })));
    for (let minute = 0; minute < 3; minute += 1) {
      for (const clock of clocks) clock.now += 60_000;
      for (const { id } of tasks) await until(() => user.runs(id), haveEnded(minute + 1));
    }
    for (const { id } of tasks) {
      const runs = await user.runs(id);
      expect(runs.map(({ scheduledFor, status }) => [scheduledFor, status])).toEqual([
        ['2026-01-15T08:02:00.000Z', 'success'],
        ['2026-01-15T08:01:00.000Z', 'success'],
        ['2026-01-15T08:00:00.000Z', 'success'],
      ]);
    }
    expect(second.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('that were missed are made up for by one that is late, or by none', async () => {
    await using model = await startModel();
    const clock = clockAt('2026-01-15T08:00:30Z');
    await using app = await startScheduled(await databases.fresh(), model, { clock });
    const user = caller(app);
    const made = await user.create({ cronExpression: '*/5 * * * *' });
    const skipped = await user.create({ cronExpression: '*/5 * * * *', missedRuns: 'skip' });
    clock.now = Date.parse('2026-01-15T11:02:00Z');
    await until(() => user.runs(made.id), haveEnded(1));
    await until(() => user.runs(skipped.id), haveEnded(1));
    await settle();
    expect(await user.runs(made.id)).toMatchObject([
      { scheduledFor: '2026-01-15T08:05:00.000Z', late: true, status: 'success' },
    ]);
    expect(await user.runs(skipped.id)).toMatchObject([
      { late: true, status: 'skipped', error: 'No server was there to run it at its time.', tokensUsed: null },
    ]);
    for (const { id } of [made, skipped]) {
      expect(await user.get(id)).toMatchObject({ nextRunAt: '2026-01-15T11:05:00.000Z' });
    }
    clock.now = Date.parse('2026-01-15T11:05:00Z');
    expect(await until(() => user.runs(skipped.id), haveEnded(2))).toMatchObject([
      { late: false, status: 'success' },
      { status: 'skipped' },
    ]);
  });

  it('do not overlap: one of a task that is still running is skipped, with the reason', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await using model = await startModel(async () => {
      await answered;
      return { text: 'Done.' };
    });
    const clock = clockAt('2026-01-15T08:00:00Z');
    await using app = await startScheduled(await databases.fresh(), model, { clock });
    const user = caller(app);
    const { id } = await user.create({ cronExpression: '* * * * *' });
    clock.now += 60_000;
    await until(
      () => user.runs(id),
      (runs) => runs.length === 1,
    );
    clock.now += 60_000;
    await until(
      () => user.runs(id),
      (runs) => runs.length === 2,
    );
    const started = await user.send('POST', `/${id}/run`);
    const skipped = { status: 'skipped', error: 'The run before was still running.' };
    expect([started.statusCode, started.json()]).toMatchObject([202, { ...skipped, scheduledFor: null }]);
    answer();
    expect(await until(() => user.runs(id), haveEnded(3))).toMatchObject([
      skipped,
      skipped,
      { status: 'success', scheduledFor: '2026-01-15T08:01:00.000Z' },
    ]);
  });

  it('start by hand and answer at once with the run', async () => {
    await using model = await startModel();
    await using app = await startScheduled(await databases.fresh(), model);
    const user = caller(app);
    const { id } = await user.create();
    const answer = await user.send('POST', `/${id}/run`);
    expect([answer.statusCode, answer.json()]).toMatchObject([
      202,
      { taskId: id, status: 'running', scheduledFor: null, late: false, completedAt: null, deliveryStatus: null },
    ]);
    expect(await until(() => user.runs(id), haveEnded(1))).toMatchObject([
      { id: answer.json<{ id: string }>().id, status: 'success', deliveryStatus: null },
    ]);
    expect(await user.get(id)).toMatchObject({ nextRunAt: '2026-01-16T08:00:00.000Z', lastRunAt: expect.any(String) });
  });

  it('of a task that is disabled before its turn are skipped', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await using model = await startModel(async () => {
      await answered;
      return { text: 'Done.' };
    });
    const scheduler = { concurrency: 1 };
    await using app = await startScheduled(await databases.fresh(), model, { scheduler });
    const user = caller(app);
    const [first, second] = [await user.create(), await user.create()];
    await user.send('POST', `/${first.id}/run`);
    await until(
      async () => model.requests.length,
      (count) => count === 1,
    );
    await user.send('POST', `/${second.id}/run`);
    await user.send('DELETE', `/${second.id}`);
    answer();
    expect(await until(() => user.runs(second.id), haveEnded(1))).toMatchObject([
      { status: 'skipped', error: 'The task was disabled.' },
    ]);
    expect(await until(() => user.runs(first.id), haveEnded(1))).toMatchObject([{ status: 'success' }]);
    expect(model.requests).toHaveLength(1);
  });

  it('fail with what was wrong, and do not stop the task', async () => {
    const model = await startModel(({ question }) =>
      question === 'Slow?' ? { stall: true } : question === 'Broken?' ? { status: 401 } : { text: '' },
    );
    const clock = clockAt('2026-01-15T08:00:00Z');
    await using app = await startScheduled(await databases.fresh(), model, {
      clock,
      usage: { userDayTokens: 1_000_000 },
    });
    const user = caller(app);
    const run = async (task: object, meanwhile?: object) => {
      const { id } = await user.create(task);
      if (meanwhile !== undefined) {
        await app.get(internalDb).run((db) => db('scheduled_tasks').where({ id }).update(meanwhile));
      }
      await user.send('POST', `/${id}/run`);
      const [ended] = await until(() => user.runs(id), haveEnded(1));
      expect(await user.get(id)).toMatchObject({ enabled: true });
      return ended;
    };
    expect(await run({ question: 'Slow?', timeoutSeconds: 1 })).toMatchObject({
      status: 'failed',
      error: 'The question was not answered within 1 s.',
    });
    expect(await run({ question: 'Broken?' })).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/key|credentials/i),
    });
    expect(await run({ question: 'Silent?' })).toMatchObject({ status: 'failed', error: expect.any(String) });
    expect(await run({}, { connection_id: 'nowhere' })).toMatchObject({
      status: 'failed',
      error: 'There is no connection "nowhere"; known: shop.',
    });
    await model.close();
  });

  it('are bound by the budget of their owner', async () => {
    await using model = await startModel();
    const clock = clockAt('2026-01-15T08:00:00Z');
    await using app = await startScheduled(await databases.fresh(), model, { clock, usage: { userDayTokens: 20 } });
    const user = caller(app);
    const { id } = await user.create();
    await user.send('POST', `/${id}/run`);
    await until(() => user.runs(id), haveEnded(1));
    clock.now += 1_000;
    await user.send('POST', `/${id}/run`);
    expect(await until(() => user.runs(id), haveEnded(2))).toMatchObject([
      { status: 'failed', error: expect.stringContaining('budget') },
      {},
    ]);
  });

  it('survive a stop of their server: another one asks again', async () => {
    const url = await databases.fresh();
    let isStalled = true;
    await using model = await startModel(() => (isStalled ? { stall: true } : { text: 'There are 500 orders.' }));
    const first = await startScheduled(url, model);
    const { id } = await caller(first).create();
    await caller(first).send('POST', `/${id}/run`);
    await until(
      async () => model.requests.length,
      (count) => count > 0,
    );
    isStalled = false;
    await first.close();
    await using second = await startScheduled(url, model);
    expect(await until(() => caller(second).runs(id), haveEnded(1))).toMatchObject([
      { status: 'success', error: null },
    ]);
  });

  it('that no job ends any more are ended as failed', async () => {
    const url = await databases.fresh();
    await using model = await startModel();
    const clock = clockAt('2026-01-15T08:00:00Z');
    const first = await startScheduled(url, model, { clock });
    const { id } = await caller(first).create();
    await caller(first).send('POST', `/${id}/run`);
    await until(() => caller(first).runs(id), haveEnded(1));
    const lost = { status: 'running', completed_at: null, lease_until: '2026-01-15T08:00:00.000Z' };
    await first.get(internalDb).run((db) => db('scheduled_runs').where({ task_id: id }).update(lost));
    await first.close();
    clock.now += 3_600_000;
    await using second = await startScheduled(url, model, { clock });
    expect(await until(() => caller(second).runs(id), haveEnded(1))).toMatchObject([
      { status: 'failed', error: 'The run was not finished in time.', completedAt: '2026-01-15T09:00:00.000Z' },
    ]);
  });

  it('take one query for a look at 10,000 tasks, by the index', async () => {
    await using model = await startModel();
    await using app = await startScheduled(await databases.fresh(), model);
    const { id } = await caller(app).create();
    const db = app.get(internalDb);
    const queries: string[] = [];
    await db.run(async (knex) => {
      const task = await knex('scheduled_tasks').where({ id }).first();
      const copies = Array.from({ length: 10_000 }, () => ({ ...task, id: randomUUID() }));
      await knex.batchInsert('scheduled_tasks', copies, 500);
      if (db.dialect === 'postgres') await knex.raw('ANALYZE scheduled_tasks');
      knex.on('query', ({ sql }) => void queries.push(sql));
    });
    await until(
      async () => queries.length,
      (count) => count >= 20,
    );
    // Once in half a minute, runs that were not finished are looked for as well.
    const looks = queries.slice(0, 20).filter((sql) => !sql.startsWith('update'));
    expect(new Set(looks.filter((sql) => sql.includes('scheduled_'))).size).toBe(1);
    const look = looks.find((sql) => sql.includes('scheduled_')) ?? '';
    const explain = db.dialect === 'postgres' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN';
    const plan = await db.run((knex) =>
      knex.raw(`${explain} ${look.replaceAll(/\$\d/g, '?')}`, ['2026-01-15T12:00:00.000Z', 100]),
    );
    expect(JSON.stringify(plan)).toContain('scheduled_tasks_next_run_at_index');
    expect(await caller(app).runs(id)).toEqual([]);
  });

  it('are not made again by a clock that goes back, and a wrong clock costs none', async () => {
    await using model = await startModel();
    const clock = clockAt('2026-01-15T07:59:00Z');
    await using app = await startScheduled(await databases.fresh(), model, { clock });
    const user = caller(app);
    const { id } = await user.create({ cronExpression: '0 * * * *' });
    clock.now = Date.parse('2026-01-16T08:00:00Z');
    await until(() => user.runs(id), haveEnded(1));
    clock.now = Date.parse('2026-01-15T08:30:00Z');
    await until(
      () => user.get(id),
      ({ nextRunAt }) => nextRunAt === '2026-01-15T09:00:00.000Z',
    );
    clock.now = Date.parse('2026-01-15T07:30:00Z');
    await until(
      () => user.get(id),
      ({ nextRunAt }) => nextRunAt === '2026-01-15T09:00:00.000Z',
    );
    clock.now = Date.parse('2026-01-15T08:00:00Z');
    await settle();
    const runs = await user.runs(id);
    expect(runs.map(({ scheduledFor }) => scheduledFor)).toEqual(['2026-01-15T08:00:00.000Z']);
  });
});
