import { expect, it } from 'vitest';
import { AtlasError, type Logger } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { databases, SECRET } from '../../test/harness/managed-server.ts';
import { authRoles } from '../auth-roles/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { createBetterAuth } from './better-auth/instance.ts';
import { SessionCache } from './better-auth/session-cache.ts';
import { Bootstrap } from './bootstrap.ts';
import { authManaged } from './index.ts';
import { Passwords } from './passwords/password-hashing.ts';
import { Store } from './store.ts';

const db = databases();
const log: Logger = { debug() {}, info() {}, warn() {}, error() {} };

it('asks other plugins before it takes an identity of a social provider', async () => {
  const url = await db.url('sqlite');
  await using app = await createTestApp({
    plugins: [internalDb({ url }), authRoles(), authManaged({ secret: SECRET })],
  });
  const store = new Store(app.get(internalDb));
  const passwords = new Passwords();
  const bootstrap = new Bootstrap({ store, passwords, adminEmail: undefined, production: false, log });
  const asked: unknown[] = [];
  const options = { secret: SECRET, trustedOrigins: [], corsOrigins: [], production: false, signUp: true };
  const library = createBetterAuth(
    { ...options, signInAfterSignUp: false },
    {
      store,
      passwords,
      bootstrap,
      log,
      sessionCache: new SessionCache(),
      async admit(attempt) {
        asked.push(attempt);
        if (attempt.email.endsWith('@closed.test')) {
          throw new AtlasError('Use the provider of your organization.', {
            code: 'forbidden',
            libraryCode: 'SSO_REQUIRED',
          });
        }
      },
    },
  );
  const check = library.options.user?.validateUserInfo;
  const identity = (method: string, email: string, id?: string) =>
    check?.(
      {
        user: { email, ...(id !== undefined && { id }) },
        source: { action: 'sign-in', method, oauth: { providerId: 'google' } },
      },
      {} as never,
    );
  expect(await identity('oauth', 'Ann@Closed.test', 'u1')).toEqual({
    error: 'SSO_REQUIRED',
    errorDescription: 'Use the provider of your organization.',
  });
  expect(await identity('oauth', 'ann@open.test')).toBeUndefined();
  expect(await identity('sso-oidc', 'ann@closed.test')).toBeUndefined();
  expect(asked).toEqual([
    { by: 'social', email: 'ann@closed.test', userId: 'u1' },
    { by: 'social', email: 'ann@open.test', userId: undefined },
  ]);
});
