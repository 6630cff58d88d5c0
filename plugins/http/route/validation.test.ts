import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { definePlugin, httpRoutes, type Route } from '../../../kernel/index.ts';
import { createTestApp } from '../../../test/harness/create-test-app.ts';
import { http } from '../index.ts';

const shared = { summary: 'A route.', tag: 'Test', right: 'public', responses: { 200: Type.Unknown() } } as const;
const ROUTES: Route[] = [
  { ...shared, method: 'POST', path: '/free', handle: ({ body }) => ({ body: { body } }) },
  {
    ...shared,
    method: 'POST',
    path: '/reason',
    body: Type.Object({ reason: Type.Optional(Type.String()) }, { default: {} }),
    handle: ({ body }) => ({ body: { body } }),
  },
  {
    ...shared,
    method: 'GET',
    path: '/since',
    query: Type.Object({ at: Type.String({ format: 'date-time' }) }),
    handle: ({ query }) => ({ body: query }),
  },
];

const start = () =>
  createTestApp({
    plugins: [
      http({ port: 0 }),
      definePlugin({
        name: 'test-routes',
        version: '1.0.0',
        type: 'interaction',
        description: 'Routes.',
        setup: (ctx) => ctx.tap(httpRoutes, () => ROUTES),
      })(),
    ],
  });

const post = (url: string, payload: string) => ({
  method: 'POST' as const,
  url,
  payload,
  headers: { 'content-type': 'application/json' },
});

it.each([
  ['"\\u0000"', ''],
  ['{"name":"a\\u0000b"}', 'name'],
  ['{"list":[{"of":["a","\\u0000"]}]}', 'list.0.of.1'],
  ['{"a\\u0000":1}', 'a\\u0000'],
])('takes no null character: %s', async (body, path) => {
  await using app = await start();
  const answer = await app.inject(post('/free', body));
  expect([answer.statusCode, answer.json()]).toMatchObject([
    422,
    { error: 'validation_error', details: [{ path, message: 'must not hold a null character' }] },
  ]);
});

it('takes a backslash before four zeros', async () => {
  await using app = await start();
  const text = { a: 'C:\\u0000' };
  expect((await app.inject(post('/free', JSON.stringify(text)))).json()).toEqual({ body: text });
});

it('takes no body that is nested deeper than code can follow', async () => {
  await using app = await start();
  const deep = (levels: number) => `${'{"a":['.repeat(levels / 2)}"[{\\"[{"${']}'.repeat(levels / 2)}`;
  expect((await app.inject(post('/free', deep(100)))).statusCode).toBe(200);
  for (const levels of [102, 200_000]) {
    const answer = await app.inject(post('/free', deep(levels)));
    expect([answer.statusCode, answer.json()]).toMatchObject([
      422,
      { error: 'validation_error', message: 'The request body is nested more than 100 levels deep.' },
    ]);
  }
});

it.each(['[]', '[1]', '"x"', '5', 'null'])('takes no %s for an object, though it may be left out', async (body) => {
  await using app = await start();
  const answer = await app.inject(post('/reason', body));
  expect([answer.statusCode, answer.json()]).toMatchObject([
    422,
    { message: 'The request body must be an object.', details: [{ path: '', message: 'must be an object' }] },
  ]);
  expect((await app.inject({ method: 'POST', url: '/reason' })).json()).toEqual({ body: {} });
});

it.each([
  ['2026-01-31T00:00:00Z', 200],
  ['2024-02-29T23:59:59.5+14:00', 200],
  ['2026-02-30T00:00:00Z', 400],
  ['2026-02-29T00:00:00+01:00', 400],
  ['2026-04-31T00:00Z', 400],
  ['2026-13-01T00:00:00Z', 400],
  ['2026-00-10T00:00:00Z', 400],
])('answers the time %s with %i', async (at, status) => {
  await using app = await start();
  expect((await app.inject({ method: 'GET', url: `/since?at=${encodeURIComponent(at)}` })).statusCode).toBe(status);
});
