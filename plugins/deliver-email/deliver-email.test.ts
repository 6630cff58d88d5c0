import type { SMTPServerOptions } from 'smtp-server';
import { describe, expect, it } from 'vitest';
import { type Delivery, deliver } from '../../kernel/index.ts';
import { deliverContract } from '../../test/contract/deliver.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { CHARTED_REPORT, describeWithPixels, PNG_BASE64, SENTENCE } from '../../test/harness/charted-report.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { startSmtpReceiver } from '../../test/harness/smtp-receiver.ts';
import { toldSmtpReceiver } from '../../test/harness/told-receivers.ts';
import { deliverPreview } from '../delivery-kit/index.ts';
import { deliverEmail } from './index.ts';

const FROM = 'Atlas <atlas@example.com>';

pluginContract('deliver-email', () => deliverEmail({ smtpUrl: 'smtp://127.0.0.1:1', from: FROM }));

const answerWith = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

deliverContract('deliver-email', async () => {
  const receiver = await toldSmtpReceiver();
  return Object.assign(receiver, {
    channel: 'email',
    plugin: deliverEmail({ smtpUrl: receiver.url.replace('//', '//user:smtp-pass-41@'), from: FROM }),
    recipient: { type: 'email', address: 'ops@example.com' },
    invalidRecipients: [
      { address: 'ops' },
      { address: 'a@example.com, b@example.com' },
      { address: 'a@example.com\r\nBcc: b@example.com' },
      { address: 'Ops <a@example.com>' },
      { address: '' },
    ],
    secrets: ['smtp-pass-41'],
  });
});

const REPORT = {
  taskId: 'b9c7',
  taskName: 'Umsätze <b>',
  question: 'Which towns?',
  answer: '**Linz** leads.\nThen Graz & others.\n\n.\n<img src=x onerror=alert(1)>',
  sql: [],
  data: [
    {
      columns: ['town', 'note "x"'],
      rows: [
        { town: 'Linz', 'note "x"': '<script>alert(1)</script>' },
        { town: 'Wien\r\nGraz', 'note "x"': null },
        { town: '=HYPERLINK("http://x")', 'note "x"': { a: 1 } },
      ],
      totalRows: 1_234,
      truncated: true,
    },
  ],
  steps: 2,
  usage: { totalTokens: 12 },
  timestamp: '2026-01-15T11:59:58.000Z',
};

const delivery = (subject = 'Atlas report: Umsätze <b>', address = 'ops@example.com'): Delivery => ({
  channel: 'email',
  recipient: { address },
  subject,
  content: REPORT,
});

async function send(given: Delivery = delivery(), server: SMTPServerOptions = {}, options: object = {}) {
  await using smtp = await startSmtpReceiver(server);
  await using app = await createTestApp({ plugins: [deliverEmail({ smtpUrl: smtp.url, from: FROM, ...options })] });
  await app.callKey(deliver, 'email', given, app.scope());
  return smtp.received[0];
}

describe('a report by e-mail', () => {
  it('has a subject, a plain text and an HTML with the table', async () => {
    const email = await send();
    expect(email).toMatchObject({ from: 'atlas@example.com', to: ['ops@example.com'] });
    expect(email?.headers).toMatchObject({ from: FROM, to: 'ops@example.com', 'auto-submitted': 'auto-generated' });
    expect(email?.headers.subject).toBe('=?UTF-8?Q?Atlas_report=3A_Ums=C3=A4tze_=3Cb=3E?=');
    expect(email?.headers['content-type']).toContain('multipart/alternative');
    const { 'text/plain': text = '', 'text/html': html = '' } = email?.parts ?? {};
    expect(text.replaceAll('\r\n', '\n')).toContain(
      [
        '**Linz** leads.\nThen Graz & others.\n\n.\n<img src=x onerror=alert(1)>\n\n',
        'town                    note "x"\n',
        '----------------------  -------------------------\n',
        'Linz                    <script>alert(1)</script>\n',
        'Wien Graz\n',
        '=HYPERLINK("http://x")  {"a":1}\n\n',
        '3 of 1234 rows',
      ].join(''),
    );
    expect(html).toContain('<p><strong>Linz</strong> leads.<br>');
    expect(html.match(/<tr>/g)).toHaveLength(4);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).toContain('note &quot;x&quot;');
    expect(html).toContain('3 of 1234 rows');
    expect(html).not.toMatch(/<script|<img|<b>/);
  });

  it('says why there are no rows', async () => {
    const data = [{ columns: ['n'], rows: [], totalRows: 0, truncated: false, explanation: 'No <town> has any.' }];
    const email = await send({ ...delivery(), content: { ...REPORT, data } });
    expect(email?.parts['text/plain']).toContain('No <town> has any.');
    expect(email?.parts['text/html']).toContain('<p style="color:#59636e;font-size:12px">No &lt;town&gt; has any.</p>');
  });

  it('cannot be given further headers by its name', async () => {
    const email = await send(delivery('Atlas report: a\r\nBcc: spy@example.com\r\n\r\nbody\0'));
    expect(email?.headers.subject).toBe('Atlas report: a Bcc: spy@example.com body');
    expect(email?.headers).not.toHaveProperty('bcc');
    expect(email?.to).toEqual(['ops@example.com']);
  });

  it('has the same Message-ID at each try', async () => {
    const ids = [await send(), await send(), await send(delivery(undefined, 'b@example.com'))].map(
      (email) => email?.headers['message-id'],
    );
    expect(ids[0]).toMatch(/^<[0-9a-f-]{36}@example\.com>$/);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('logs in where the URL has a user, over the TLS of a relay on the same machine', async () => {
    const seen: unknown[] = [];
    await using smtp = await startSmtpReceiver({
      authOptional: false,
      onAuth({ username, password }, { secure }, done) {
        seen.push({ username, password, secure });
        done(null, { user: username });
      },
    });
    await using app = await createTestApp({
      plugins: [deliverEmail({ smtpUrl: `smtp://atlas:p%40ss@127.0.0.1:${smtp.port}`, from: FROM })],
    });
    await app.callKey(deliver, 'email', delivery(), app.scope());
    expect(seen).toEqual([{ username: 'atlas', password: 'p@ss', secure: true }]);
  });

  it.each([
    ['the recipient', 550, true, { onRcptTo: (_a, _s, done) => done(answerWith(550, 'No such user')) }],
    ['the recipient', 452, false, { onRcptTo: (_a, _s, done) => done(answerWith(452, 'Mailbox full')) }],
    ['the sender', 553, true, { onMailFrom: (_a, _s, done) => done(answerWith(553, 'Not allowed')) }],
    ['the sender', 421, false, { onMailFrom: (_a, _s, done) => done(answerWith(421, 'Busy')) }],
    ['the connection', 554, true, { onConnect: (_s, done) => done(answerWith(554, 'Go away')) }],
    ['the connection', 421, false, { onConnect: (_s, done) => done(answerWith(421, 'Busy')) }],
    [
      'the text',
      552,
      true,
      { onData: (stream, _s, done) => void stream.resume().on('end', () => done(answerWith(552, 'Too large'))) },
    ],
    [
      'the text',
      451,
      false,
      { onData: (stream, _s, done) => void stream.resume().on('end', () => done(answerWith(451, 'Later'))) },
    ],
  ] satisfies [string, number, boolean, SMTPServerOptions][])(
    'of which the server refuses %s with %i is final: %s',
    async (_, code, final, server) => {
      await expect(send(delivery(), server)).rejects.toMatchObject({
        final,
        message: expect.stringContaining(`: ${code} `),
      });
    },
  );

  it('with a wrong password fails for good, without the password', async () => {
    await using smtp = await startSmtpReceiver({
      onAuth: (_auth, _session, done) => done(answerWith(535, 'Authentication failed')),
    });
    const smtpUrl = `smtp://atlas:hunter2@127.0.0.1:${smtp.port}`;
    await using app = await createTestApp({ plugins: [deliverEmail({ smtpUrl, from: FROM })] });
    const error = await Promise.resolve(app.callKey(deliver, 'email', delivery(), app.scope())).catch(
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ final: true });
    expect(error.message).not.toContain('hunter2');
  });

  it('may be tried again when the server cannot be reached', async () => {
    await expect(send(delivery(), {}, { smtpUrl: 'smtp://127.0.0.1:1' })).rejects.toMatchObject({
      final: false,
      message: 'The mail server could not be used (ESOCKET).',
    });
  });

  it.each([{ smtpUrl: undefined }, { from: undefined }])('fails for good with a reason without %j', async (options) => {
    await expect(send(delivery(), {}, options)).rejects.toMatchObject({
      final: true,
      code: 'configuration_error',
      message: 'E-mail is not configured: SVC_SMTP_URL and SVC_EMAIL_FROM must be set.',
    });
  });
});

describeWithPixels('a report with a chart', () => {
  const charted = (content: object) => ({ ...delivery(), content: content as Delivery['content'] });

  it('shows it inline, with its content in words', async () => {
    const email = await send(charted(CHARTED_REPORT));
    expect(email?.raw).toContain('multipart/related');
    expect(email?.raw).toMatch(/Content-Id: <chart-2@atlas>/i);
    expect(email?.raw).toMatch(/Content-Disposition: inline; filename=chart-2\.png/i);
    expect(email?.raw).toContain(PNG_BASE64);
    const html = (email?.raw ?? '').replace(/=\r\n/g, '');
    expect(html).toContain(`<img src=3D"cid:chart-2@atlas" alt=3D"${SENTENCE}"`);
    expect(html.match(/<img/g)).toHaveLength(1);
  });

  it.each([{ mark: 'map' }, { x: 'country' }, { y: 'n' }, {}])(
    'is sent without one where the chart cannot be drawn: %j',
    async (more) => {
      const [first, second] = CHARTED_REPORT.data;
      const chart = Object.keys(more).length === 0 ? {} : { ...second?.chart, ...more };
      const email = await send(charted({ ...CHARTED_REPORT, data: [first, { ...second, chart }] }));
      expect(email?.parts['text/html']).toContain('<td');
      expect(email?.raw).not.toContain('cid:');
    },
  );

  it('is shown in a preview without it', async () => {
    await using app = await createTestApp({ plugins: [deliverEmail({ smtpUrl: 'smtp://127.0.0.1:1', from: FROM })] });
    const shown = await app.callKey(deliverPreview, 'email', charted(CHARTED_REPORT), app.scope());
    expect(Object(shown).html).not.toContain('<img');
    expect(shown).not.toHaveProperty('pictures');
  });
});
