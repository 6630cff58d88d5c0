import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import type { HttpReceiver } from '../../test/harness/http-receiver.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { jobs } from '../jobs/index.ts';
import { outbound } from '../outbound/index.ts';
import { callbacksOf, receiving } from './fixtures/callbacks.ts';
import { webhookInteraction } from './index.ts';

type Options = Parameters<typeof webhookInteraction>[0];
type Execute = NonNullable<Options['executeQuery']>;

const SECRET = 's3cret';
const CHANNEL = { channelId: 'sales', authType: 'api-key', secret: SECRET } as const;
const answered: Execute = async (query) => ({ answer: `Answer to ${query}` });

/** Ends only when it is told to. */
const hanging = (_query: string, { signal }: Scope) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

async function start(url: string, receiver: HttpReceiver, executeQuery: Execute, options: Partial<Options> = {}) {
  const app = await createTestApp({
    plugins: [
      http({ port: 0 }),
      internalDb({ url }),
      jobs({ pollMs: 100 }),
      outbound({ allowPrivate: [receiver.host] }),
      webhookInteraction({ channels: [{ ...CHANNEL, maxQueued: 3 }], executeQuery, ...options }),
    ],
  });
  const ask = (query: string) =>
    app.inject({
      method: 'POST',
      url: '/api/plugins/webhook-interaction/webhook/sales',
      payload: { query, callbackUrl: `${receiver.url}/hook` },
      headers: { 'x-webhook-secret': SECRET },
    });
  return Object.assign(app, { ask });
}

describe.each(chosenEngines)('callbacks with the internal database on %s', (_name, startEngine) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it('are delivered once, and leave no job behind', async () => {
    await using receiver = await receiving(500);
    await using app = await start(await engine.fresh(), receiver, answered);
    const requests = await Promise.all([app.ask('a'), app.ask('b')]);
    expect(requests.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    const ids = requests.map((request) => request.json<{ requestId: string }>().requestId);
    const received = await callbacksOf(receiver, 2);
    expect(received.map(({ body }) => body.requestId).sort()).toEqual(ids.sort());
    expect(received.map(({ body }) => body.success)).toEqual([true, true]);
    await expect.poll(() => app.get(jobs).describe().running).toBe(0);
    await sleep(300);
    expect(receiver.received).toHaveLength(2);
  });

  it('follow after a restart that cut the question off', async () => {
    await using receiver = await receiving();
    const url = await engine.fresh();
    const first = await start(url, receiver, hanging);
    const { requestId } = (await first.ask('a')).json<{ requestId: string }>();
    await expect.poll(() => first.get(jobs).describe().running).toBe(1);
    await first.close();
    expect(receiver.received).toEqual([]);
    await using _second = await start(url, receiver, answered);
    const [callback] = await callbacksOf(receiver, 1);
    expect(callback?.body).toEqual({
      requestId,
      success: true,
      result: { answer: 'Answer to a', sql: [], columns: [], rows: [] },
    });
  });

  it('that were tried are not sent again, nor is their question asked', async () => {
    await using receiver = await receiving();
    const asked: string[] = [];
    await using app = await start(await engine.fresh(), receiver, async (query, scope) => {
      asked.push(query);
      return answered(query, scope);
    });
    const { requestId } = (await app.ask('a')).json<{ requestId: string }>();
    await callbacksOf(receiver, 1);
    const again = { requestId, channelId: 'sales', query: 'a', callbackUrl: `${receiver.url}/again` };
    await expect.poll(() => app.get(jobs).describe().running).toBe(0);
    // As after a crash between the callback and the end of its job.
    await app.get(jobs).add('webhook-interaction.question', again, { key: 'another' });
    await app.ask('b');
    await callbacksOf(receiver, 2);
    await expect.poll(() => app.get(jobs).describe().running).toBe(0);
    expect(receiver.received.map(({ url }) => url)).toEqual(['/hook', '/hook']);
    expect(asked).toEqual(['a', 'b']);
  });

  it('say so when their channel is gone', async () => {
    await using receiver = await receiving();
    const url = await engine.fresh();
    const first = await start(url, receiver, hanging);
    const { requestId } = (await first.ask('a')).json<{ requestId: string }>();
    await first.close();
    await using _second = await start(url, receiver, answered, { channels: [{ ...CHANNEL, channelId: 'other' }] });
    const [callback] = await callbacksOf(receiver, 1);
    expect(callback?.body).toEqual({
      requestId,
      success: false,
      error: 'The webhook channel does not exist any more.',
    });
  });

  it('are limited in number', async () => {
    await using receiver = await receiving();
    await using app = await start(await engine.fresh(), receiver, hanging);
    const statuses: number[] = [];
    for (const query of ['a', 'b', 'c', 'd']) statuses.push((await app.ask(query)).statusCode);
    expect(statuses).toEqual([202, 202, 202, 503]);
  });

  it('are for signed requests that come once, also after a restart', async () => {
    await using receiver = await receiving();
    const url = await engine.fresh();
    const channels: Options['channels'] = [{ ...CHANNEL, authType: 'hmac', replayWindowSeconds: 60 }];
    const body = JSON.stringify({ query: 'a' });
    const timestamp = String(Date.parse('2026-01-15T12:00:00Z') / 1000);
    const send = async () => {
      await using app = await start(url, receiver, answered, { channels });
      const response = await app.inject({
        method: 'POST',
        url: '/api/plugins/webhook-interaction/webhook/sales',
        payload: body,
        headers: {
          'content-type': 'application/json',
          'x-webhook-timestamp': timestamp,
          'x-webhook-signature': createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex'),
        },
      });
      return response.statusCode;
    };
    expect(await send()).toBe(200);
    expect(await send()).toBe(401);
  });
});
