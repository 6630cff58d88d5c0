/** What users do with their conversations besides asking: search, rename, and feedback on answers. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { definePlugin } from '../../kernel/index.ts';
import { createTestApp, type InjectedRequest, type TestApp } from '../../test/harness/create-test-app.ts';
import { headerAuth } from '../../test/harness/header-auth.ts';
import { engines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { type AgentEvent, type Answer, wrappedAgent } from '../agent/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { queryApi } from '../query-api/index.ts';
import { conversations } from './index.ts';

/** The user and the organization that the header names; `viewer` and what follows is one, others are analysts. */
const auth = headerAuth((header) => {
  const [id = '', orgId = null] = header('x-user').split('@');
  return { id, role: id.startsWith('viewer') ? 'viewer' : 'analyst', orgId };
});

const CODE = '\n```sql\nSELECT secret_column FROM t\n```\n';

/** Answers with what follows `|` in the question, after a look at rows that say `hidden`. */
const agent = definePlugin({
  name: 'agent',
  version: '1.0.0',
  type: 'core',
  description: 'Says what it is told.',
  setup: (ctx) =>
    wrappedAgent(
      ctx,
      async function* ({ turns }): AsyncGenerator<AgentEvent> {
        const text = turns.at(-1)?.text.split('|')[1]?.replace('<nul>', '\u0000').replace('<code>', CODE) ?? 'Done.';
        yield { type: 'tool-call', toolCallId: 'c', toolName: 'look', args: { hidden: true } };
        yield { type: 'tool-result', toolCallId: 'c', toolName: 'look', result: { rows: [{ a: 'hidden' }] } };
        yield { type: 'text', text };
        const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
        const none = { sql: [], data: [], notes: [], pendingActions: [] };
        const answer: Answer = { text, outcome: 'answered', steps: 1, usage, finishReason: 'stop', ...none };
        yield { type: 'finish', answer };
      },
      60_000,
    ),
});

interface Listed {
  readonly conversations: { readonly id: string; readonly title: string }[];
  readonly total: number;
}

interface Detail {
  readonly title: string;
  readonly updatedAt: string;
  readonly messages: { readonly id: string; readonly role: string; readonly feedback: unknown }[];
}

describe.each(engines)('on %s', (_, startEngine) => {
  let engine: TestEngine;
  let app: TestApp;
  let now = Date.parse('2026-01-15T12:00:00Z');
  beforeAll(async () => {
    engine = await startEngine();
    app = await createTestApp({
      plugins: [
        http({ port: 0 }),
        auth,
        internalDb({ url: await engine.fresh() }),
        agent(),
        conversations(),
        queryApi({ sqlFor: 'analyst' }),
      ],
      now: () => now,
    });
    // PostgreSQL has a clock of its own, which no test moves.
    vi.spyOn(app.get(internalDb), 'now').mockImplementation(() => now);
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await engine?.[Symbol.asyncDispose]();
  });

  const as = (user: string) => (method: InjectedRequest['method'], url: string, payload?: object) =>
    app.inject({ method, url, headers: { 'x-user': user }, ...(payload !== undefined && { payload }) });
  async function ask(user: string, question: string): Promise<string> {
    now += 1_000;
    return (await as(user)('POST', '/api/v1/query', { question })).json<{ conversationId: string }>().conversationId;
  }
  const listed = async (user: string, query: string) =>
    (await as(user)('GET', `/api/v1/conversations?${query}`)).json<Listed>();
  const found = async (user: string, search: string, more = '') => {
    const { conversations: list, total } = await listed(user, `search=${encodeURIComponent(search)}${more}`);
    expect(list.length).toBe(total);
    return list.map(({ title }) => title);
  };
  const detail = async (user: string, id: string) =>
    (await as(user)('GET', `/api/v1/conversations/${id}`)).json<Detail>();

  it('finds titles and texts in any case, and every sign as itself', async () => {
    const asked = [
      'Revenue 100%|The Share is 5_000.',
      'ÜBERSICHT der Straße|Größe: ÉTÉ [a-c] ^x *y? \\d',
      'NUL|before<nul>after \ud800 END',
      'Plain|A "quoted"\nline',
    ];
    for (const question of asked) await ask('ann', question);
    const [revenue = '', view = '', nul = '', plain = ''] = asked.map((question) => question.split('|')[0]);
    const titles = [revenue, view, nul, plain].map((title) => expect.stringMatching(`^${title}`));
    const cases: [string, number[]][] = [
      ['REVENUE', [0]],
      ['100%', [0]],
      ['share IS', [0]],
      ['5_0', [0]],
      ['5x0', []],
      ['%', [0]],
      ['_', [0]],
      ['übersicht DER straße', [1]],
      ['été', [1]],
      ['[A-C]', [1]],
      ['^X', [1]],
      ['*', [1]],
      ['y?', [1]],
      ['\\D', [1]],
      [']', [1]],
      ['b', [0, 1, 2, 3].filter((index) => /b/i.test(asked[index] ?? ''))],
      ['"quoted"\nLINE', [3]],
      ['"}', []],
      ['type', []],
      ['hidden', []],
      ['executed', []],
      ['end', [2]],
      ["' OR 1=1 --", []],
      ['   ', [3, 2, 1, 0]],
    ];
    for (const [search, indexes] of cases) {
      const expected = [...indexes].sort().reverse();
      expect([search, await found('ann', search)]).toEqual([search, expected.map((index) => titles[index])]);
    }
  });

  it("finds one's own only, pages and sorts, and takes the star into account", async () => {
    const ids = [await ask('ben', 'Needle one'), await ask('ben', 'Needle two'), await ask('ben', 'Other|a needle')];
    await ask('ben@acme', 'Needle of acme');
    await ask('eve', 'Needle of Eve');
    expect(await found('ben', 'needle')).toEqual(['Other|a needle', 'Needle two', 'Needle one']);
    expect(await found('ben@acme', 'needle')).toEqual(['Needle of acme']);
    await as('ben')('PATCH', `/api/v1/conversations/${ids[0]}/star`, { starred: true });
    expect(await found('ben', 'needle', '&starred=true')).toEqual(['Needle one']);
    const page = await listed('ben', 'search=needle&limit=1&offset=1&sort=createdAt');
    expect([page.conversations.map(({ id }) => id), page.total]).toEqual([[ids[1]], 3]);
    expect((await as('ben')('GET', `/api/v1/conversations?search=${'x'.repeat(201)}`)).statusCode).toBe(400);
  });

  it('finds no text of an answer for a reader who may not see its SQL', async () => {
    for (const [user, count] of [
      ['gus', 1],
      ['viewer.gus', 0],
    ] as const) {
      await ask(user, 'How much?|It is <code>');
      expect([user, await found(user, 'secret_COLUMN')]).toEqual([user, Array(count).fill('How much?|It is <code>')]);
      expect(await found(user, 'how MUCH')).toHaveLength(1);
    }
  });

  it('looks through the newest messages up to a bound', async () => {
    const old = await ask('hal', `${'A long title. '.repeat(10)}|Then the needle.`);
    expect(await found('hal', 'NEEDLE')).toHaveLength(1);
    const large = await ask('hal', 'Large');
    const parts = JSON.stringify([{ type: 'text', text: randomBytes(13 * 1024 ** 2).toString('base64') }]);
    await app
      .get(internalDb)
      .run((knex) => knex('conversation_messages').where({ conversation_id: large }).update({ parts }));
    expect(await found('hal', 'needle')).toEqual([]);
    expect(await found('hal', 'LARGE')).toEqual(['Large']);
    expect((await as('hal')('DELETE', `/api/v1/conversations/${large}`)).statusCode).toBe(204);
    expect((await listed('hal', 'search=needle')).conversations).toMatchObject([{ id: old }]);
  });

  it('renames on one line, for the owner only, and leaves the time as it is', async () => {
    const id = await ask('dan', 'First title');
    const { updatedAt } = await detail('dan', id);
    now += 5_000;
    const rename = (user: string, title: unknown, of = id) =>
      as(user)('PATCH', `/api/v1/conversations/${of}`, { title });
    const renamed = await rename('dan', '  A better\n<b>title</b> \ud800 ', id.toUpperCase());
    expect([renamed.statusCode, renamed.json()]).toMatchObject([
      200,
      { id, title: 'A better <b>title</b> \ufffd', updatedAt },
    ]);
    expect((await detail('dan', id)).title).toBe('A better <b>title</b> \ufffd');
    for (const title of ['', '   ', '\u0007\n', 'nul\u0000', 'x'.repeat(201), 7, null]) {
      expect([title, (await rename('dan', title)).statusCode]).toEqual([title, 422]);
    }
    expect((await rename('dan', 'x'.repeat(200))).statusCode).toBe(200);
    const missing = crypto.randomUUID();
    for (const [user, of] of [
      ['eve', id],
      ['dan@acme', id],
      ['dan', missing],
    ] as const) {
      expect([user, (await rename(user, 'Mine', of)).statusCode]).toEqual([user, 404]);
    }
    expect((await detail('dan', id)).title).toBe('x'.repeat(200));
  });

  it('keeps the last feedback on an answer, for its owner only', async () => {
    const id = await ask('fay', 'Good?');
    const other = await ask('fay', 'Other?');
    const [question, answer] = (await detail('fay', id)).messages;
    const rate = (user: string, messageId: string | undefined, body: object, of = id) =>
      as(user)('PUT', `/api/v1/conversations/${of}/messages/${messageId}/feedback`, body);
    const feedback = async () => (await detail('fay', id)).messages.map((message) => message.feedback);
    expect(await feedback()).toEqual([null, null]);
    const rated = await rate('fay', answer?.id.toUpperCase(), { rating: 'bad', reason: ' Wrong year. \ud800' });
    expect([rated.statusCode, rated.body]).toEqual([204, '']);
    expect(await feedback()).toEqual([null, { rating: 'bad', reason: 'Wrong year. \ufffd' }]);
    await rate('fay', answer?.id, { rating: 'good' });
    expect(await feedback()).toEqual([null, { rating: 'good', reason: null }]);

    for (const [user, messageId, of] of [
      ['fay', question?.id, id],
      ['fay', answer?.id, other],
      ['fay', crypto.randomUUID(), id],
      ['eve', answer?.id, id],
      ['fay@acme', answer?.id, id],
    ] as const) {
      expect((await rate(user, messageId, { rating: 'bad' }, of)).statusCode).toBe(404);
    }
    for (const body of [{}, { rating: 'fine' }, { rating: 'good', reason: 'x'.repeat(2_001) }]) {
      expect((await rate('fay', answer?.id, body)).statusCode).toBe(422);
    }
    expect((await rate('fay', 'no-uuid', { rating: 'good' })).statusCode).toBe(400);
    expect(await feedback()).toEqual([null, { rating: 'good', reason: null }]);
  });
});
