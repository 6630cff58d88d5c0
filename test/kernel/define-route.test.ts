import { expect, expectTypeOf, it } from 'vitest';
import { definePlugin, defineRoute, httpRoutes, Type } from '../../kernel/index.ts';
import { http } from '../../plugins/http/index.ts';
import { createTestApp } from '../harness/create-test-app.ts';

const common = { summary: 'A route.', tag: 'Test', right: 'public', responses: { 200: Type.Unknown() } } as const;

const typed = defineRoute({
  ...common,
  method: 'PUT',
  path: '/items/:id',
  params: Type.Object({ id: Type.String() }),
  query: Type.Object({ limit: Type.Integer({ default: 20 }), starred: Type.Optional(Type.Boolean()) }),
  body: Type.Object({ name: Type.String() }),
  handle({ params, query, body }) {
    expectTypeOf(params.id).toEqualTypeOf<string>();
    expectTypeOf(query.limit).toEqualTypeOf<number>();
    expectTypeOf(body.name).toEqualTypeOf<string>();
    // @ts-expect-error the schema has no such field
    return { body: { name: body.name, next: query.limit + 1, id: params.id, title: body.title } };
  },
});

const untyped = defineRoute({
  ...common,
  method: 'POST',
  path: '/plain/:id',
  handle({ params, query, body }) {
    expectTypeOf(params).toEqualTypeOf<Readonly<Record<string, string>>>();
    expectTypeOf(query).toEqualTypeOf<Readonly<Record<string, unknown>>>();
    expectTypeOf(body).toEqualTypeOf<unknown>();
    return { body: { id: params.id } };
  },
});

it('gives a handler what its schemas say, checked and with defaults', async () => {
  const routes = definePlugin({
    name: 'test-routes',
    version: '1.0.0',
    type: 'interaction',
    description: 'Routes.',
    setup: (ctx) => ctx.tap(httpRoutes, () => [typed, untyped]),
  });
  await using app = await createTestApp({ plugins: [http({ listen: false }), routes()] });
  const put = await app.inject({ method: 'PUT', url: '/items/7', payload: { name: 'a' } });
  expect(put.json()).toEqual({ id: '7', name: 'a', next: 21 });
  expect((await app.inject({ method: 'PUT', url: '/items/7', payload: {} })).statusCode).toBe(422);
  expect((await app.inject({ method: 'POST', url: '/plain/7' })).json()).toEqual({ id: '7' });
});
