import { describe, expect, it } from 'vitest';
import { type Actor, authAuthorize, NOBODY, type Right, type Role } from '../../kernel/index.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { createTestApp, testScope } from '../../test/harness/create-test-app.ts';
import { authRoles } from './index.ts';

pluginContract('auth-roles', () => authRoles());

const actorOf = (role: string): Actor => ({ id: 'u', label: null, role: role as Role, mode: 'test', claims: {} });

/** What `auth.authorize` answers: `yes`, or the status that the refusal becomes. */
async function ask(right: string, actor: Actor): Promise<string> {
  await using app = await createTestApp({ plugins: [authRoles()], openGates: false });
  try {
    await app.call(authAuthorize, { right: right as Right, operation: 'GET /x' }, testScope({ actor }));
    return 'yes';
  } catch (error) {
    const { code, reason, message, hint } = error as { code: string; reason?: string; message: string; hint: string };
    expect(`${message} ${hint}`).toMatch(/^[A-Z].*\. [A-Z].*\.$/);
    return `${code} ${reason ?? ''}`.trim();
  }
}

const NO = 'auth_error E_ROLE_TOO_LOW';

describe('the table of rights', () => {
  it.each([
    ['viewer', 'yes', 'yes', NO, NO],
    ['analyst', 'yes', 'yes', 'yes', NO],
    ['admin', 'yes', 'yes', 'yes', 'yes'],
    // Nothing that only looks like a role.
    ['owner', NO, NO, NO, NO],
    ['Admin', NO, NO, NO, NO],
    ['', NO, NO, NO, NO],
    ['toString', NO, NO, NO, NO],
    ['__proto__', NO, NO, NO, NO],
  ])('%s', async (role, ...expected) => {
    const answers: string[] = [];
    for (const right of ['self', 'query', 'approve', 'admin']) answers.push(await ask(right, actorOf(role)));
    expect(answers).toEqual(expected);
  });

  it('gives an anonymous caller only what is public', async () => {
    for (const right of ['self', 'query', 'approve', 'admin', 'other'])
      expect(await ask(right, NOBODY)).toBe('auth_error');
    expect(await ask('public', NOBODY)).toBe('yes');
  });

  it('refuses a right that it does not know, even to an admin', async () => {
    for (const right of ['root', '', 'constructor', 'Query']) expect(await ask(right, actorOf('admin'))).toBe(NO);
  });

  it('takes an actor without an id', async () => {
    expect(await ask('self', { ...actorOf('admin'), id: null, mode: 'none' })).toBe('yes');
  });

  it('says which role it takes', async () => {
    await using app = await createTestApp({ plugins: [authRoles()], openGates: false });
    const call = async () =>
      app.call(authAuthorize, { right: 'approve', operation: 'POST /a' }, testScope({ actor: actorOf('viewer') }));
    await expect(call).rejects.toThrow('POST /a needs the role analyst; yours is viewer.');
  });
});
