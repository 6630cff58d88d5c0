import { createAuthClient } from 'better-auth/client';
import { organizationClient } from 'better-auth/client/plugins';
import { expect, it } from 'vitest';
import { databases, PASSWORD, startServer } from '../../../test/harness/managed-server.ts';

const db = databases();

/** The library's own client, with a browser's memory for cookies. */
function clientOf(baseURL: string) {
  const cookies = new Map<string, string>();
  const customFetchImpl: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    if (cookies.size > 0) headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '));
    const response = await fetch(input, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return createAuthClient({ baseURL, plugins: [organizationClient()], fetchOptions: { customFetchImpl } });
}

const account = (name: string) => ({ name, email: `${name}@example.com`, password: PASSWORD });

/** What a call answered; an error fails the test. */
function given<T>({ data, error }: { data: T | null; error: unknown }): T {
  expect(error).toBeNull();
  return data as T;
}

it("works with the authentication library's client", async () => {
  await using server = await startServer(await db.url('sqlite'));
  const ann = clientOf(server.url);
  const bob = clientOf(server.url);
  expect(given(await ann.signUp.email(account('ann'))).user.email).toBe('ann@example.com');
  given(await bob.signUp.email(account('bob')));
  expect((await ann.getSession()).data).toBeNull();
  given(await ann.signIn.email(account('ann')));
  given(await bob.signIn.email(account('bob')));
  expect(given(await ann.getSession()).user).toMatchObject({ name: 'ann', role: 'admin' });
  given(await ann.updateUser({ name: 'Ann B.' }));
  expect(given(await ann.getSession()).user.name).toBe('Ann B.');

  const { id } = given(await ann.organization.create({ name: 'Acme', slug: 'acme' }));
  const invitation = given(await ann.organization.inviteMember({ email: 'bob@example.com', role: 'member' }));
  given(await bob.organization.acceptInvitation({ invitationId: invitation.id }));
  expect(given(await bob.organization.list()).map(({ slug }) => slug)).toEqual(['acme']);
  given(await bob.organization.setActive({ organizationId: id }));
  expect(given(await bob.getSession()).session.activeOrganizationId).toBe(id);
  expect(given(await ann.organization.getFullOrganization()).members).toHaveLength(2);
  given(await ann.organization.removeMember({ memberIdOrEmail: 'bob@example.com' }));
  expect(given(await bob.organization.list())).toEqual([]);

  const phone = clientOf(server.url);
  given(await phone.signIn.email(account('ann')));
  const own = given(await ann.getSession()).session.id;
  const other = given(await ann.listSessions()).find((session) => session.id !== own);
  given(await ann.revokeSession({ token: other?.token ?? '' }));
  expect((await phone.getSession()).data).toBeNull();
  given(await ann.revokeOtherSessions());
  expect(given(await ann.getSession()).session.id).toBe(own);
  given(await ann.signOut());
  expect((await ann.getSession()).data).toBeNull();
});

it('works with a session token instead of cookies', async () => {
  await using server = await startServer(await db.url('sqlite'));
  let token = '';
  const client = createAuthClient({
    baseURL: server.url,
    fetchOptions: {
      auth: { type: 'Bearer', token: () => token },
      onSuccess: ({ response }) => {
        token = response.headers.get('set-auth-token') ?? token;
      },
    },
  });
  given(await client.signUp.email(account('ben')));
  given(await client.signIn.email(account('ben')));
  expect(given(await client.getSession()).user.name).toBe('ben');
  const authorization = `Bearer ${token}`;
  expect((await fetch(`${server.url}/api/v1/whoami`, { headers: { authorization } })).status).toBe(200);
  given(await client.signOut());
  expect((await client.getSession()).data).toBeNull();
});

it("reports errors to the library's client with the codes that it knows", async () => {
  await using server = await startServer(await db.url('sqlite'));
  const client = clientOf(server.url);
  given(await client.signUp.email(account('ann')));
  const wrong = await client.signIn.email({ ...account('ann'), password: 'wrong password' });
  const message = expect.stringMatching(/[.]$/);
  expect(wrong.error).toMatchObject({ status: 401, code: 'INVALID_EMAIL_OR_PASSWORD', error: 'auth_error', message });
  const short = await client.signUp.email({ ...account('bob'), password: 'short' });
  expect(short.error).toMatchObject({ status: 422, code: 'PASSWORD_TOO_SHORT', message });
  const foreign = await client.signIn.email({ ...account('ann'), callbackURL: 'https://evil.example/' });
  expect(foreign.error).toMatchObject({ status: 403, code: 'INVALID_CALLBACK_URL', message });
  given(await client.signIn.email(account('ann')));
  const missing = await client.organization.acceptInvitation({ invitationId: 'none' });
  expect(missing.error).toMatchObject({ status: 404, code: 'INVITATION_NOT_FOUND', message });
});
