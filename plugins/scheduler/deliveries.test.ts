import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver } from '../../test/harness/http-receiver.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { dueTimes } from '../../test/harness/job-times.ts';
import { caller, clockAt, startModel, startScheduled, until } from './fixtures/scheduled-app.ts';

const hook = (url: string, more: object = {}) => ({ type: 'webhook', url, ...more });

describe.each(chosenEngines)('deliveries on %s', (_, engine) => {
  let databases: TestEngine;
  beforeAll(async () => {
    databases = await engine();
  });
  afterAll(() => databases[Symbol.asyncDispose]());

  /** The first run of a task, once nothing of it has to be delivered any more. */
  async function delivered(user: ReturnType<typeof caller>, id: string) {
    const [run] = await until(
      () => user.runs(id),
      ([first]) => first !== undefined && first.status !== 'running' && first.deliveryStatus !== 'pending',
    );
    return run;
  }

  it('reach each recipient by itself: what may succeed later is tried again, what will not is not', async () => {
    await using model = await startModel();
    const seen: Record<string, number> = {};
    await using receiver = await startHttpReceiver(({ url = '' }, response) => {
      const path = url.split('?')[0] ?? '';
      seen[path] = (seen[path] ?? 0) + 1;
      const status = { '/ok': 204, '/later': seen[path] === 1 ? 503 : 200, '/gone': 410, '/broken': 500 }[path];
      response.writeHead(status ?? 200).end();
    });
    await using app = await startScheduled(await databases.fresh(), model, { allowPrivate: [receiver.host] });
    const user = caller(app);
    const recipients = ['/gone?token=hidden', '/broken', '/later', '/ok'].map((path) => hook(receiver.url + path));
    const { id } = await user.create({ recipients: [...recipients, { type: 'email', address: 'ann@example.com' }] });
    await user.send('POST', `/${id}/run`);
    // The others do not wait for the one that fails each time.
    await until(
      async () => seen['/ok'],
      (count) => count === 1,
    );
    const run = await delivered(user, id);
    expect(run).toMatchObject({ status: 'success', error: null, deliveryStatus: 'failed' });
    expect(run?.deliveryError).toBe(
      [
        `${receiver.url}/gone: The receiver answered with the status 410.`,
        `${receiver.url}/broken: The receiver answered with the status 500.`,
        'ann@example.com: No plugin delivers by email. Have the operator add deliver-email to the plugins.',
      ].join(' '),
    );
    expect(seen).toEqual({ '/ok': 1, '/later': 2, '/gone': 1, '/broken': 4 });
    const keys = receiver.received.map(({ url, headers }) => `${url} ${headers['idempotency-key']}`);
    expect(new Set(keys).size).toBe(4);
  });

  it('wait as long as the receiver asks for, and not longer than an hour', async () => {
    await using model = await startModel();
    let answeredAt = Number.POSITIVE_INFINITY;
    await using receiver = await startHttpReceiver(({ url }, response) => {
      if (url === '/later') answeredAt = Date.now();
      response.writeHead(429, { 'retry-after': url === '/later' ? '3600' : '3601' }).end();
    });
    await using app = await startScheduled(await databases.fresh(), model, { allowPrivate: [receiver.host] });
    const user = caller(app);
    const never = await user.create({ recipients: [hook(`${receiver.url}/never`)] });
    await user.send('POST', `/${never.id}/run`);
    expect(await delivered(user, never.id)).toMatchObject({
      deliveryStatus: 'failed',
      deliveryError: `${receiver.url}/never: The receiver answered with the status 429 and asks to wait for more than an hour.`,
    });
    const later = await user.create({ recipients: [hook(`${receiver.url}/later`)] });
    await user.send('POST', `/${later.id}/run`);
    const inAnHour = (time: number) => time >= answeredAt + 3_600_000;
    await expect.poll(async () => (await dueTimes(app)).filter(inAnHour)).toHaveLength(1);
    expect(receiver.received).toHaveLength(2);
  });

  it('are signed with a secret, which a change of the task keeps', async () => {
    await using model = await startModel();
    await using receiver = await startHttpReceiver();
    const clock = clockAt('2026-01-15T12:00:00Z');
    await using app = await startScheduled(await databases.fresh(), model, { clock, allowPrivate: [receiver.host] });
    const user = caller(app);
    const one = hook(`${receiver.url}/hook`, { headers: { 'X-Team': 'sales', Authorization: 'Bearer x' } });
    const { id } = await user.create({ recipients: [{ ...one, secret: 'very secret' }] });
    await user.send('PUT', `/${id}`, { name: 'Renamed', recipients: [one] });
    await user.send('POST', `/${id}/run`);
    expect(await delivered(user, id)).toMatchObject({ deliveryStatus: 'sent', deliveryError: null });
    const [sent] = receiver.received;
    const timestamp = String(sent?.headers['x-atlas-timestamp']);
    expect(sent?.headers['x-atlas-signature']).toBe(
      createHmac('sha256', 'very secret').update(`${timestamp}.${sent?.body}`).digest('hex'),
    );
    expect(sent?.headers).toMatchObject({ 'x-team': 'sales' });
    expect(sent?.headers.authorization).toBeUndefined();
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ taskName: 'Renamed' });
    expect((await user.send('GET', `/${id}`)).body).not.toContain('very secret');

    const preview = await user.send('POST', `/${id}/preview`);
    expect(preview.json()).toMatchObject({
      sample: false,
      previews: [{ channel: 'webhook', content: { body: { answer: 'There are 500 orders.' } } }],
    });
    expect(receiver.received).toHaveLength(1);
  });

  it('survive a stop of the server that was to make them', async () => {
    await using model = await startModel();
    let isUp = false;
    await using receiver = await startHttpReceiver((_request, response) => {
      if (isUp) response.end();
    });
    const url = await databases.fresh();
    const first = await startScheduled(url, model, { allowPrivate: [receiver.host] });
    const { id } = await caller(first).create({ recipients: [hook(receiver.url)] });
    await caller(first).send('POST', `/${id}/run`);
    await until(
      async () => receiver.received.length,
      (count) => count === 1,
    );
    await first.close();
    isUp = true;
    await using second = await startScheduled(url, model, { allowPrivate: [receiver.host] });
    expect(await delivered(caller(second), id)).toMatchObject({ status: 'success', deliveryStatus: 'sent' });
    expect(new Set(receiver.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });
});
