/** Asks verified queries through the whole composition: the answer, its label, and what takes the label away. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { httpRoutes, scheduleCollect } from '../../kernel/index.ts';
import { agent } from '../agent/index.ts';
import { hotelQuestions, startHotel } from './fixtures/hotel-server.ts';

const ADMIN = '/api/v1/admin/verified';
const ALL = { from: '2000-01-01', to: '2100-01-01' };
type Named = Readonly<Record<'name' | 'status', string>>;
let hotel: Awaited<ReturnType<typeof startHotel>>;
beforeAll(async () => {
  hotel = await startHotel({ env: { SVC_ANALYSIS_ENABLED: 'true', SVC_ACTIONS_ENABLED: 'true' } });
});
afterAll(() => hotel[Symbol.asyncDispose]());

/** Runs what one server runs every night. */
async function nightly(): Promise<void> {
  const tasks = (await hotel.app.call(scheduleCollect, undefined, hotel.app.scope())).map(({ value }) => value);
  await tasks.find(({ name }) => name === 'verified-queries')?.run(hotel.app.scope());
}

const labelOf = async (question: string) => (await hotel.ask(question)).verified;

describe('answers', () => {
  it('answers with the rows of the statement, and the label', async () => {
    for (const [question, name] of hotelQuestions.matches.filter((_, at) => at % 3 === 0)) {
      const { outcome, verified, data } = await hotel.ask(question);
      expect([question, outcome, verified?.name, verified?.by, data.length]).toEqual([
        question,
        'answered',
        name,
        'Ann',
        1,
      ]);
    }
    const { data } = await hotel.ask('Revenue from guests from Japan in 2024');
    const [row] = hotel.rows(
      "SELECT SUM(total_price) AS revenue FROM reservations JOIN guests USING (guest_id) WHERE country = 'Japan' AND arrival_date LIKE '2024%'",
    );
    expect(data[0].rows).toEqual([row]);
  });

  it('gives no label to what only looks like one of the questions', async () => {
    const some = hotelQuestions.nearMisses.filter((_, at) => at % 10 === 0);
    for (const question of some) expect([question, await labelOf(question)]).toEqual([question, undefined]);
  });

  it('shows the label in both streams and in the stored message', async () => {
    const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Revenue by hotel' }] }];
    const codes = await hotel.send('POST', '/api/v1/chat', { messages });
    const label = { name: 'revenue_by_hotel', by: 'Ann', at: '2025-06-01', parameters: { period: ALL } };
    expect(JSON.parse(/data: d:(.*)/.exec(codes.text)?.[1] ?? '{}').verified).toEqual(label);
    const ui = await hotel.send('POST', '/api/v1/chat?stream=ui', { messages });
    expect(ui.text).toContain(`data: ${JSON.stringify({ type: 'data-verified', id: 'verified', data: label })}\n`);
    const { conversationId } = await hotel.ask('Revenue by hotel');
    const { body } = await hotel.send('GET', `/api/v1/conversations/${conversationId}`);
    expect(body.messages.at(-1).content.parts).toContainEqual({ type: 'data-verified', id: 'verified', data: label });
  });

  it('offers what it is not certain of, and takes the reply to it', async () => {
    const { outcome, choices, verified, conversationId } = await hotel.ask('Please sum the profit revenue by hotel');
    expect([outcome, verified, choices]).toEqual([
      'clarify',
      undefined,
      [expect.objectContaining({ label: 'Revenue by hotel' })],
    ]);
    expect((await hotel.ask('1', { conversationId })).verified.name).toBe('revenue_by_hotel');
    // Behind an answer it may go on from that.
    expect((await hotel.ask('Revenue by hotel', { conversationId })).verified).toBeUndefined();
    expect((await hotel.ask('What is the revenue of each hotel?', { conversationId })).verified.name).toBe(
      'revenue_by_hotel',
    );
  });
});

describe('in another language', () => {
  it('answers a wording in it, and says in it of any other question that only English is understood', async () => {
    const answered = await hotel.ask('Wie hoch ist der Umsatz je Land?');
    expect([answered.outcome, answered.verified.name]).toEqual(['answered', 'revenue_by_country']);
    const { outcome, answer, verified } = await hotel.ask('Wie viele Mitarbeiter arbeiten in welcher Abteilung?');
    expect([outcome, verified]).toEqual(['declined', undefined]);
    expect(answer).toMatch(/^Ohne Sprachmodell verstehe ich nur Fragen auf Englisch: /);
  });
});

describe('beside others', () => {
  it('offers nothing where another plugin recognizes the question', async () => {
    const { outcome, answer } = await hotel.ask('Why did revenue drop in March 2025?');
    expect([outcome, answer]).toEqual(['answered', expect.stringMatching(/^Revenue was .* in 2025-03 and /)]);
  });

  it('awaits one approval, and asks for none of another statement', async () => {
    const rules = '/api/v1/admin/approval/rules';
    const rule = await hotel.send('POST', rules, { name: 'All', ruleType: 'table', pattern: 'reservations' });
    const { outcome, answer, pendingActions } = await hotel.ask('Revenue by hotel');
    await hotel.send('DELETE', `${rules}/${rule.body.rule.id}`);
    expect([outcome, pendingActions.length]).toEqual(['failed', 1]);
    expect(answer).toMatch(/^The statement needs approval and was not run: /);
  });
});

describe('what goes on from an earlier question', () => {
  it('takes no choice of another question back for a question of its own', async () => {
    for (const reply of ['1', 'number of bookings']) {
      const { conversationId, choices } = await hotel.ask('Demand in Vienna');
      expect(choices[0]?.label).toBe('number of bookings');
      const { verified, sql } = await hotel.ask(reply, { conversationId });
      expect([verified, sql]).toEqual([undefined, [expect.stringContaining("'Vienna'")]]);
    }
  });

  it('takes no mere name behind another message of the user', async () => {
    const messages = ['Only in Vienna.', 'Revenue by hotel'].map((text, at) => ({
      ...{ id: `${at}`, role: 'user', parts: [{ type: 'text', text }] },
    }));
    expect((await hotel.send('POST', '/api/v1/chat', { messages })).text).not.toContain('"verified"');
  });
});

describe('checks', () => {
  it('withholds the label when a column has changed, until somebody vouches again', async () => {
    expect((await hotel.send('POST', `${ADMIN}/check`, {})).body.checks.map((one: Named) => one.status)).toEqual(
      hotelQuestions.queries.map(() => 'ok'),
    );
    hotel.change(
      'ALTER TABLE hotels RENAME COLUMN stars TO rank; ALTER TABLE hotels ADD COLUMN stars TEXT; UPDATE hotels SET stars = rank',
    );
    await nightly();
    const { body } = await hotel.send('GET', ADMIN);
    expect(body.queries.filter((one: Named) => one.status !== 'ok')).toEqual([
      expect.objectContaining({
        name: 'opened_after',
        status: 'changed',
        withheld: 'hotels.stars is text instead of integer.',
      }),
    ]);
    const asked = 'Hotels with at least 4 stars';
    const { verified, notes } = await hotel.ask(asked);
    expect([verified, notes[0]?.code, notes[0]?.message]).toEqual([
      undefined,
      'verification_withheld',
      'The verified query "opened_after" answered, but nobody vouches for it any more: hotels.stars is text instead of integer.',
    ]);
    hotel.change('ALTER TABLE hotels DROP COLUMN stars; ALTER TABLE hotels RENAME COLUMN rank TO stars');
    await hotel.send('POST', `${ADMIN}/check`, { name: 'opened_after' });
    expect(await labelOf(asked)).toBeUndefined();
    const vouched = await hotel.send('POST', `${ADMIN}/opened_after/vouch`);
    expect(vouched.body).toMatchObject({ withheld: null, status: 'ok', verifiedAt: '2025-07-01T12:00:00.000Z' });
    expect(await labelOf(asked)).toMatchObject({ name: 'opened_after', by: vouched.body.verifiedBy });
  });

  it('tells a result that became empty, and a statement that fails', async () => {
    hotel.change('ALTER TABLE reviews RENAME TO opinions');
    hotel.change('UPDATE guests SET tier = NULL');
    const { body } = await hotel.send('POST', `${ADMIN}/check`, {});
    const wrong = new Map(body.checks.map((one: Named) => [one.name, one.status]));
    expect([wrong.get('bottom_hotels'), wrong.get('vip_revenue'), wrong.get('revenue')]).toEqual([
      'failed',
      'empty',
      'ok',
    ]);
    hotel.change('ALTER TABLE opinions RENAME TO reviews');
  });
});

describe('edits', () => {
  const read = (path: string) => readFileSync(join(hotel.layer.dir, path), 'utf8');
  const put = async (path: string, content: string) =>
    expect((await hotel.send('PUT', `/api/v1/admin/semantic/raw/${path}`, { content })).status).toBe(200);
  const withheld = async (question: string) => (await hotel.ask(question)).notes[0]?.message;

  it('withhold the label of a query that is not what somebody vouched for', async () => {
    await hotel.send('POST', `${ADMIN}/check`, { name: 'revenue' });
    const path = 'verified/revenue.yml';
    await put(path, `${read(path)}onboarding: true\n`);
    expect(await labelOf('What is our revenue?')).toMatchObject({ by: 'Ann' });
    await put(path, read(path).replace('SUM(', 'AVG('));
    const note = 'nobody vouches for it any more: It was edited after Ann vouched for it.';
    expect(await withheld('What is our revenue?')).toContain(note);
    await hotel.send('POST', `${ADMIN}/check`, { name: 'revenue' });
    expect(await withheld('What is our revenue?')).toContain(note);
    await hotel.send('POST', `${ADMIN}/revenue/vouch`);
    expect(await labelOf('What is our revenue?')).toMatchObject({ name: 'revenue' });
  });

  it('withhold it in the copy of an organization as well', async () => {
    const copy = join(hotel.layer.dir, '.orgs/acme');
    for (const folder of ['entities', 'verified'])
      cpSync(join(hotel.layer.dir, folder), join(copy, folder), { recursive: true });
    const asked = 'Revenue by country';
    await hotel.send('POST', `${ADMIN}/check`, { name: 'revenue_by_country' });
    const scope = () => hotel.app.scope({ orgId: 'acme', actor: { ...hotel.app.scope().actor, role: 'analyst' } });
    const answer = () =>
      hotel.app.get(agent).answer({ turns: [{ role: 'user', text: asked }], surface: 'api' }, scope());
    expect((await answer()).verified?.name).toBe('revenue_by_country');
    const path = join(copy, 'verified/revenue_by_country.yml');
    writeFileSync(path, read('verified/revenue_by_country.yml').replace('SUM(', 'MAX('));
    await expect.poll(async () => (await answer()).notes[0]?.message).toContain('It was edited after Ann');
    await nightly();
    expect((await answer()).verified).toBeUndefined();
  });

  it('withhold the label of a plan once its measure reads more', async () => {
    await hotel.send('POST', `${ADMIN}/check`, { name: 'bookings' });
    const path = 'entities/bookings.yml';
    const before = read(path);
    await put(path, before.replace('booking_count, type: count', 'booking_count, type: sum, sql: nights / nights'));
    await hotel.send('POST', `${ADMIN}/check`, { name: 'bookings' });
    expect(await withheld('How many bookings are there?')).toContain('it reads nights as well');
    await put(path, before);
  });

  it('are not vouched for over what another person makes of them meanwhile', async () => {
    const path = 'verified/revenue.yml';
    await put(path, `${read(path)}# Looked at.\n`);
    const vouched = await Promise.all([1, 2].map(() => hotel.send('POST', `${ADMIN}/revenue/vouch`)));
    expect(vouched.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(vouched.find(({ status }) => status === 409)?.text).toContain('Read it again');
    // Another server, or somebody on this machine, writes it just after this server has looked.
    await hotel.send('GET', `${ADMIN}/revenue`);
    writeFileSync(join(hotel.layer.dir, path), read(path).replace('AVG(', 'MAX('));
    const { status, text } = await hotel.send('POST', `${ADMIN}/revenue/vouch`);
    expect([status, read(path)]).toEqual([expect.any(Number), expect.stringContaining('MAX(')]);
    expect(status === 409 || text.includes('MAX(')).toBe(true);
    await put(path, read(path).replace('MAX(', 'AVG('));
    await hotel.send('POST', `${ADMIN}/revenue/vouch`);
  });

  it('run nothing for a role that administers the layer alone', async () => {
    const { app } = hotel;
    const actor = { id: 'eva', label: null, role: 'editor', mode: 'test', claims: {}, rights: ['admin:semantic'] };
    const scope = app.scope({ actor: actor as never });
    const routes = (await app.call(httpRoutes, undefined, scope)).map(({ value }) => value);
    const run = async (path: string, request: object) =>
      routes
        .find((route) => route.method === 'POST' && route.path === `${ADMIN}${path}`)
        ?.handle(request as never, scope);
    for (const [path, request] of [
      ['', { body: { name: 'own', question: 'How many rooms?', sql: 'SELECT count(*) FROM rooms' } }],
      ['/check', { body: {} }],
      ['/:name/vouch', { params: { name: 'revenue' } }],
    ] as const)
      await expect(run(path, request)).rejects.toThrow('not permitted');
  });
});

describe('administration', () => {
  it('proposes a query from an answer, adds it, labels answers from it, and deletes it', async () => {
    const asked = {
      question: 'How many suite rooms cost more than 200?',
      sql: "SELECT COUNT(*) AS rooms FROM rooms WHERE room_type = 'suite' AND nightly_rate > 200",
    };
    expect(await labelOf(asked.question)).toBeUndefined();
    const { body: draft } = await hotel.send('POST', `${ADMIN}/propose`, asked);
    expect(draft).toEqual({
      name: 'how_many_suite_rooms_cost_more_than_200',
      question: 'How many {room_type} rooms cost more than {number}?',
      sql: 'SELECT COUNT(*) AS rooms FROM rooms WHERE room_type = :room_type AND nightly_rate > :number',
      parameters: [
        { name: 'room_type', type: 'value', dimension: 'rooms.room_type' },
        { name: 'number', type: 'number' },
      ],
    });
    const french = await hotel.send('POST', `${ADMIN}/propose`, { ...asked, question: 'Chambres à Orléans' });
    expect(french.body.name).toBe('chambres_a_orleans');
    expect((await hotel.send('POST', ADMIN, { ...draft, name: 'costly_rooms' })).status).toBe(201);
    expect((await hotel.send('POST', ADMIN, { ...draft, name: 'costly_rooms' })).status).toBe(409);
    expect(await labelOf('How many double rooms cost more than 100?')).toMatchObject({
      name: 'costly_rooms',
      parameters: { room_type: 'double', number: 100 },
    });
    const audited = await hotel.send('GET', '/api/v1/admin/audit/changes');
    expect(audited.text).toContain('verified/costly_rooms.yml');
    expect((await hotel.send('DELETE', `${ADMIN}/costly_rooms`)).body).toEqual({ success: true });
    expect(await labelOf('How many double rooms cost more than 100?')).toBeUndefined();
  });

  it('adds no query whose statement is refused', async () => {
    const body = { name: 'secrets', question: 'Which tables are there?', sql: 'SELECT * FROM sqlite_master' };
    const added = await hotel.send('POST', ADMIN, body);
    expect([added.status, added.body.error]).toEqual([422, 'validation_error']);
    const { body: listed } = await hotel.send('GET', ADMIN);
    expect(listed.queries.map((one: Named) => one.name)).not.toContain('secrets');
  });

  it('writes over no file of another query, and takes no name that every object has', async () => {
    const body = { name: 'unused', question: 'How many hotels are unused?', sql: 'SELECT COUNT(*) AS n FROM hotels' };
    writeFileSync(join(hotel.layer.dir, 'verified/unused.yml'), stringify({ ...body, name: 'older' }));
    expect((await hotel.send('POST', ADMIN, body)).status).toBe(409);
    const parameters = [{ name: 'constructor', type: 'number', default: 1 }];
    expect((await hotel.send('POST', ADMIN, { ...body, name: 'named', parameters })).status).toBe(422);
    expect((await hotel.send('POST', `${ADMIN}/propose`, { question: 'a '.repeat(300), sql: body.sql })).status).toBe(
      422,
    );
  });

  it('asks which of two queries is meant', async () => {
    const body = {
      name: 'revenue_of_hotels',
      question: 'Revenue by hotel',
      sql: 'SELECT 1 AS revenue FROM hotels LIMIT 1',
    };
    expect((await hotel.send('POST', ADMIN, body)).status).toBe(201);
    const { outcome, choices, conversationId } = await hotel.ask('Turnover by hotel');
    expect([outcome, choices.map((one: { label: string }) => one.label)]).toEqual([
      'clarify',
      ['Revenue by hotel [revenue_by_hotel]', 'Revenue by hotel [revenue_of_hotels]'],
    ]);
    expect((await hotel.ask('2', { conversationId })).verified.name).toBe('revenue_of_hotels');
  });
});
