import { expect, it } from 'vitest';
import { actionContract } from '../../test/contract/action.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { actionNeeds, startActionApp } from '../../test/harness/action-app.ts';
import { startSmtpReceiver } from '../../test/harness/smtp-receiver.ts';
import { toldSmtpReceiver } from '../../test/harness/told-receivers.ts';
import { actionEmail } from './index.ts';

pluginContract('action-email', () => actionEmail(), { with: () => actionNeeds() });

const FROM = 'Atlas <atlas@example.com>';
const EMAIL = {
  to: ['ops@example.com', 'ann@example.com'],
  subject: 'Orders of May',
  body: 'There are 3 orders.\n\nÜbrigens: <b>no</b>',
};

actionContract('action-email', async () => {
  const receiver = await toldSmtpReceiver();
  return Object.assign(receiver, {
    type: 'email',
    plugin: actionEmail({ smtpUrl: receiver.url.replace('//', '//user:smtp-pass-41@'), from: FROM }),
    payload: EMAIL,
    invalidPayloads: [
      { ...EMAIL, to: 'ops@example.com' },
      { ...EMAIL, to: [] },
      { ...EMAIL, to: ['Ops <ops@example.com>'] },
      { ...EMAIL, to: ['ops@example.com\nBcc: all@example.com'] },
      { ...EMAIL, subject: '' },
      { ...EMAIL, body: undefined },
      { ...EMAIL, bcc: ['spy@example.com'] },
    ],
    secrets: ['smtp-pass-41'],
  });
});

it('sends an e-mail whose Message-ID is the key of the action', async () => {
  await using smtp = await startSmtpReceiver();
  await using app = await startActionApp('email', [actionEmail({ smtpUrl: smtp.url, from: FROM })]);
  const action = await app.ask(EMAIL);
  const messageId = `<${action.id}@example.com>`;
  expect(action).toMatchObject({
    status: 'executed',
    target: 'ops@example.com, ann@example.com',
    summary: 'Send an e-mail with the subject "Orders of May" to 2 recipients.',
    result: { messageId, accepted: EMAIL.to, rejected: [] },
  });
  expect(smtp.received).toHaveLength(1);
  expect(smtp.received[0]).toMatchObject({
    to: EMAIL.to,
    headers: { subject: 'Orders of May', 'message-id': messageId },
  });
  expect(smtp.received[0]?.parts['text/plain']?.replaceAll('\r\n', '\n').trimEnd()).toBe(EMAIL.body);
});

it('tells which recipients the server rejected, and fails when it rejected all', async () => {
  await using smtp = await startSmtpReceiver({
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('ann') ? null : Object.assign(new Error('No such user'), { responseCode: 550 })),
  });
  await using app = await startActionApp('email', [actionEmail({ smtpUrl: smtp.url, from: FROM })]);
  expect(await app.ask(EMAIL)).toMatchObject({
    status: 'executed',
    result: { accepted: ['ann@example.com'], rejected: ['ops@example.com'] },
  });
  expect(await app.ask({ ...EMAIL, to: ['ops@example.com'] })).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('550'),
  });
});

it('fails with a reason when it is not configured', async () => {
  await using app = await startActionApp('email', [actionEmail()]);
  expect(await app.ask(EMAIL)).toMatchObject({
    status: 'failed',
    error: 'E-mail is not configured: SVC_SMTP_URL and SVC_EMAIL_FROM must be set.',
  });
});
