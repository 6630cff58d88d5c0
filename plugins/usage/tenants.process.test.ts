/** Usage in every authentication mode: no user reads, resets or spends the tokens of others. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltInServer, startBuiltIn } from '../../test/harness/built-in-server.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { createFleet } from '../../test/harness/fleet.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { Client, invite, organization, userOf } from '../../test/harness/managed-server.ts';
import { type OpenAIServer, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { Issuer, makeKey, sign } from '../../test/harness/token-issuer.ts';

const folder = emptyFolder();
createFleet(folder.path);
afterAll(() => folder[Symbol.dispose]());

describe.each(chosenEngines)('usage on %s', (_name, open) => {
  let engine: TestEngine;
  let model: OpenAIServer;
  beforeAll(async () => {
    engine = await open();
    model = await startOpenAIServer({ respond: () => ({ text: 'Three.', usage: { input: 80, output: 20 } }) });
  });
  afterAll(async () => {
    await model.close();
    await engine[Symbol.asyncDispose]();
  });

  const start = async (env: Readonly<Record<string, string>>): Promise<BuiltInServer> =>
    startBuiltIn({
      DATABASE_URL: await engine.fresh(),
      SVC_DATASOURCE_URL: `sqlite:${join(folder.path, 'fleet.db')}`,
      SVC_SEMANTIC_DIR: join(folder.path, 'semantic'),
      SVC_PROVIDER: 'openai-compatible',
      SVC_MODEL: 'scripted',
      OPENAI_BASE_URL: model.url,
      ...env,
    });
  const ask = async (client: Client): Promise<number> =>
    (await client.send('/api/v1/query', { body: { question: 'How many boats?' } })).status;
  const tokens = async (client: Client, query = ''): Promise<unknown> => {
    const { status, body } = await client.send(`/api/v1/usage${query}`);
    return status === 200 ? [body.scope, body.sums.totalTokens] : [status, body.error];
  };

  it('without authentication: one anonymous user and no organization', async () => {
    await using server = await start({
      SVC_BUDGET_USER_DAY_TOKENS: '100',
      SVC_MODEL_PRICES: '{"scripted":{"input":1,"output":2}}',
    });
    const client = new Client(server);
    expect([await ask(client), await ask(client)]).toEqual([200, 429]);
    const { body } = await client.send('/api/v1/usage');
    expect(body).toMatchObject({ scope: 'organization', sums: { totalTokens: 100, cost: 0.00012 }, budgets: [] });
    expect((await client.send('/api/v1/usage?scope=own')).body.budgets).toMatchObject([{ usedTokens: 100 }]);
  });

  it('with an API key: the key is the user', async () => {
    const key = 'a-key-of-enough-characters';
    await using server = await start({ SVC_API_KEY: key, SVC_BUDGET_USER_DAY_TOKENS: '100' });
    const client = new Client(server, key);
    expect([await ask(client), await ask(client)]).toEqual([200, 429]);
    expect(await tokens(client, '?scope=own')).toEqual(['own', 100]);
    expect(await tokens(new Client(server, 'another-key-of-enough-characters'))).toEqual([401, 'auth_error']);
  });

  it('with tokens: users and organizations as their claims say', async () => {
    const key = await makeKey('k-1');
    const issuer = await Issuer.start(key);
    try {
      await using server = await start({
        SVC_AUTH_JWKS_URL: issuer.jwksUrl,
        SVC_AUTH_ISSUER: 'https://id.example.com/',
        SVC_RLS_ENABLED: 'true',
        SVC_RLS_COLUMN: 'harbour',
        SVC_RLS_CLAIM: 'harbour',
        SVC_BUDGET_USER_DAY_TOKENS: '250',
        SVC_BUDGET_ORG_MONTH_TOKENS: '350',
      });
      const now = Math.floor(Date.now() / 1000);
      const as = async (sub: string, org_id: string | undefined, role = 'viewer') =>
        new Client(server, await sign(key, { sub, role, org_id, harbour: 'Kiel', iat: now, exp: now + 300 }));
      const ann = await as('ann', 'acme');
      expect([await ask(ann), await ask(ann)]).toEqual([200, 200]);
      // Another organization, another letter case of the claim, or none: the user's own tokens count everywhere.
      expect(await ask(await as('ann', 'evil'))).toBe(200);
      expect(await ask(await as('ann', 'evil'))).toBe(429);
      expect(await ask(await as('ann', undefined))).toBe(429);
      const bob = await as('bob', 'acme');
      expect([await ask(bob), await ask(bob), await ask(bob)]).toEqual([200, 200, 429]);
      expect(await tokens(ann)).toEqual(['own', 200]);
      expect(await tokens(await as('eve', 'acme'))).toEqual(['own', 0]);
      expect(await tokens(await as('eve', 'acme'), '?scope=organization')).toEqual([403, 'auth_error']);
      expect(await tokens(await as('root', 'acme', 'admin'))).toEqual(['organization', 400]);
      expect(await tokens(await as('root', 'evil', 'admin'))).toEqual(['organization', 100]);
      expect(await tokens(await as("' OR 1=1 --", "' OR 1=1 --", 'admin'))).toEqual(['organization', 0]);
      // Row security keeps tenants apart, and nothing says of which this administrator is.
      const unknown = await as('root', undefined, 'admin');
      expect(await tokens(unknown, '?scope=organization')).toEqual([403, 'forbidden']);
      expect(await tokens(unknown)).toEqual(['own', 0]);
    } finally {
      await issuer.stop();
    }
  });

  it('with accounts: the active organization, and no way to start over', async () => {
    await using server = await start({
      AUTHLIB_SECRET: 's'.repeat(40),
      SVC_BUDGET_USER_DAY_TOKENS: '250',
      SVC_BUDGET_ORG_MONTH_TOKENS: '100000',
    });
    const root = await userOf(server, 'root@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const { body: acme } = await organization(root, 'create', { name: 'Acme', slug: 'acme' });
    await organization(root, 'set-active', { organizationId: acme.id });
    await invite(root, ann, 'ann@example.com');
    await organization(ann, 'set-active', { organizationId: acme.id });
    expect([await ask(ann), await ask(ann)]).toEqual([200, 200]);
    expect(await tokens(ann)).toEqual(['own', 200]);
    expect(await tokens(ann, '?scope=organization')).toEqual([403, 'auth_error']);
    expect(await tokens(root)).toEqual(['organization', 200]);
    // Without conversations, in another session, and outside the organization the tokens are spent all the same.
    const { body } = await ann.send('/api/v1/conversations');
    for (const { id } of body.conversations) await ann.send(`/api/v1/conversations/${id}`, { method: 'DELETE' });
    expect(await ask(ann)).toBe(200);
    await organization(ann, 'leave', { organizationId: acme.id });
    const again = await userOf(server, 'ann@example.com');
    expect([await ask(ann), await ask(again)]).toEqual([429, 429]);
    // What was spent stays with the organization.
    expect(await tokens(root)).toEqual(['organization', 300]);
    expect(await tokens(again)).toEqual(['own', 0]);
  });
});
