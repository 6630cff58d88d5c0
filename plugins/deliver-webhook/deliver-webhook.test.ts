import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Delivery, deliver } from '../../kernel/index.ts';
import { deliverContract } from '../../test/contract/deliver.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { startHttpReceiver } from '../../test/harness/http-receiver.ts';
import { startTestReceiver } from '../../test/harness/test-receiver.ts';
import { outbound } from '../outbound/index.ts';
import { deliverWebhook } from './index.ts';

pluginContract('deliver-webhook', () => deliverWebhook(), { with: () => [outbound()] });

deliverContract('deliver-webhook', async () => {
  const receiver = await startTestReceiver();
  return Object.assign(receiver, {
    channel: 'webhook',
    plugin: deliverWebhook(),
    with: [outbound({ allowPrivate: [receiver.host] })],
    recipient: { type: 'webhook', url: `${receiver.url}/hook`, secret: 'whsec-8d1f', headers: { 'x-key': 'k-71c2' } },
    invalidRecipients: [
      { url: 'http://169.254.169.254/latest/' },
      { url: `http://localhost:${receiver.port}/hook` },
      { url: 'no url' },
      { url: `${receiver.url}/hook`, headers: 'x-key: 1' },
    ],
    secrets: ['whsec-8d1f', 'k-71c2'],
  });
});

const REPORT = {
  taskId: 'b9c7',
  taskName: 'Orders',
  question: 'How many orders?',
  answer: 'There are 3 orders, worth 10 €.',
  sql: ['SELECT count(*) AS n FROM orders'],
  data: [{ columns: ['n'], rows: [{ n: 3 }], totalRows: 1, truncated: false }],
  steps: 2,
  usage: { totalTokens: 12 },
  timestamp: '2026-01-15T11:59:58.000Z',
};

const to = (recipient: Delivery['recipient'], content = REPORT): Delivery => ({
  channel: 'webhook',
  recipient,
  subject: 'Atlas report: Orders',
  content,
});

async function withReceiver(
  answer: Parameters<typeof startHttpReceiver>[0],
  use: (
    send: (recipient?: object, content?: typeof REPORT) => Promise<unknown>,
    receiver: Awaited<ReturnType<typeof startHttpReceiver>>,
  ) => Promise<void>,
): Promise<void> {
  await using receiver = await startHttpReceiver(answer);
  await using app = await createTestApp({ plugins: [outbound({ allowPrivate: [receiver.host] }), deliverWebhook()] });
  const send = async (recipient: object = {}, content = REPORT) =>
    app.callKey(deliver, 'webhook', to({ url: `${receiver.url}/hook`, ...recipient }, content), app.scope());
  await use(send, receiver);
}

describe('a report to a webhook', () => {
  it('is the JSON of the report', () =>
    withReceiver(undefined, async (send, { received }) => {
      await send();
      expect(received).toHaveLength(1);
      expect(received[0]).toMatchObject({ method: 'POST', url: '/hook' });
      expect(received[0]?.headers['content-type']).toBe('application/json');
      expect(received[0]?.headers).not.toHaveProperty('x-atlas-signature');
      expect(JSON.parse(received[0]?.body ?? '')).toEqual(REPORT);
    }));

  it('is signed over time and body when the recipient has a secret', () =>
    withReceiver(undefined, async (send, { received }) => {
      await send({ secret: 'whsec' });
      const headers = received[0]?.headers;
      const timestamp = headers?.['x-atlas-timestamp'];
      // The clock of the test, in seconds.
      expect(timestamp).toBe('1768478400');
      const expected = createHmac('sha256', 'whsec').update(`${timestamp}.${received[0]?.body}`, 'utf8').digest('hex');
      expect(headers?.['x-atlas-signature']).toBe(expected);
    }));

  it('carries the headers of the recipient that it may', () =>
    withReceiver(undefined, async (send, { received, host }) => {
      const headers = {
        'X-Team': 'ops',
        Host: 'evil',
        Authorization: 'Bearer x',
        Cookie: 'a=b',
        'Content-Type': 'text/html',
        'X-A': 'b\r\nc',
      };
      await send({ headers });
      expect(received[0]?.headers).toMatchObject({ 'x-team': 'ops', host, 'content-type': 'application/json' });
      for (const name of ['authorization', 'cookie', 'x-a']) expect(received[0]?.headers).not.toHaveProperty(name);
    }));

  it('has the same idempotency key at each try, and another for another run or recipient', () =>
    withReceiver(undefined, async (send, { received, url }) => {
      await send();
      await send({ secret: 'new' });
      await send({}, { ...REPORT, timestamp: '2026-01-16T11:59:58.000Z' });
      await send({ url: `${url}/other` });
      const keys = received.map(({ headers }) => headers['idempotency-key']);
      expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(keys[1]).toBe(keys[0]);
      expect(new Set(keys).size).toBe(3);
    }));

  it.each([200, 201, 202, 204, 299])('is sent when the receiver answers %i', (status) =>
    withReceiver(
      (_, response) => response.writeHead(status).end(),
      async (send) => expect(await send()).toEqual({ status: 'sent' }),
    ),
  );

  it.each([
    [400, true],
    [401, true],
    [404, true],
    [408, false],
    [410, true],
    [422, true],
    [425, true],
    [429, false],
    [500, false],
    [501, false],
    [503, false],
    [304, false],
  ])('fails when the receiver answers %i; final: %s', (status, final) =>
    withReceiver(
      (_, response) => response.writeHead(status).end('secret details'),
      async (send) => {
        await expect(send()).rejects.toMatchObject({
          final,
          message: `The receiver answered with the status ${status}.`,
        });
      },
    ),
  );

  it.each([
    ['120', false, 120_000],
    ['0', false, 0],
    ['3600', false, 3_600_000],
    ['3601', true, undefined],
    ['99999999999999999999', true, undefined],
    ['Fri, 01 Jan 2100 00:00:00 GMT', true, undefined],
    ['Thu, 01 Jan 2015 00:00:00 GMT', false, 0],
    ['soon', false, undefined],
    ['1.5', false, undefined],
  ])('is told to come back after %j; final: %s', (header, final, retryAfterMs) =>
    withReceiver(
      (_, response) => response.writeHead(429, { 'retry-after': header }).end(),
      async (send) => {
        await expect(send()).rejects.toSatisfy((error) => error.final === final && error.retryAfterMs === retryAfterMs);
      },
    ),
  );

  it('is not sent when a redirect would drop its body, or leads into the private network', () =>
    withReceiver(
      ({ url }, response) => {
        const location = url === '/hook' ? '/elsewhere' : 'http://10.0.0.1/';
        response.writeHead(url === '/elsewhere' ? 200 : 302, { location }).end();
      },
      async (send, { url }) => {
        await expect(send()).rejects.toMatchObject({ final: true, message: expect.stringContaining('drops the body') });
        await expect(send({ url: `${url}/private` })).rejects.toMatchObject({ final: true, code: 'invalid_request' });
      },
    ));

  it('may be tried again when the receiver cannot be reached', async () => {
    const receiver = await startHttpReceiver();
    await receiver[Symbol.asyncDispose]();
    await using app = await createTestApp({ plugins: [outbound({ allowPrivate: [receiver.host] }), deliverWebhook()] });
    const sent = async () => app.callKey(deliver, 'webhook', to({ url: receiver.url }), app.scope());
    await expect(sent()).rejects.toMatchObject({ name: 'DeliveryError', final: false });
  });
});
