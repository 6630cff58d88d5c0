import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Delivery, deliver } from '../../kernel/index.ts';
import { deliverContract } from '../../test/contract/deliver.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { CHARTED_REPORT, describeWithPixels, SENTENCE } from '../../test/harness/charted-report.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { SLACK_TOKEN, type SlackPosting, startSlackReceiver } from '../../test/harness/slack-receiver.ts';
import { toldSlackReceiver } from '../../test/harness/told-receivers.ts';
import { deliverSlack } from './index.ts';

pluginContract('deliver-slack', () => deliverSlack());

deliverContract('deliver-slack', async () => {
  const receiver = await toldSlackReceiver();
  return Object.assign(receiver, {
    channel: 'slack',
    plugin: deliverSlack({ botToken: SLACK_TOKEN, apiUrl: receiver.apiUrl }),
    recipient: { type: 'slack', channel: 'C024BE91L', teamId: 'T1' },
    invalidRecipients: [{ channel: '' }, { channel: 7 }, { teamId: 'T1' }],
    secrets: [SLACK_TOKEN],
  });
});

const REPORT = {
  taskId: 'b9c7',
  taskName: 'Orders',
  question: 'How many orders does each town have?',
  answer: '**Linz** <leads> & <!channel>.',
  sql: [],
  data: [
    {
      columns: ['town', 'n'],
      rows: [
        { town: 'Linz', n: 3 },
        { town: 'Graz ```', n: null },
      ] as object[],
      totalRows: 2,
      truncated: false,
    },
  ],
  steps: 2,
  usage: { totalTokens: 12 },
  timestamp: '2026-01-15T11:59:58.000Z',
};

const delivery = (content: object = REPORT, channel = 'C024BE91L'): Delivery => ({
  channel: 'slack',
  recipient: { channel },
  subject: 'Atlas report: Orders',
  content: content as Delivery['content'],
});

type Planned = Parameters<typeof startSlackReceiver>[0];

async function post(content?: object, planned?: Planned, options: object = {}, channel?: string) {
  await using slack = await startSlackReceiver(planned);
  await using app = await createTestApp({
    plugins: [deliverSlack({ botToken: SLACK_TOKEN, apiUrl: slack.apiUrl, ...options })],
  });
  await app.callKey(deliver, 'slack', delivery(content, channel), app.scope());
  return slack.posted[0];
}

describe('a report to Slack', () => {
  it('is a message with a text and blocks, without live mentions', async () => {
    const message = await post();
    expect(message).toMatchObject({ channel: 'C024BE91L', unfurl_links: false });
    expect(message?.text).toBe('Atlas report: Orders\n**Linz** &lt;leads&gt; &amp; &lt;!channel&gt;.');
    expect(message?.blocks).toMatchObject([
      { type: 'header', text: { text: 'Orders' } },
      { type: 'context' },
      { type: 'section', text: { text: '*Linz* &lt;leads&gt; &amp; &lt;!channel&gt;.' } },
      { type: 'section', text: { text: "```\ntown      n\n--------  -\nLinz      3\nGraz '''\n```" } },
      { type: 'context', elements: [{ text: expect.stringContaining('2026-01-15T11:59:58.000Z') }] },
    ]);
    expect(message?.metadata).toEqual({
      event_type: 'atlas_message',
      event_payload: { idempotency_key: message?.client_msg_id },
    });
  });

  it('says how many of the rows it shows', async () => {
    const rows = Array.from({ length: 50 }, (_, at) => ({
      town: `town ${at} ${'x'.repeat(60)}`,
      n: at,
      more: 'y'.repeat(60),
    }));
    const message = await post({
      ...REPORT,
      data: [{ columns: ['town', 'n', 'more'], rows, totalRows: 1_234, truncated: true }],
    });
    const [, table, note] = message?.blocks?.slice(2) ?? [];
    const shown = (table?.text?.text.split('\n').length ?? 0) - 4;
    expect(shown).toBeGreaterThan(20);
    expect(note?.elements?.[0]?.text).toBe(`${shown} of 1234 rows`);
  });

  it('says why there are no rows', async () => {
    const empty = { columns: ['n'], rows: [], totalRows: 0, truncated: false };
    const message = await post({ ...REPORT, data: [{ ...empty, explanation: 'No <town> has any.' }, empty] });
    const notes = message?.blocks?.slice(3, 5).map(({ elements }) => elements?.[0]?.text);
    expect(notes).toEqual(['No &lt;town&gt; has any.', 'No rows']);
  });

  it('keeps the limits of Slack whatever it holds', async () => {
    await using slack = await startSlackReceiver();
    await using app = await createTestApp({ plugins: [deliverSlack({ botToken: SLACK_TOKEN, apiUrl: slack.apiUrl })] });
    // `fc.string` of all characters takes a second to list them.
    const character = fc
      .integer({ min: 0, max: 0x10_ff_ff })
      .map((code) => String.fromCodePoint(code))
      .filter((one) => one.isWellFormed());
    const text = fc.oneof(
      fc.array(character, { maxLength: 50 }).map((characters) => characters.join('')),
      fc.integer({ min: 0, max: 30_000 }).map((length) => '<&>\u{1f511}`"\n'.repeat(length / 7)),
    );
    const dataset = fc.record({
      columns: fc.uniqueArray(fc.string({ maxLength: 60 }), { maxLength: 40 }),
      count: fc.integer({ min: 0, max: 60 }),
      value: fc.oneof(fc.anything({ withDate: true }), text),
      explanation: text,
    });
    const report = fc.record({
      taskName: text,
      question: text,
      answer: text,
      data: fc.array(dataset, { maxLength: 25 }),
    });
    await fc.assert(
      fc.asyncProperty(report, async ({ data, ...texts }) => {
        const content = {
          ...REPORT,
          ...texts,
          data: data.map(({ columns, count, value, explanation }) => ({
            columns,
            rows: Array.from({ length: count }, () => Object.fromEntries(columns.map((name) => [name, value]))),
            totalRows: count,
            truncated: false,
            explanation,
          })),
        };
        await app.callKey(deliver, 'slack', delivery(content), app.scope());
      }),
      { numRuns: 60 },
    );
    expect(slack.posted.length).toBeGreaterThanOrEqual(60);
  });

  it.each([
    ['invalid_auth', true],
    ['channel_not_found', true],
    ['not_in_channel', true],
    ['is_archived', true],
    ['token_revoked', true],
    ['account_inactive', true],
    ['missing_scope', true],
    ['msg_too_long', true],
    ['something_new', true],
    ['ratelimited', false],
    ['rate_limited', false],
    ['message_limit_exceeded', false],
    ['internal_error', false],
    ['fatal_error', false],
    ['service_unavailable', false],
    ['request_timeout', false],
  ])('that Slack refuses with %s is final: %s', async (error, final) => {
    const sent = post(REPORT, () => ({ status: 200, body: { ok: false, error } }));
    await expect(sent).rejects.toMatchObject({ final, message: `Slack refused the message: ${error}.` });
  });

  it.each([
    [429, { 'retry-after': '30' }, { ok: false, error: 'ratelimited' }, { final: false, retryAfterMs: 30_000 }],
    [200, { 'retry-after': '5' }, { ok: false, error: 'ratelimited' }, { final: false, retryAfterMs: 5_000 }],
    [429, { 'retry-after': '7200' }, {}, { final: true }],
    [500, {}, '<html>', { final: false }],
    [503, {}, { ok: false, error: 'service_unavailable' }, { final: false }],
    [403, {}, '', { final: true }],
    [200, {}, '<html>', { final: false }],
    [200, {}, '', { final: false }],
    [200, {}, 'null', { final: false }],
    [200, {}, '[]', { final: false }],
  ])('answered with %i %j %j', async (status, headers, body, expected) => {
    await expect(
      post(REPORT, () => ({ status, headers: headers as Record<string, string>, body })),
    ).rejects.toMatchObject(expected);
  });

  it('fails for good with a reason without a token, with a wrong one, and in an unknown channel', async () => {
    await expect(post(REPORT, undefined, { botToken: undefined })).rejects.toMatchObject({
      final: true,
      code: 'configuration_error',
      message: 'Slack is not configured: SLACK_BOT_TOKEN must be set.',
    });
    await expect(post(REPORT, undefined, { botToken: 'xoxb-no' })).rejects.toMatchObject({ final: true });
    await expect(post(REPORT, undefined, {}, 'C0000')).rejects.toMatchObject({
      message: 'Slack refused the message: channel_not_found.',
    });
  });
});

describeWithPixels('a report with a chart', () => {
  const imagesIn = (posted: SlackPosting | undefined) => posted?.blocks?.filter(({ type }) => type === 'image');

  async function postCharted(planned?: Planned) {
    await using slack = await startSlackReceiver(planned);
    await using app = await createTestApp({ plugins: [deliverSlack({ botToken: SLACK_TOKEN, apiUrl: slack.apiUrl })] });
    await app.callKey(deliver, 'slack', delivery(CHARTED_REPORT), app.scope());
    return { ...slack, lines: app.lines };
  }

  it('uploads it and shows it above its table', async () => {
    const { posted, files } = await postCharted();
    expect([...files.values()]).toEqual([expect.stringContaining('PNG')]);
    const blocks = posted[0]?.blocks ?? [];
    const at = blocks.findIndex(({ type }) => type === 'image');
    expect(blocks[at]).toEqual({ type: 'image', slack_file: { id: [...files.keys()][0] }, alt_text: SENTENCE });
    expect(blocks[at + 1]?.text?.text).toContain('Wien');
    expect(posted[0]).not.toHaveProperty('pictures');
  });

  it.each([
    ['files.getUploadURLExternal', 'missing_scope'],
    ['files.completeUploadExternal', 'internal_error'],
    ['F1', 'none'],
  ])('is posted without it where %s fails with %s, and that is logged', async (method, error) => {
    const { posted, lines } = await postCharted((called) =>
      called === method ? { status: method === 'F1' ? 500 : 200, body: { ok: false, error } } : undefined,
    );
    expect(posted).toHaveLength(1);
    expect(imagesIn(posted[0])).toEqual([]);
    expect(JSON.stringify(posted[0]?.blocks)).toContain('Wien');
    expect(lines.some(({ message }) => message === 'A message to Slack goes out without its charts.')).toBe(true);
    expect(JSON.stringify(lines)).not.toContain(SLACK_TOKEN);
  });

  it('is tried again while Slack still looks at the file, and is then posted without it', async () => {
    let refused = 0;
    const refusing = (times: number) => (called: string) => {
      if (called !== 'chat.postMessage' || refused >= times) return undefined;
      refused += 1;
      return { status: 200, body: { ok: false, error: 'invalid_blocks' } };
    };
    expect(imagesIn((await postCharted(refusing(1))).posted[0])).toHaveLength(1);
    refused = 0;
    expect(imagesIn((await postCharted(refusing(2))).posted[0])).toEqual([]);
  });

  it('fails as ever where Slack does not answer the message', async () => {
    const fails = postCharted((called) => (called === 'chat.postMessage' ? { status: 503 } : undefined));
    await expect(fails).rejects.toMatchObject({ final: false });
  });
});
