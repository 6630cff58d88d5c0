import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver } from '../../test/harness/http-receiver.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { internalDb } from '../internal-db/index.ts';
import { caller, clockAt, haveEnded, startModel, startScheduled, until } from './fixtures/scheduled-app.ts';

/** A model that runs the statement, which tests change. */
const asking = { sql: '', outcome: 'answer' };
const respond: Parameters<typeof startModel>[0] = ({ body }) => {
  if (asking.outcome === 'fail') return { status: 401 };
  if (asking.sql === '' || JSON.stringify(body).includes('"role":"tool"')) return { text: 'Here it is.' };
  return { toolCall: { name: 'executeSQL', args: { sql: asking.sql } } };
};
const orders = (count: number) => `SELECT COUNT(*) AS total FROM orders WHERE id <= ${count}`;

describe.each(chosenEngines)('a task with a condition on %s', (_, engine) => {
  let databases: TestEngine;
  beforeAll(async () => {
    databases = await engine();
  });
  afterAll(() => databases[Symbol.asyncDispose]());

  async function started(deliverWhen: object, task: object = {}) {
    asking.outcome = 'answer';
    const stack = new AsyncDisposableStack();
    const model = stack.use(await startModel(respond));
    let status = 200;
    const receiver = stack.use(await startHttpReceiver((_request, response) => void response.writeHead(status).end()));
    const clock = clockAt('2026-01-15T08:00:00Z');
    const app = stack.use(
      await startScheduled(await databases.fresh(), model, { clock, allowPrivate: [receiver.host] }),
    );
    const user = caller(app);
    const recipients = [{ type: 'webhook', url: `${receiver.url}/hook` }];
    const { id } = await user.create({ deliverWhen, recipients, ...task });
    let ran = 0;
    /** Runs the task with what the statement brings, and resolves to the run once it is delivered. */
    const run = async (sql: string) => {
      asking.sql = sql;
      clock.now += 86_400_000;
      ran += 1;
      const [newest] = await until(
        () => user.runs(id),
        (runs) => haveEnded(ran)(runs) && runs[0].deliveryStatus !== 'pending',
      );
      return newest;
    };
    return {
      app,
      user,
      id,
      run,
      receiver,
      refuse: (code: number) => {
        status = code;
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  }

  const FIRST = { deliveryStatus: 'sent', deliveryReason: 'There is no earlier run to compare with.' };

  it('is quiet while the rows are as they were, and says since when', async () => {
    await using task = await started({ mode: 'changed' });
    expect(await task.run(orders(5))).toMatchObject({ ...FIRST, status: 'success', figure: null });
    expect(await task.run(orders(5))).toMatchObject({
      status: 'success',
      deliveryStatus: 'quiet',
      deliveryReason: 'Nothing has changed since the run of 2026-01-16T08:00:00.000Z.',
      deliveryError: null,
      conversationId: expect.any(String),
    });
    expect(await task.run(orders(6))).toMatchObject({
      deliveryStatus: 'sent',
      deliveryReason: 'The rows have changed since the run of 2026-01-17T08:00:00.000Z.',
    });
    expect(await task.run(orders(6))).toMatchObject({ deliveryStatus: 'quiet' });
    // The same rows under another name, as after a change of the layer or of a policy.
    expect(await task.run('SELECT COUNT(*) AS orders FROM orders WHERE id <= 6')).toMatchObject({
      deliveryStatus: 'sent',
    });
    const sent = task.receiver.received.map(({ body }) => JSON.parse(body));
    expect(sent.map(({ data }) => data[0].rows[0])).toEqual([{ total: 5 }, { total: 6 }, { orders: 6 }]);
    expect(sent[1].deliveryReason).toBe('The rows have changed since the run of 2026-01-17T08:00:00.000Z.');
  });

  it('compares with no run that failed, and with none that did not reach everybody', async () => {
    await using task = await started({ mode: 'changed' });
    await task.run(orders(5));
    asking.outcome = 'fail';
    expect(await task.run(orders(5))).toMatchObject({ status: 'failed', deliveryReason: null, deliveryStatus: null });
    asking.outcome = 'answer';
    expect(await task.run(orders(5))).toMatchObject({
      deliveryReason: 'Nothing has changed since the run of 2026-01-16T08:00:00.000Z.',
    });
    task.refuse(404);
    expect(await task.run(orders(6))).toMatchObject({ deliveryStatus: 'failed' });
    task.refuse(200);
    expect(await task.run(orders(6))).toMatchObject({ deliveryStatus: 'sent' });
    expect(await task.run(orders(6))).toMatchObject({ deliveryStatus: 'quiet' });
  });

  it('delivers any row that is beyond the threshold', async () => {
    await using task = await started({ mode: 'threshold', column: 'amount', operator: '>', value: 4 });
    const amounts = (count: number) => `SELECT id, amount FROM orders WHERE id <= ${count}`;
    expect(await task.run(amounts(2))).toMatchObject({ ...FIRST, figure: 2 });
    expect(await task.run(amounts(4))).toMatchObject({
      deliveryStatus: 'quiet',
      deliveryReason: '4 is not > 4.',
      figure: 4,
    });
    expect(await task.run(amounts(7))).toMatchObject({
      deliveryStatus: 'sent',
      deliveryReason: '7 is > 4.',
      figure: 7,
    });
    expect(await task.run(amounts(0))).toMatchObject({
      deliveryStatus: 'quiet',
      deliveryReason: 'The column amount has no value now.',
      figure: null,
    });
    expect(await task.run('SELECT id FROM orders')).toMatchObject({
      deliveryStatus: 'sent',
      deliveryReason: 'The answer has no column amount.',
    });
    expect(await task.run('SELECT region AS amount FROM orders')).toMatchObject({
      deliveryStatus: 'sent',
      deliveryReason: 'The column amount has no number.',
    });
    expect(await task.run('')).toMatchObject({ deliveryStatus: 'sent', deliveryReason: 'The answer has no rows.' });
  });

  it('looks at the first number where no column is named', async () => {
    await using task = await started({ mode: 'threshold', operator: '<=', value: 10 });
    const sql = (count: number) =>
      `SELECT 'n' || region AS region, COUNT(*) AS n, 1 AS one FROM orders WHERE id > ${count} GROUP BY region`;
    await task.run(sql(0));
    expect(await task.run(sql(100))).toMatchObject({ deliveryStatus: 'quiet', deliveryReason: '200 is not <= 10.' });
    expect(await task.run(sql(480))).toMatchObject({ deliveryStatus: 'sent', deliveryReason: '10 is <= 10.' });
  });

  it('learns what is usual on a weekday, then delivers what is not', async () => {
    await using task = await started({ mode: 'unusual' });
    // It begins on a Friday; there are few orders at weekends.
    const usual = (day: number) => ([1, 2].includes(day % 7) ? 20 : 100) + ((day * 5) % 4);
    expect(await task.run(orders(usual(0)))).toMatchObject({ ...FIRST, figure: 100 });
    for (let day = 1; day < 28; day += 1) {
      const run = await task.run(orders(usual(day)));
      expect(run).toMatchObject({ deliveryStatus: 'quiet', deliveryReason: expect.stringMatching(/^Learning/) });
    }
    expect(await task.run(orders(103))).toMatchObject({
      deliveryStatus: 'quiet',
      deliveryReason: expect.stringMatching(/^103 is usual: the median of 4 earlier runs \(Friday\) is 10\d/),
    });
    expect(await task.run(orders(103))).toMatchObject({
      deliveryStatus: 'sent',
      deliveryReason: expect.stringMatching(/^103 is unusual: the median of 4 earlier runs \(Saturday\) is 2\d/),
    });
    expect(await task.run(orders(21))).toMatchObject({ deliveryStatus: 'quiet' });
    expect(task.receiver.received).toHaveLength(2);
  });

  it('stores a digest and one figure, no rows, and forgets them with another question', async () => {
    await using task = await started({ mode: 'threshold', operator: '>', value: 1_000 });
    await task.run(orders(5));
    await task.run("SELECT COUNT(*) AS total, MIN('secret-' || region) AS name FROM orders WHERE id <= 6");
    const db = task.app.get(internalDb);
    const stored = () => db.run((knex) => knex('scheduled_runs').where({ task_id: task.id }).orderBy('started_at'));
    const [, quiet] = await stored();
    expect(quiet).toMatchObject({ figure: 6, digest: expect.stringMatching(/^[0-9a-f]{64}$/), report: null });
    expect(JSON.stringify(quiet)).not.toContain('secret');
    await task.user.send('PUT', `/${task.id}`, { name: 'Renamed' });
    expect((await stored()).map(({ digest }) => digest !== null)).toEqual([true, true]);
    await task.user.send('PUT', `/${task.id}`, { question: 'How many orders are open?' });
    expect((await stored()).map(({ digest, figure }) => [digest, figure])).toEqual([
      [null, 5],
      [null, 6],
    ]);
    expect(await task.run(orders(6))).toMatchObject(FIRST);
    await task.user.send('PUT', `/${task.id}`, { deliverWhen: { mode: 'always' } });
    expect(await task.run(orders(6))).toMatchObject({ deliveryStatus: 'sent', deliveryReason: null, figure: null });
    expect(await task.user.get(task.id)).toMatchObject({ deliverWhen: { mode: 'always' } });
    expect((await stored()).at(-1)).toMatchObject({ digest: null });
  });

  it('is quiet without recipients, too', async () => {
    await using task = await started({ mode: 'changed' }, { recipients: [] });
    expect(await task.run(orders(5))).toMatchObject({ deliveryStatus: null });
    expect(await task.run(orders(5))).toMatchObject({ deliveryStatus: 'quiet' });
  });
});
