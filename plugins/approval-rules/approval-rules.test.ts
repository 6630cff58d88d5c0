import { describe, expect, it } from 'vitest';
import { createTestApp, type InjectedRequest } from '../../test/harness/create-test-app.ts';
import { dialects } from '../../test/harness/internal-databases.ts';
import {
  databases,
  idOf,
  invite,
  organization,
  setRole,
  startServer,
  userOf,
} from '../../test/harness/managed-server.ts';
import { audit } from '../audit/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { RULES } from './fixtures/rule-server.ts';
import { approvalRules } from './index.ts';

const db = databases();
const MISSING = `${RULES}/00000000-0000-4000-8000-000000000000`;
const TABLE = { name: 'People', ruleType: 'table', pattern: 'customers' };

describe.each(dialects)('rules of organizations, on %s', (dialect) => {
  it('are made, listed, changed and deleted by administrators of the organization only', async () => {
    await using server = await startServer(await db.url(dialect), {}, [audit(), approvalRules()]);
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const umbrella = await userOf(server, 'umbrella@example.com');
    await setRole(boss, await idOf(umbrella), 'admin');
    const orgId = (await organization(boss, 'create', { name: 'Acme', slug: 'acme' })).body.id as string;

    const made = await boss.send(RULES, { body: TABLE });
    const { rule } = made.body;
    expect([made.status, rule]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        orgId,
        ...TABLE,
        threshold: null,
        enabled: true,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        updatedAt: rule.createdAt,
      },
    ]);
    const cost = (await boss.send(RULES, { body: { name: 'Much', ruleType: 'cost', threshold: 0 } })).body.rule;
    expect((await boss.send(RULES)).body).toEqual({
      rules: expect.arrayContaining([rule, cost]),
      total: 2,
      limit: 50,
      offset: 0,
    });
    expect((await boss.send(`${RULES}?limit=1&offset=1`)).body).toMatchObject({
      rules: [{}],
      total: 2,
      limit: 1,
      offset: 1,
    });
    expect((await boss.send(`${RULES}/${rule.id}`)).body).toEqual({ rule });

    const put = (body: unknown, id = rule.id) => boss.send(`${RULES}/${id}`, { method: 'PUT', body });
    const off = await put({ enabled: false });
    expect([off.status, off.body.rule]).toEqual([200, { ...rule, enabled: false, updatedAt: expect.any(String) }]);
    const whole = { name: 'Mails', ruleType: 'column', pattern: 'customers.email', threshold: null, enabled: true };
    expect((await put(whole)).body.rule).toMatchObject({ id: rule.id, ...whole });
    expect((await put({ ruleType: 'cost', threshold: 5 })).body.rule).toMatchObject({ pattern: null, threshold: 5 });
    expect((await put({})).status).toBe(200);

    // Another organization has none of them, and neither has an administrator without one.
    await organization(umbrella, 'create', { name: 'Umbrella', slug: 'umbrella' });
    expect((await umbrella.send(RULES)).body).toMatchObject({ rules: [], total: 0 });
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
      const { status, body: answer } = await umbrella.send(`${RULES}/${rule.id}`, { method, ...(body && { body }) });
      expect([status, answer.error]).toEqual([404, 'not_found']);
    }
    expect((await ann.send(RULES)).status).toBe(403);
    await invite(boss, ann, 'ann@example.com');
    expect((await ann.send(RULES, { body: TABLE })).body).toMatchObject({ error: 'auth_error' });

    const gone = await boss.send(`${RULES}/${rule.id}`, { method: 'DELETE' });
    expect([gone.status, gone.body]).toEqual([200, { success: true }]);
    expect((await boss.send(`${RULES}/${rule.id}`)).status).toBe(404);
    expect((await boss.send(`${RULES}/${rule.id}`, { method: 'DELETE' })).status).toBe(404);
  });
});

describe('rules without organizations', () => {
  const KEY = 'a key of some length';
  it.each([
    ['none', [authNone()], {}],
    ['api-key', [authRoles(), authApiKey({ keys: [{ key: KEY, role: 'admin' }] })], { authorization: `Bearer ${KEY}` }],
  ] as const)(
    'in mode %s belong to none, and are refused where they do not hold together',
    async (_, auth, headers) => {
      await using app = await createTestApp({
        plugins: [http({ listen: false }), internalDb({ url: await db.url('sqlite') }), ...auth, approvalRules()],
      });
      const send = async (method: InjectedRequest['method'], url: string, payload?: object | string) => {
        const json = typeof payload === 'string' ? { 'content-type': 'application/json' } : {};
        const answer = await app.inject({
          method,
          url,
          headers: { ...headers, ...json },
          ...(payload !== undefined && { payload }),
        });
        return {
          status: answer.statusCode,
          body: answer.json<{ details?: { path: string }[] } & Record<string, unknown>>(),
        };
      };
      const made = await send('POST', RULES, TABLE);
      expect(made).toMatchObject({ status: 201, body: { rule: { orgId: null } } });
      const invalid: readonly (readonly [object, string])[] = [
        [{ ...TABLE, ruleType: 'row' }, 'ruleType'],
        [{ ...TABLE, name: '' }, 'name'],
        [{ ...TABLE, name: '   ' }, 'name'],
        [{ ...TABLE, name: 'x'.repeat(201) }, 'name'],
        [{ ...TABLE, pattern: undefined }, 'pattern'],
        [{ ...TABLE, pattern: ' ' }, 'pattern'],
        [{ ...TABLE, pattern: 'x'.repeat(257) }, 'pattern'],
        [{ ...TABLE, pattern: '"customers"' }, 'pattern'],
        [{ ...TABLE, pattern: '*'.repeat(9) }, 'pattern'],
        [{ ...TABLE, pattern: '.customers' }, 'pattern'],
        [{ ...TABLE, threshold: 5 }, 'threshold'],
        [{ ...TABLE, ruleType: 'column' }, 'pattern'],
        [{ ...TABLE, ruleType: 'column', pattern: 'customers.' }, 'pattern'],
        [{ name: 'a', ruleType: 'datasource' }, 'pattern'],
        [{ name: 'a', ruleType: 'cost' }, 'threshold'],
        [{ name: 'a', ruleType: 'cost', threshold: null }, 'threshold'],
        [{ name: 'a', ruleType: 'cost', threshold: -1 }, 'threshold'],
        [{ name: 'a', ruleType: 'cost', threshold: 1.5 }, 'threshold'],
        [{ name: 'a', ruleType: 'cost', threshold: '5' }, 'threshold'],
        [{ ...TABLE, patern: 'x' }, 'patern'],
      ];
      for (const [body, path] of invalid) {
        const { status, body: answer } = await send('POST', RULES, body);
        expect([status, answer.error, answer.details?.[0]?.path], JSON.stringify(body)).toEqual([
          422,
          'validation_error',
          path,
        ]);
      }
      const { id } = (made.body as unknown as { rule: { id: string } }).rule;
      expect(await send('PUT', `${RULES}/${id}`, { pattern: null })).toMatchObject({ status: 422 });
      expect(await send('PUT', `${RULES}/${id}`, { ruleType: 'cost' })).toMatchObject({ status: 422 });
      expect(await send('PUT', `${RULES}/${id}`, '{')).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      });
      expect((await send('GET', MISSING)).status).toBe(404);
      expect((await send('PUT', MISSING, { enabled: false })).status).toBe(404);
      for (const query of ['limit=0', 'limit=201', 'limit=x', 'offset=-1']) {
        expect([query, (await send('GET', `${RULES}?${query}`)).status]).toEqual([query, 400]);
      }
      expect((await send('GET', `${RULES}/nothing`)).status).toBe(400);
      for (const size of [0, Number.MAX_SAFE_INTEGER]) {
        expect((await send('POST', RULES, { name: 'a', ruleType: 'cost', threshold: size })).body).toMatchObject({
          rule: { threshold: size },
        });
      }
    },
  );

  it('are not available without an internal database, whatever is sent', async () => {
    await using app = await createTestApp({
      plugins: [http({ listen: false }), internalDb(), authNone(), approvalRules()],
    });
    for (const [method, url] of [
      ['GET', RULES],
      ['POST', RULES],
      ['PUT', `${RULES}/x`],
      ['DELETE', MISSING],
    ] as const) {
      expect((await app.inject({ method, url })).json()).toMatchObject({ error: 'not_available' });
    }
  });

  it('are at most 200', async () => {
    await using app = await createTestApp({
      plugins: [http({ listen: false }), internalDb({ url: await db.url('sqlite') }), authNone(), approvalRules()],
    });
    const add = () => app.inject({ method: 'POST', url: RULES, payload: TABLE });
    for (let made = 0; made < 200; made += 1) expect((await add()).statusCode).toBe(201);
    expect((await add()).json()).toMatchObject({ error: 'conflict' });
  });
});
