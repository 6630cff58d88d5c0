/**
 * The OpenAPI 3.1 document, straight from the routes. A schema of a route is JSON Schema already, which 3.1 takes as
 * it is, so nothing has to be converted and no generator between the two can disagree with what validates.
 */
import type { TObject, TSchema } from '@sinclair/typebox';
import type { Collected, Route } from '../../kernel/index.ts';

type Json = Readonly<Record<string, unknown>>;

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
  /** Nobody needs credentials in this composition. */
  readonly open: boolean;
  /** Status and meaning of each error code. */
  readonly errorCodes: Readonly<Record<string, { readonly status: number; readonly meaning: string }>>;
}

const SECURITY_SCHEMES: Json = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, a session token or a JWT, by authentication mode.',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
  session: { type: 'apiKey', in: 'cookie', name: 'authlib.session_token', description: 'The session of a browser.' },
};

const REQUEST_ID = {
  'x-request-id': { description: 'Id of the request, also in the log.', schema: { type: 'string' } },
};

/** A schema without what only Atlas reads. */
function plain(schema: TSchema): Json {
  const own = new Set(['$id', 'errorMessage']);
  return JSON.parse(JSON.stringify(schema, (key, value) => (own.has(key) ? undefined : value)));
}

/** `postApiV1Query`: from method and path alone, so it stays as long as the route does. */
function operationId({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parameters(place: 'path' | 'query', schema: TSchema | undefined): Json[] {
  if (schema === undefined) return [];
  const { properties, required = [] } = schema as TObject;
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = plain(property);
    return {
      name,
      in: place,
      required: place === 'path' || (required.includes(name) && property.default === undefined),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

/** Path parameters that the route has no schema for are text. */
function pathParameters({ path, params }: Route): Json[] {
  const described = parameters('path', params);
  const names = [...path.matchAll(/:([A-Za-z0-9_]+)/g)].map((match) => match[1] ?? '');
  return names.map(
    (name) =>
      described.find((parameter) => parameter.name === name) ?? {
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      },
  );
}

/** JSON, unless the schema names another media type. */
function content(schema: TSchema): Json {
  const mediaType = typeof schema.contentMediaType === 'string' ? schema.contentMediaType : 'application/json';
  return { [mediaType]: { schema: plain(schema) } };
}

/** Codes that a route may answer because of what it is, before any of its own. */
function errorsOf(route: Route): Set<string> {
  const takesParameters = route.query !== undefined || route.path.includes(':');
  return new Set([
    ...(route.right === 'public' ? [] : ['auth_error']),
    ...(route.essential === true ? [] : ['rate_limited', 'overloaded']),
    ...(takesParameters || route.body !== undefined ? ['invalid_request'] : []),
    ...(route.body === undefined ? [] : ['payload_too_large', 'unsupported_media_type', 'validation_error']),
    ...(route.errors ?? []),
    'internal_error',
    'unavailable',
  ]);
}

/** One response a status, with all codes that share it. */
function errorResponses(route: Route, { errorCodes }: DocumentInfo): Record<string, Json> {
  const found = [...errorsOf(route)].flatMap((code) => {
    const statuses = code === 'auth_error' ? [401, 403] : [errorCodes[code]?.status ?? 500];
    return statuses.map((status) => ({ status, code }));
  });
  const responses: Record<string, Json> = {};
  for (const [status, group] of Map.groupBy(found, (error) => error.status)) {
    const codes = group.map(({ code }) => code);
    const retry = status === 429 || status === 503;
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${errorCodes[code]?.meaning ?? 'See the message.'}`).join('\n\n'),
      headers: {
        ...REQUEST_ID,
        ...(retry && { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } }),
      },
      content: {
        'application/json': {
          schema: {
            allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { error: { enum: codes } } }],
          },
        },
      },
    };
  }
  return responses;
}

/** One route. What it declares itself wins over an error of the same status, such as the 503 of a health report. */
function operation(route: Route, info: DocumentInfo): Json {
  const successes = Object.entries(route.responses).map(([status, schema]) => [
    status,
    {
      description: schema.description ?? (status === '204' ? 'Done; no content.' : 'Success.'),
      headers: REQUEST_ID,
      ...(status !== '204' && { content: content(schema) }),
    },
  ]);
  const secured = route.right !== 'public';
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.tag],
    security: secured ? [...(info.open ? [{}] : []), { bearer: [] }, { apiKey: [] }, { session: [] }] : [],
    parameters: [...pathParameters(route), ...parameters('query', route.query)],
    ...(route.body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: plain(route.body) } } },
    }),
    responses: { ...errorResponses(route, info), ...Object.fromEntries(successes) },
  };
}

/** The whole document; routes of the same path share an item. */
export function openapiDocument(routes: readonly Collected<Route>[], info: DocumentInfo): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const { value: route } of routes) {
    const path = route.path.replace(/:([A-Za-z0-9_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, info) };
  }
  const tags = [...new Set(routes.map(({ value }) => value.tag))].sort();
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: info.version,
      description: 'Plain-language questions about your databases.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: {
        Error: {
          type: 'object',
          required: ['error', 'message', 'requestId'],
          properties: {
            error: { type: 'string', description: 'Code of the error.' },
            message: { type: 'string', description: 'What went wrong and what to do next.' },
            requestId: { type: 'string' },
            retryAfterSeconds: { type: 'number' },
            details: {
              type: 'array',
              description: 'What is wrong with the request, item by item.',
              items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
            },
          },
        },
      },
    },
  };
}
