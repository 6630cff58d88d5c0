import { expect, it, vi } from 'vitest';
import { Client, databases, PASSWORD, startServer, userOf } from '../../../test/harness/managed-server.ts';
import { http } from '../../http/index.ts';

vi.unmock('better-auth/crypto');

const db = databases();

/** Runs all at once; resolves to what was settled, in that order. */
async function inOrder(asked: Readonly<Record<string, Promise<{ status: number }>>>) {
  const order: { name: string; status: number }[] = [];
  await Promise.all(
    Object.entries(asked).map(async ([name, answer]) => order.push({ name, status: (await answer).status })),
  );
  return order;
}

const named = <T>(count: number, name: string, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name} ${index}`, make(index)]));

it('a flood of sign-ups does not delay sign-ins and password changes', async () => {
  await using server = await startServer(await db.url('sqlite'));
  const boss = await userOf(server, 'boss@example.com');
  const flood = named(260, 'sign-up', (index) => new Client(server).signUp(`u${index}@example.com`));
  const order = await inOrder({
    ...flood,
    'sign-in': new Client(server).signIn('boss@example.com'),
    password: boss.send('/api/v1/admin/me/password', {
      body: { currentPassword: PASSWORD, newPassword: 'another password' },
    }),
  });
  const signedUp = order.filter(({ name, status }) => name.startsWith('sign-up') && status === 200);
  expect(signedUp.length).toBeGreaterThan(50);
  expect(signedUp.length).toBeLessThanOrEqual(101);
  const others = order.filter(({ status }) => status !== 200);
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([429]));
  // Each waits for what was hashed when it came, and for nothing of the rest.
  for (const name of ['sign-in', 'password']) {
    const at = order.findIndex((one) => one.name === name);
    expect([name, order[at]?.status]).toEqual([name, 200]);
    const before = order
      .slice(0, at)
      .filter(({ status, name: other }) => status === 200 && other.startsWith('sign-up'));
    expect([name, before.length]).toEqual([name, expect.toSatisfy((count: number) => count < 25)]);
  }
});

it('a flood of wrong sign-ins does not delay the administrator, even from the same address', async () => {
  await using server = await startServer(await db.url('sqlite'));
  await userOf(server, 'boss@example.com');
  const flood = named(120, 'wrong', (index) => new Client(server).signIn(`u${index}@example.com`, 'wrong password'));
  const order = await inOrder({ ...flood, right: new Client(server).signIn('boss@example.com') });
  const at = order.findIndex(({ name }) => name === 'right');
  expect(order[at]?.status).toBe(200);
  expect(order.slice(0, at).filter(({ status }) => status === 401).length).toBeLessThan(25);
  const refused = order.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect((await new Client(server).signIn('boss@example.com')).status).toBe(200);
  const late = await new Client(server).signIn('somebody@example.com', 'wrong password');
  expect([late.status, Number(late.headers.get('retry-after'))]).toEqual([429, expect.toSatisfy((s: number) => s > 0)]);
});

it('sign-ups are counted for an e-mail address from one address, and not against others', async () => {
  await using server = await startServer(await db.url('sqlite'), {}, [], { trustProxy: true });
  const signUpFrom = async (ip: string, email: string) => {
    const { statusCode } = await server.get(http).inject({
      method: 'POST',
      url: '/api/auth/sign-up/email',
      headers: { 'x-forwarded-for': ip },
      payload: { email, password: PASSWORD, name: 'Somebody' },
    });
    return statusCode;
  };
  const same = await Promise.all(
    Array.from({ length: 12 }, (_, index) => signUpFrom(`2001:db8::${index}`, 'ann@example.com')),
  );
  expect(same.filter((status) => status === 429)).toHaveLength(2);
  expect(await signUpFrom('2001:db8::1', 'bob@example.com')).toBe(200);
  expect(await signUpFrom('2001:db8:0:1::1', 'ann@example.com')).toBe(200);
});
