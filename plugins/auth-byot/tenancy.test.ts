/** Administrators of tenants that share an identity provider: none reads the statements of another. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Access,
  type AtlasError,
  type ConnectionInfo,
  datasourceExecute,
  datasourceList,
  definePlugin,
  sqlCheck,
} from '../../kernel/index.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { createTestApp, testScope } from '../../test/harness/create-test-app.ts';
import { Issuer, makeKey, NOW, sign } from '../../test/harness/token-issuer.ts';
import { audit } from '../audit/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { authByot } from './index.ts';
import { closedWarning, refuseUnknownOrganization } from './tenancy.ts';

const key = await makeKey('k-1');
let issuer: Issuer;
beforeAll(async () => {
  issuer = await Issuer.start(key);
});
afterAll(() => issuer.stop());

const database = definePlugin({
  name: 'test-database',
  version: '1.0.0',
  type: 'datasource',
  description: 'Refuses every statement.',
  setup(ctx) {
    const connection: ConnectionInfo = { id: 'main', dbType: 'sqlite', maskedUrl: 'sqlite:x.db' };
    ctx.tap(datasourceList, () => [connection]);
    ctx.tap(sqlCheck, () => {});
    ctx.tapKey(datasourceExecute, 'main', () => ({ columns: [], rows: [], truncated: false, notes: [] }));
  },
});

async function start(options: { readonly orgClaim?: string; readonly withRows?: boolean }) {
  const folder = emptyFolder();
  const byot = { jwksUrl: issuer.jwksUrl, issuer: 'https://id.example.com/', audience: 'atlas' };
  const rows = [semanticLayer({ dir: folder.path }), sqlGuard(), rowSecurity({ column: 'tenant', claim: 'tenant' })];
  const app = await createTestApp({
    now: NOW,
    plugins: [
      http({ port: 0 }),
      internalDb({ url: `sqlite:${folder.path}/atlas.db` }),
      authRoles(),
      authByot({ ...byot, ...(options.orgClaim !== undefined && { orgClaim: options.orgClaim }) }),
      ...(options.withRows === false ? [] : rows),
      database(),
      audit(),
    ],
  });
  await app.get(internalDb).run((db) =>
    db('audit_log').insert(
      ['acme', 'evil', '1', null].map((org_id) => ({
        id: String(org_id),
        timestamp: NOW.toISOString(),
        auth_mode: 'byot',
        sql: `SELECT '${org_id}'`,
        duration_ms: 1,
        row_count: 0,
        success: true,
        tables: '[]',
        request_id: 'r',
        surface: 'api',
        org_id,
      })),
    ),
  );
  const send = async (method: 'GET' | 'POST', path: string, claims: object) =>
    app.inject({
      method,
      url: `/api/v1/admin/audit${path}`,
      headers: { authorization: `Bearer ${await sign(key, { role: 'admin', ...claims })}` },
    });
  const seen = async (claims: object) => {
    const answer = await send('GET', '', claims);
    const entries = answer.json<{ entries?: { sql: string }[] }>().entries;
    return entries?.map(({ sql }) => sql) ?? answer.statusCode;
  };
  return {
    app,
    send,
    seen,
    async [Symbol.asyncDispose]() {
      await app.close();
      folder[Symbol.dispose]();
    },
  };
}

const warnings = ({ app }: Awaited<ReturnType<typeof start>>) =>
  app.lines
    .filter(({ level, plugin }) => level === 'warn' && plugin === 'auth-byot')
    .map(({ message }) => message)
    .filter((message) => message.startsWith('Row security'));

it('shows the entries of the organization that the token names, and no others', async () => {
  await using server = await start({ orgClaim: 'org.id' });
  expect(await server.seen({ tenant: 1, org: { id: 'acme' } })).toEqual(["SELECT 'acme'"]);
  expect(await server.seen({ tenant: 2, org: { id: 'evil' } })).toEqual(["SELECT 'evil'"]);
  expect(await server.seen({ tenant: 2, org: { id: 'ACME' } })).toEqual([]);
  expect(await server.seen({ tenant: 2, org: { id: 'null' } })).toEqual([]);
  expect(await server.seen({ tenant: 2, org: { id: "' OR 1=1 --" } })).toEqual([]);
  // The same organization, written by two clients of the identity provider.
  expect(await server.seen({ tenant: 2, org: { id: 1 } })).toEqual(["SELECT '1'"]);
  expect(await server.seen({ tenant: 2, org: { id: ['acme', 'evil'] } })).toBe(401);
  expect(warnings(server)).toEqual([]);
});

it('is closed when row security is on but tokens name no organization, and the start says why', async () => {
  await using server = await start({});
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/stats'],
    ['GET', '/export'],
    ['POST', '/retention/purge'],
  ] as const) {
    const answer = await server.send(method, path, { tenant: 1 });
    expect([path, answer.statusCode, answer.json<{ error: string }>().error]).toEqual([path, 403, 'forbidden']);
    expect(answer.json<{ message: string }>().message).toMatch(
      /names no organization \(claim "org_id"\).*SVC_AUTH_ORG_CLAIM/,
    );
  }
  expect(await server.seen({ tenant: 1, org_id: 'acme' })).toEqual(["SELECT 'acme'"]);
  expect(warnings(server)).toEqual([expect.stringMatching(/closed to administrators .* Set SVC_AUTH_ORG_CLAIM/)]);
});

it('is open without row security, to what belongs to no organization', async () => {
  await using server = await start({ withRows: false });
  expect(await server.seen({})).toEqual(["SELECT 'null'"]);
  expect(warnings(server)).toEqual([]);
});

it('refuses actors of the identity provider without an organization, and what belongs to one only', () => {
  const access = { right: 'admin', operation: 'GET /x', organizationData: 'The audit log' } as const;
  const actor = { id: 'ann', label: null, role: 'admin', mode: 'byot', claims: {} } as const;
  const refused = (scope: ReturnType<typeof testScope>, asked: Access = access) => {
    try {
      refuseUnknownOrganization(asked, scope, 'org_id');
    } catch (error) {
      return (error as AtlasError).reason;
    }
  };
  expect(refused(testScope({ actor, orgId: null }))).toBe('E_TENANT_UNKNOWN');
  expect(refused(testScope({ actor, orgId: 'acme' }))).toBeUndefined();
  expect(refused(testScope({ actor: { ...actor, mode: 'managed' }, orgId: null }))).toBeUndefined();
  const { organizationData: _, ...other } = access;
  expect(refused(testScope({ actor, orgId: null }), other)).toBeUndefined();
  expect(closedWarning(['tenant', 'ward'], 'org_id')).toContain('by "tenant", "ward", so');
});
