import type { DBAdapter } from 'better-auth/adapters';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { getAuthTables } from 'better-auth/db';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '../../../test/harness/create-test-app.ts';
import type { Dialect } from '../../../test/harness/internal-databases.ts';
import { databases, SECRET } from '../../../test/harness/managed-server.ts';
import { authRoles } from '../../auth-roles/index.ts';
import { internalDb } from '../../internal-db/index.ts';
import { Bootstrap } from '../bootstrap.ts';
import { authManaged } from '../index.ts';
import { Passwords } from '../passwords/password-hashing.ts';
import { Store } from '../store.ts';
import { accountEndpoints } from './account-endpoints.ts';
import { knexAdapter } from './adapter.ts';
import { createBetterAuth } from './instance.ts';
import { organizationEndpoints } from './organization-endpoints.ts';
import { SessionCache } from './session-cache.ts';

const db = databases();
const log = { debug() {}, info() {}, warn() {}, error() {} };

/** An app with the tables, the store on its database, and the library as the plugin sets it up. */
async function open(dialect: Dialect) {
  const url = await db.url(dialect);
  const app = await createTestApp({ plugins: [internalDb({ url }), authRoles(), authManaged({ secret: SECRET })] });
  const store = new Store(app.get(internalDb));
  const passwords = new Passwords();
  const bootstrap = new Bootstrap({ store, passwords, adminEmail: undefined, production: false, log });
  const options = { secret: SECRET, trustedOrigins: [], corsOrigins: [], production: false, signUp: true };
  const library = createBetterAuth(
    { ...options, signInAfterSignUp: false },
    { store, passwords, sessionCache: new SessionCache(), bootstrap, log, admit: async () => {} },
  );
  return { app, store, library, adapter: knexAdapter(store)(library.options) as DBAdapter };
}

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour, 0, 0, 123));
const user = (id: string, more: object = {}) => ({
  id,
  name: id,
  email: `${id}@example.com`,
  emailVerified: false,
  createdAt: at(1),
  updatedAt: at(1),
  ...more,
});
/** In memory a field may be missing; a column never is. The time of an update is that of either. */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, name === 'updatedAt' ? null : filled(item)]),
  );
}

const PEOPLE = [
  user('ann', { role: 'admin', banned: false, createdAt: at(1), image: '100%_\\' }),
  user('bob', { role: 'analyst', banned: true, banExpires: at(5), createdAt: at(2), image: 'ABC' }),
  user('cid', { role: 'analyst', emailVerified: true, createdAt: at(3), image: 'abc' }),
  user('dan', { role: null, createdAt: at(4), name: "d'an", image: 'zz' }),
];

describe.each<Dialect>(['sqlite', 'postgres'])('the adapter on %s', (dialect) => {
  it('answers like the adapter of the library', async () => {
    const { app, library, adapter } = await open(dialect);
    await using _app = app;
    const tables = Object.values(getAuthTables(library.options)).map(({ modelName }) => [modelName, []]);
    const memory = memoryAdapter(Object.fromEntries(tables))(library.options) as DBAdapter;
    const both = async (work: (on: DBAdapter) => Promise<unknown>) => {
      const [given, expected] = [await work(adapter), await work(memory)];
      expect(filled(given), String(work)).toEqual(filled(expected));
      return given;
    };
    for (const data of PEOPLE) await both((on) => on.create({ model: 'user', data, forceAllowId: true }));

    const model = 'user';
    const wheres = [
      undefined,
      [{ field: 'id', value: 'ann' }],
      [{ field: 'email', value: 'ANN@example.com' }],
      [{ field: 'email', value: 'ANN@example.com', mode: 'insensitive' as const }],
      [{ field: 'name', value: "d'an" }],
      [{ field: 'role', value: null }],
      [{ field: 'role', value: null, operator: 'ne' as const }],
      [{ field: 'banned', value: true }],
      [{ field: 'emailVerified', value: false }],
      [{ field: 'createdAt', value: at(2), operator: 'gt' as const }],
      [{ field: 'createdAt', value: at(2), operator: 'gte' as const }],
      [{ field: 'createdAt', value: at(2), operator: 'lt' as const }],
      [{ field: 'createdAt', value: at(2), operator: 'lte' as const }],
      [{ field: 'id', value: ['ann', 'dan'], operator: 'in' as const }],
      [{ field: 'id', value: [] as string[], operator: 'in' as const }],
      [{ field: 'id', value: ['ann', 'dan'], operator: 'not_in' as const }],
      [{ field: 'name', value: 'a', operator: 'contains' as const }],
      [{ field: 'name', value: '%', operator: 'contains' as const }],
      [{ field: 'image', value: '%_\\', operator: 'contains' as const }],
      [{ field: 'image', value: 'ab', operator: 'starts_with' as const }],
      [{ field: 'image', value: 'BC', operator: 'ends_with' as const }],
      [{ field: 'image', value: 'longer than the value', operator: 'ends_with' as const }],
      [{ field: 'image', value: 'BC', operator: 'ends_with' as const, mode: 'insensitive' as const }],
      [
        { field: 'role', value: 'analyst' },
        { field: 'banned', value: true },
      ],
      [
        { field: 'id', value: 'ann', connector: 'OR' as const },
        { field: 'id', value: 'dan', connector: 'OR' as const },
      ],
    ];
    for (const where of wheres) {
      const sortBy = { field: 'id', direction: 'asc' as const };
      await both((on) => on.findMany({ model, sortBy, ...(where && { where }) }));
      await both((on) => on.count({ model, ...(where && { where }) }));
    }
    // In memory two dates are never the same.
    expect(await adapter.count({ model, where: [{ field: 'createdAt', value: at(2) }] })).toBe(1);
    const id = (value: string) => [{ field: 'id', value }];
    await both((on) => on.findMany({ model, limit: 2, offset: 1, sortBy: { field: 'createdAt', direction: 'desc' } }));
    await both((on) => on.findOne({ model, where: id('bob'), select: ['email', 'banned'] }));
    expect(await both((on) => on.findOne({ model, where: id('nobody') }))).toBeNull();
    const updated = { name: 'Bob', banned: false, banExpires: null, image: null };
    expect(await both((on) => on.update({ model, where: id('bob'), update: updated }))).toMatchObject(updated);
    expect(await both((on) => on.update({ model, where: id('nobody'), update: { name: 'x' } }))).toBeNull();
    await both((on) =>
      on.updateMany({ model, where: [{ field: 'role', value: 'analyst' }], update: { role: 'viewer' } }),
    );
    await both((on) => on.delete({ model, where: id('ann') }));
    await both((on) => on.deleteMany({ model, where: [{ field: 'role', value: 'viewer' }] }));
    expect(await both((on) => on.findMany({ model }))).toHaveLength(1);

    const session = { id: 's', token: 't', userId: 'dan', expiresAt: at(9), createdAt: at(1), updatedAt: at(1) };
    for (const on of [adapter, memory]) await on.create({ model: 'session', data: session, forceAllowId: true });
    const joined = await both((on) =>
      on.findOne({ model: 'session', where: [{ field: 'token', value: 't' }], join: { user: true } }),
    );
    expect(joined).toMatchObject({ user: { email: 'dan@example.com' } });
    expect((joined as { expiresAt: unknown }).expiresAt).toEqual(at(9));
  });

  it('does not store the token of a social provider', async () => {
    const { app, adapter, library } = await open(dialect);
    await using _app = app;
    const { internalAdapter } = await library.$context;
    await adapter.create({ model: 'user', data: user('ann'), forceAllowId: true });
    const tokens = { accessToken: 'access', refreshToken: 'refresh', idToken: 'identity' };
    const none = { accessToken: null, refreshToken: null, idToken: null };
    const linked = await internalAdapter.linkAccount({
      userId: 'ann',
      providerId: 'google',
      accountId: '1',
      ...tokens,
    });
    expect(await adapter.findMany({ model: 'account' })).toMatchObject([{ ...none, providerId: 'google' }]);
    await internalAdapter.updateAccount(String(linked?.id), { ...tokens, scope: 'email' });
    expect(await adapter.findMany({ model: 'account' })).toMatchObject([{ ...none, scope: 'email' }]);
  });

  it('commits all of a transaction, or nothing', async () => {
    const { app, adapter } = await open(dialect);
    await using _app = app;
    const count = () => adapter.count({ model: 'user' });
    const failing = adapter.transaction(async (trx) => {
      await trx.create({ model: 'user', data: user('ann'), forceAllowId: true });
      await adapter.transaction(async () => adapter.create({ model: 'user', data: user('bob'), forceAllowId: true }));
      expect(await trx.count({ model: 'user' })).toBe(2);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await count()).toBe(0);
    await adapter.transaction((trx) => trx.create({ model: 'user', data: user('ann'), forceAllowId: true }));
    expect(await count()).toBe(1);
  });

  it('gives a single-use row to one of several concurrent callers', async () => {
    const { app, adapter } = await open(dialect);
    await using _app = app;
    const where = [{ field: 'identifier', value: 'reset' }];
    for (const value of ['one', 'two']) {
      await adapter.create({
        model: 'verification',
        data: { identifier: 'reset', value, expiresAt: new Date(Date.UTC(2100, 0)) },
      });
    }
    const taken = await Promise.all(
      Array.from({ length: 6 }, () => adapter.consumeOne<{ value: string }>({ model: 'verification', where })),
    );
    const values = taken.flatMap((row) => (row === null ? [] : [row.value]));
    // Two who chose the same row: one of them may leave with nothing, never both with it.
    expect(new Set(values).size).toBe(values.length);
    expect(values.length + (await adapter.count({ model: 'verification' }))).toBe(2);
    expect(values.length).toBeGreaterThan(0);
  });

  it('has the columns that the library expects', async () => {
    const { app, store, library } = await open(dialect);
    await using _app = app;
    for (const { modelName, fields } of Object.values(getAuthTables(library.options))) {
      const columns = await store.run((knex) => knex(modelName).columnInfo());
      const expected = Object.entries(fields).map(([name, field]) => [
        field.fieldName ?? name,
        field.required !== false,
      ]);
      const names = new Set(['id', ...expected.map(([name]) => name)]);
      // The library knows nothing of our own columns, so it must be able to leave them out.
      const own = Object.entries(columns).flatMap(([name, { nullable }]) =>
        names.has(name) || nullable ? [] : [name],
      );
      expect(own, modelName).toEqual([]);
      const actual = Object.entries(columns).flatMap(([name, { nullable }]) =>
        names.has(name) ? [[name, !nullable]] : [],
      );
      expect(Object.fromEntries(actual), modelName).toEqual({ ...Object.fromEntries(expected), id: true });
    }
  });
});

it('mounts every existing endpoint except those that are listed', async () => {
  const { app, library } = await open('sqlite');
  await using _app = app;
  const mounted = [...accountEndpoints, ...organizationEndpoints].map(({ method, path }) => `${method} ${path}`);
  const endpoints = Object.values(library.api) as unknown as {
    path?: string;
    options: { method: string | string[] };
  }[];
  const offered = endpoints.flatMap(({ path, options }) => {
    return path === undefined ? [] : [options.method].flat().map((method) => `${method} ${path}`);
  });
  expect(mounted.filter((one) => !offered.includes(one))).toEqual([]);
  const out = offered.filter((one) => !mounted.includes(one) && !one.includes(' /admin/'));
  expect(out.sort()).toEqual(
    [
      // Addresses are proven by a reply to a mail only where they are changed.
      'GET /verify-email',
      'POST /send-verification-email',
      // Atlas has its own, with its own rules.
      'GET /reset-password/:token',
      'POST /change-email',
      'POST /request-password-reset',
      'POST /reset-password',
      'GET /delete-user/callback',
      'POST /change-password',
      'POST /delete-user',
      'POST /verify-password',
      // Tokens of social providers stay on the server.
      'GET /account-info',
      'POST /get-access-token',
      'POST /refresh-token',
      // Nothing of a session is for its user to change, and no configured provider posts.
      'POST /callback/:id',
      'POST /get-session',
      'POST /update-session',
    ].sort(),
  );
});
