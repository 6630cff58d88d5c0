import type { TObject, TSchema } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { accountEndpoints } from './account-endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import { organizationEndpoints } from './organization-endpoints.ts';
import { checkAddresses, libraryRequest } from './request.ts';

const endpoints = [...accountEndpoints, ...organizationEndpoints];
const request = (body: unknown, query: unknown = {}) => ({
  params: { id: 'google' },
  query: query as Record<string, unknown>,
  body,
  rawBody: undefined,
  headers: {},
  ip: '127.0.0.1',
});

function namesOf(schema: TSchema | undefined): string[] {
  return Object.keys((schema as TObject | undefined)?.properties ?? {});
}

it.each(endpoints.map((endpoint): [string, Endpoint] => [endpoint.path, endpoint]))(
  '%s takes what it declares, and hands nothing else on',
  async (_path, endpoint) => {
    const undeclared =
      '{"idToken":{"token":"x"},"userId":"x","teamId":"x","dontRememberMe":true,"__proto__":{"role":"admin"}}';
    const sent = libraryRequest(endpoint, request(JSON.parse(undeclared), { ...JSON.parse(undeclared), sortBy: 'x' }));
    const declared = namesOf(endpoint.query);
    expect([...new URL(sent.url).searchParams.keys()].filter((name) => !declared.includes(name))).toEqual([]);
    if (endpoint.method === 'GET') return;
    const text = await sent.text();
    expect(text).not.toContain('__proto__');
    expect(Object.keys(JSON.parse(text)).filter((name) => !namesOf(endpoint.body).includes(name))).toEqual([]);
  },
);

it('keeps declared properties, at every declared depth', async () => {
  const update = endpoints.find(({ path }) => path === '/organization/update') as Endpoint;
  const data = { name: 'Acme', metadata: { plan: { seats: 3 } } };
  const sent = libraryRequest(update, request({ organizationId: 'a', data: { ...data, createdAt: 'x' }, userId: 'b' }));
  expect(await sent.json()).toEqual({ organizationId: 'a', data });
});

it.each(['callbackURL', 'newUserCallbackURL', 'errorCallbackURL'])(
  '%s accepts only what a header can carry',
  (name) => {
    for (const address of ['/straße', '/日本', '/a b', '/a\r\nset-cookie: a=b', '/\u0000', '/\u007f', '/é']) {
      expect(() => checkAddresses({ [name]: address }), address).toThrow(new RegExp(`^${name} must be a URL in ASCII`));
    }
    for (const address of ['/stra%C3%9Fe?a=b#c', 'https://xn--bcher-kva.example/~a', undefined]) {
      expect(() => checkAddresses({ [name]: address })).not.toThrow();
    }
  },
);

it('cuts a long user agent', () => {
  const signIn = endpoints.find(({ path }) => path === '/sign-in/email') as Endpoint;
  const sent = libraryRequest(signIn, { ...request({}), headers: { 'user-agent': 'x'.repeat(10_000) } });
  expect(sent.headers.get('user-agent')).toHaveLength(1_024);
});
