import { Validator } from '@seriousme/openapi-schema-validator';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { definePlugin, httpRoutes, override, type PluginEntry, type Route } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { type Agent, agent } from '../agent/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { health } from '../health/index.ts';
import { http } from '../http/index.ts';
import { queryApi } from '../query-api/index.ts';
import { openapi } from './index.ts';

interface Operation {
  operationId: string;
  security: object[];
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: { required: string[]; properties: object } }> };
  responses: Record<string, { description: string; headers: object; content?: Record<string, { schema: unknown }> }>;
}
interface Document {
  openapi: string;
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Record<string, unknown>>; securitySchemes: object };
}

const items: Route = {
  method: 'PUT',
  path: '/api/v1/items/:itemId/notes/:note',
  summary: 'A route.',
  tag: 'Items',
  right: 'admin',
  params: Type.Object({ itemId: Type.String({ format: 'uuid' }) }, { $id: 'Params' }),
  query: Type.Object({
    limit: Type.Integer({ default: 20, maximum: 100 }),
    to: Type.String({ description: 'Until.' }),
  }),
  body: Type.Object(
    { a: Type.String({ errorMessage: 'must be there' }), b: Type.Integer({ default: 7 }) },
    { $id: 'Body' },
  ),
  responses: { 200: Type.Object({ ok: Type.Boolean() }), 204: Type.Null() },
  errors: ['conflict', 'not_found', 'not_available'],
  handle: () => ({ status: 204 }),
};

const routes = definePlugin({
  name: 'test-routes',
  version: '1.0.0',
  type: 'interaction',
  description: 'Routes.',
  setup: (ctx) => ctx.tap(httpRoutes, () => [items]),
});

const idle: Agent = {
  runStatement: () => Promise.reject(new Error('not asked')),
  requestTimeoutMs: 60_000,
  ask: async function* () {},
  answer: () => Promise.reject(new Error('not asked')),
};

async function ask(...plugins: PluginEntry[]) {
  await using app = await createTestApp({
    plugins: [http({ port: 0 }), openapi(), health(), queryApi(), routes(), ...plugins],
    overrides: [override(agent, idle)],
  });
  return await app.inject({ method: 'GET', url: '/api/v1/openapi.json' });
}

async function read(...plugins: PluginEntry[]): Promise<Document> {
  const response = await ask(...plugins);
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  return response.json<Document>();
}

describe('the OpenAPI document', () => {
  it('passes a public validator of OpenAPI 3.1', async () => {
    const document = await read();
    const result = await new Validator().validate(structuredClone({ ...document }));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(document.openapi).toBe('3.1.0');
  });

  it('lists every mounted route once, under a unique name', async () => {
    const { paths } = await read();
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    );
    expect(found.sort()).toEqual([
      'get /api/health getHealth',
      'get /api/health/live getLiveness',
      'get /api/health/ready getReadiness',
      'get /api/v1/openapi.json getOpenApi',
      'post /api/chat chat',
      'post /api/v1/chat chatV1',
      'post /api/v1/query askQuestion',
      'post /api/v1/sql runSql',
      'put /api/v1/items/{itemId}/notes/{note} putApiV1ItemsItemIdNotesNote',
    ]);
  });

  it('describes parameters, body and answers with the schemas that validate', async () => {
    const document = await read();
    const operation = document.paths['/api/v1/items/{itemId}/notes/{note}']?.put as Operation;
    expect(operation.parameters).toEqual([
      { name: 'itemId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
      { name: 'note', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', default: 20, maximum: 100 } },
      { name: 'to', in: 'query', required: true, description: 'Until.', schema: { type: 'string' } },
    ]);
    expect(operation.requestBody?.content['application/json']?.schema).toEqual({
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' }, b: { type: 'integer', default: 7 } },
    });
    expect(operation.responses['204']?.content).toBeUndefined();
    expect(document.paths['/api/chat']?.post?.responses['200']?.content).toHaveProperty('text/event-stream');
    expect(JSON.stringify(document)).not.toMatch(/\$id|errorMessage/);
  });

  it('lists the errors of each route by status', async () => {
    const { paths } = await read();
    const errors = (path: string, method: string) => {
      const responses = paths[path]?.[method]?.responses ?? {};
      return Object.fromEntries(
        Object.entries(responses)
          .filter(([status]) => Number(status) >= 400)
          .map(([status, { description }]) => [status, [...description.matchAll(/`(\w+)`/g)].map((match) => match[1])]),
      );
    };
    expect(errors('/api/v1/items/{itemId}/notes/{note}', 'put')).toEqual({
      400: ['invalid_request'],
      401: ['auth_error'],
      403: ['auth_error'],
      404: ['not_found', 'not_available'],
      409: ['conflict'],
      413: ['payload_too_large'],
      415: ['unsupported_media_type'],
      422: ['validation_error'],
      429: ['rate_limited'],
      500: ['internal_error'],
      503: ['overloaded', 'unavailable'],
    });
    expect(Object.keys(errors('/api/v1/query', 'post'))).toEqual([
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '502',
      '503',
      '504',
    ]);
  });

  it('says who must send credentials, and which', async () => {
    const open = await read(authNone());
    expect(open.paths['/api/v1/query']?.post?.security).toEqual([]);
    expect(open.components.securitySchemes).toEqual({});
    const { paths, components } = await read(
      authApiKey({ keys: [{ key: 'a key of some length', role: 'admin' }] }),
      authRoles(),
    );
    expect(paths['/api/v1/query']?.post?.security).toEqual([{ apiKey: [] }, { apiKeyAsToken: [] }]);
    expect(paths['/api/health']?.get?.security).toEqual([]);
    expect(Object.keys(components.securitySchemes)).toEqual(['apiKey', 'apiKeyAsToken']);
  });

  it('describes each tag by the plugins that bring its routes', async () => {
    const { tags } = await read();
    expect(tags).toContainEqual({
      name: 'Chat',
      description: 'Answers questions over HTTP, at once or as a stream, and runs statements.',
    });
    expect(tags).toContainEqual({ name: 'Items', description: 'Routes.' });
  });

  it('names schemas and refers to them', async () => {
    const { paths, components } = await read();
    const { requestBody, responses } = (paths['/api/v1/query'] as Record<string, Operation>).post as Operation;
    const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    expect(requestBody?.content['application/json']?.schema).toEqual(reference('QueryBody'));
    expect(responses['200']?.content?.['application/json']?.schema).toEqual(reference('QueryResult'));
    expect(responses['422']?.content?.['application/json']?.schema).toEqual(reference('Error'));
    expect(components.schemas.QueryBody).toMatchObject({ required: ['question'], additionalProperties: false });
    expect(components.schemas.ChatMessage).toMatchObject({
      properties: { role: { type: 'string', enum: ['user', 'assistant'] } },
    });
    expect(components.schemas.DataTable).toMatchObject({
      properties: { rows: { items: { type: 'object', additionalProperties: {} } } },
    });
    expect(components.schemas.CodeStreamEvent?.oneOf).toHaveLength(5);
    expect(components.schemas.UiStreamChunk?.oneOf).toHaveLength(19);
  });

  it('describes the header that names a conversation', async () => {
    const headers = (await read()).paths['/api/chat']?.post?.responses['200']?.headers;
    expect(headers).toMatchObject({ 'x-conversation-id': { schema: { type: 'string', format: 'uuid' } } });
  });

  function moreRoutes(parts: readonly Partial<Route>[]): PluginEntry {
    const more = parts.map(
      (part, n): Route => ({
        method: 'GET',
        path: `/a${n}`,
        summary: 'A route.',
        tag: 'Items',
        right: 'public',
        responses: { 200: Type.Unknown() },
        handle: () => ({}),
        ...part,
      }),
    );
    const plugin = definePlugin({
      name: 'more-routes',
      version: '1.0.0',
      type: 'interaction',
      description: 'Routes.',
      setup: (ctx) => ctx.tap(httpRoutes, () => more),
    });
    return plugin();
  }

  it('stops the start for an operation id that is taken twice', async () => {
    await expect(read(moreRoutes([{ operationId: 'chat' }]))).rejects.toThrow(
      /"chat" is taken twice, by POST \/api\/chat of "query-api" and GET \/a0/,
    );
  });

  it('says instead of a description which title has two meanings', async () => {
    const titled = [Type.String(), Type.Number()].map((a) => Type.Object({ a }, { title: 'Twice' }));
    const response = await ask(moreRoutes(titled.map((schema) => ({ responses: { 200: schema } }))));
    expect(response.statusCode).toBe(400);
    expect(response.json<{ message: string }>().message).toBe(
      'Two different schemas of routes have the title "Twice". Give one of them another title.',
    );
  });
});
