import { expect, it } from 'vitest';
import { actionContract } from '../../test/contract/action.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { actionNeeds, startActionApp } from '../../test/harness/action-app.ts';
import { startHttpReceiver } from '../../test/harness/http-receiver.ts';
import { startTestReceiver } from '../../test/harness/test-receiver.ts';
import { webhookSignature } from '../delivery-kit/index.ts';
import { outbound } from '../outbound/index.ts';
import { actionWebhook } from './index.ts';

pluginContract('action-webhook', () => actionWebhook(), { with: () => [...actionNeeds(), outbound()] });

const SECRET = 'a secret of sixteen characters';

actionContract('action-webhook', async () => {
  const receiver = await startTestReceiver();
  return Object.assign(receiver, {
    type: 'webhook',
    plugin: actionWebhook({ secret: SECRET }),
    with: [outbound({ allowPrivate: [receiver.host] })],
    payload: { url: `${receiver.url}/hook?token=t-5e1c`, body: { orders: 3 } },
    invalidPayloads: [
      ...['http://127.0.0.1:1/', 'http://169.254.169.254/', 'ftp://example.com/', 'http://a:b@example.com/', 'x'].map(
        (url) => ({ url, body: {} }),
      ),
      { url: receiver.url },
      { url: receiver.url, body: 'text' },
      { url: receiver.url, body: {}, headers: {} },
    ],
    secrets: [SECRET, 't-5e1c'],
  });
});

it('posts JSON with the key of the action, signed when there is a secret', async () => {
  await using receiver = await startHttpReceiver((_, response) => response.writeHead(202).end());
  const plugins = [outbound({ allowPrivate: [receiver.host] }), actionWebhook({ secret: SECRET })];
  await using app = await startActionApp('webhook', plugins);
  const url = `${receiver.url}/orders?key=1`;
  const action = await app.ask({ url, body: { month: 'May', orders: [1, 2] } });
  expect(action).toMatchObject({
    status: 'executed',
    target: `${receiver.url}/orders`,
    summary: `Post JSON with the fields month, orders to ${receiver.url}/orders.`,
    result: { status: 202 },
  });
  const [{ headers, body, url: path } = { headers: {}, body: '', url: '' }] = receiver.received;
  expect([path, body]).toEqual(['/orders?key=1', '{"month":"May","orders":[1,2]}']);
  expect(headers).toMatchObject({
    'idempotency-key': action.id,
    'x-atlas-signature': webhookSignature(SECRET, '1768478400', body),
    'x-atlas-timestamp': '1768478400',
  });
});

it('fails when the receiver refuses it, and is not signed without a secret', async () => {
  await using receiver = await startHttpReceiver((_, response) => response.writeHead(404).end());
  await using app = await startActionApp('webhook', [outbound({ allowPrivate: [receiver.host] }), actionWebhook()]);
  expect(await app.ask({ url: receiver.url, body: {} })).toMatchObject({
    status: 'failed',
    error: 'The receiver answered with the status 404.',
  });
  expect(receiver.received[0]?.headers).not.toHaveProperty('x-atlas-signature');
});
