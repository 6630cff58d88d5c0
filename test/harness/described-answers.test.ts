/** The check of all answers: what it finds, and that it sees the servers of tests. */
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { definePlugin, httpRoutes, type Route } from '../../kernel/index.ts';
import { http } from '../../plugins/http/index.ts';
import { takeFaults } from './check-answers.ts';
import { createTestApp } from './create-test-app.ts';
import { describedBy, type Exchange } from './described-answers.ts';

const error = {
  type: 'object',
  required: ['error', 'message'],
  properties: { error: { enum: ['not_found'] }, message: {} },
};
const document = {
  paths: {
    '/items/{id}': {
      put: {
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }],
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
            },
          },
        },
        responses: {
          200: {
            headers: { 'x-request-id': {} },
            content: {
              'application/json': {
                schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
              },
              'text/csv': { schema: { type: 'string' } },
            },
          },
          204: {},
          401: {
            headers: { 'WWW-Authenticate': {} },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        },
      },
    },
  },
  components: { schemas: { Error: error } },
};

const good: Exchange = {
  method: 'PUT',
  path: '/items/{id}',
  request: { params: { id: 'a' }, query: { limit: '100' }, body: { name: 'a' } },
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r' },
  body: '{"id":"a"}',
};

describe('a described answer', () => {
  const check = describedBy(document);
  const missing = { error: 'not_found', message: 'There is nothing.' };

  it.each<[string, Partial<Exchange>]>([
    ['JSON', {}],
    ['text of another media type', { headers: { ...good.headers, 'content-type': 'text/csv' }, body: 'a,b' }],
    ['nothing', { status: 204, body: '' }],
    ['a body that was not seen', { body: undefined }],
    [
      'an error',
      { status: 401, headers: { ...good.headers, 'www-authenticate': 'Bearer' }, body: JSON.stringify(missing) },
    ],
    ['an unknown address', { path: undefined, status: 404, body: JSON.stringify(missing) }],
    [
      'a refused request that is not valid',
      {
        status: 401,
        headers: { ...good.headers, 'www-authenticate': 'x' },
        request: { ...good.request, query: { limit: 'x' } },
        body: JSON.stringify(missing),
      },
    ],
    ['a preflight', { method: 'OPTIONS', path: '/nothing', status: 204, body: '' }],
  ])('%s', (_, part) => {
    expect(check({ ...good, ...part })).toEqual([]);
  });

  it.each<[string, Partial<Exchange>, RegExp]>([
    ['another status', { status: 418 }, /^the status 418 is not described \(200, 204, 401\)$/],
    ['another type', { body: '{"id":1}' }, /^the body does not match: \/id must be string/],
    ['a missing field', { body: '{}' }, /must have required property 'id'/],
    ['a field that is not described', { body: '{"id":"a","secret":1}' }, /unevaluated properties \(secret\)/],
    ['a body where there is none', { status: 204, body: '{}' }, /^a body came where none is described/],
    [
      'another media type',
      { headers: { ...good.headers, 'content-type': 'text/html' } },
      /^the content type "text\/html"/,
    ],
    [
      'no challenge',
      { status: 401, body: '{"error":"not_found","message":""}' },
      /^the header WWW-Authenticate is missing/,
    ],
    ['no request id', { headers: { 'content-type': 'application/json' } }, /^the header x-request-id is missing/],
    ['an error of another form', { path: undefined, status: 404, body: '{}' }, /^the error does not match/],
    [
      'an error that is not JSON',
      { path: undefined, status: 404, headers: {}, body: 'x' },
      /^an error 404 is not JSON/,
    ],
    [
      'a parameter out of bounds',
      { request: { ...good.request, query: { limit: '101' } } },
      /limit was taken although/,
    ],
    [
      'a body that breaks its schema',
      { request: { ...good.request, body: {} } },
      /^the request body was taken although/,
    ],
  ])('is not %s', (_, part, fault) => {
    expect(check({ ...good, ...part })).toEqual([expect.stringMatching(fault)]);
  });
});

/** Has the name of a plugin whose routes are described. */
const routes = definePlugin({
  name: 'usage',
  version: '1.0.0',
  type: 'core',
  description: 'Routes.',
  setup(ctx) {
    const route = (path: string, body: unknown): Route => ({
      method: 'GET',
      path,
      summary: path,
      tag: 'Test',
      right: 'public',
      responses: { 200: Type.Object({ id: Type.String() }) },
      handle: () => ({ body }),
    });
    ctx.tap(httpRoutes, () => [route('/right/:id', { id: 'a' }), route('/wrong/:id', { id: 1 })]);
  },
});

it('sees what a server of a test answers, with and without a socket', async () => {
  await using app = await createTestApp({ plugins: [http({ port: 0 }), routes()] });
  await app.inject({ method: 'GET', url: '/right/a' });
  await app.inject({ method: 'GET', url: '/nothing' });
  expect(takeFaults()).toEqual([]);
  await app.inject({ method: 'GET', url: '/wrong/a?b=c' });
  await (await fetch(`${app.get(http).url()}/wrong/b`)).text();
  expect(takeFaults()).toEqual([
    expect.stringMatching(/^GET \/wrong\/a\?b=c 200: the body does not match: \/id must be string/),
    expect.stringMatching(/^GET \/wrong\/b 200: /),
  ]);
});
