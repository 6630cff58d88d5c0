import { expect, it } from 'vitest';
import { actionContract } from '../../test/contract/action.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { actionNeeds, startActionApp } from '../../test/harness/action-app.ts';
import { SLACK_TOKEN, startSlackReceiver } from '../../test/harness/slack-receiver.ts';
import { toldSlackReceiver } from '../../test/harness/told-receivers.ts';
import { actionSlack } from './index.ts';

pluginContract('action-slack', () => actionSlack(), { with: () => actionNeeds() });

actionContract('action-slack', async () => {
  const receiver = await toldSlackReceiver();
  return Object.assign(receiver, {
    type: 'slack',
    plugin: actionSlack({ botToken: SLACK_TOKEN, apiUrl: receiver.apiUrl }),
    payload: { channel: '#reports', text: 'There are 3 orders.' },
    invalidPayloads: [
      { channel: '#reports' },
      { channel: '', text: 'x' },
      { channel: '#reports', text: 'x', blocks: [] },
    ],
    secrets: [SLACK_TOKEN],
  });
});

it('posts a message as it was approved, with the key of the action', async () => {
  await using slack = await startSlackReceiver();
  await using app = await startActionApp('slack', [actionSlack({ botToken: SLACK_TOKEN, apiUrl: slack.apiUrl })]);
  const action = await app.ask({ channel: '#reports', text: 'May: *3* orders <!channel> & more' });
  expect(action).toMatchObject({
    status: 'executed',
    target: '#reports',
    summary: 'Post to Slack in #reports: May: *3* orders <!channel> & more',
    result: { channel: 'C024BE91L', ts: '1503435956.000001' },
  });
  expect(slack.posted).toMatchObject([
    {
      channel: '#reports',
      text: 'May: *3* orders &lt;!channel&gt; &amp; more',
      client_msg_id: action.id,
      metadata: { event_payload: { idempotency_key: action.id } },
    },
  ]);
});

it('fails with a reason when Slack refuses it, and when it is not configured', async () => {
  await using slack = await startSlackReceiver();
  await using app = await startActionApp('slack', [actionSlack({ botToken: SLACK_TOKEN, apiUrl: slack.apiUrl })]);
  expect(await app.ask({ channel: 'C000', text: 'x' })).toMatchObject({
    status: 'failed',
    error: 'Slack refused the message: channel_not_found.',
  });
  await using bare = await startActionApp('slack', [actionSlack()]);
  expect(await bare.ask({ channel: 'C000', text: 'x' })).toMatchObject({
    status: 'failed',
    error: 'Slack is not configured: SLACK_BOT_TOKEN must be set.',
  });
});
