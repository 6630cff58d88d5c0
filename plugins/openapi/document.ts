/**
 * Writes the OpenAPI 3.1 document from the routes. A schema of a route is JSON Schema already, which 3.1 takes as it
 * is, so that what is described and what validates cannot disagree.
 */
import type { TObject, TSchema } from '@sinclair/typebox';
import { AtlasError, type Collected, type Route } from '../../kernel/index.ts';
import { ErrorSchema, type SecurityScheme } from '../http/index.ts';
import { Components, type Json } from './components.ts';

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
  /** Ways to carry credentials; none where no credentials are needed. */
  readonly security: readonly Collected<SecurityScheme>[];
  /** Description of each plugin. */
  readonly plugins: Readonly<Record<string, string>>;
  /** Status and meaning of each error code. */
  readonly errorCodes: Readonly<Record<string, { readonly status: number; readonly meaning: string }>>;
}

/** Turns the given routes into operations, with the schemas that they name. */
interface Writing extends DocumentInfo {
  readonly components: Components;
  /** The error body. */
  readonly error: Json;
}

const REQUEST_ID = {
  'x-request-id': { description: 'Id of the request, also in the log.', schema: { type: 'string' } },
};
const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };
const CHALLENGE = { 'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } } };

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Without a name of its own: `putApiV1ItemsItemId`, from method and path alone, so it stays as long as the route does. */
function operationIdOf({ operationId, method, path }: Route): string {
  return (
    operationId ??
    method.toLowerCase() +
      path
        .split(/[^A-Za-z0-9]+/)
        .map(capitalized)
        .join('')
  );
}

/** What the schema of a body or an answer is called, where the route has a name and the schema none. */
function nameOf({ operationId }: Route, schema: TSchema, suffix: string): string | undefined {
  const hasParts = schema.type === 'object' || schema.allOf !== undefined || schema.anyOf !== undefined;
  return operationId === undefined || schema.title !== undefined || !hasParts
    ? undefined
    : capitalized(operationId) + suffix;
}

function parameters(place: 'path' | 'query', schema: TSchema | undefined, { components }: Writing): Json[] {
  if (schema === undefined) return [];
  const { properties, required = [] } = schema as TObject;
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = components.write(property);
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
function pathParameters({ path, params }: Route, writing: Writing): Json[] {
  const described = parameters('path', params, writing);
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

/** Codes that a route may answer because of what it is, before its own errors. */
function errorsOf(route: Route, { security }: DocumentInfo): Set<string> {
  const isSecured = route.right !== 'public';
  return new Set([
    'invalid_request',
    ...(isSecured ? ['auth_error'] : []),
    ...security.flatMap(({ value }) => (isSecured || value.onPublicRoutes === true ? (value.errors ?? []) : [])),
    ...(route.essential === true ? [] : ['rate_limited', 'overloaded']),
    // A body that a route has no use for is read, too.
    ...(route.method === 'GET' ? [] : ['payload_too_large', 'unsupported_media_type']),
    // A route that gets the bytes first words the faults of its body itself.
    ...(route.body === undefined || route.rawBody === 'first' ? [] : ['validation_error']),
    ...(route.errors ?? []),
    'internal_error',
    'unavailable',
  ]);
}

/** A protocol with a kind of JSON of its own, such as SCIM, words its errors in that too. */
function errorContent({ responses }: Route, { error }: Writing): Json {
  const types = Object.values(responses).map(({ contentMediaType }) => contentMediaType);
  const own = types.filter((type) => typeof type === 'string' && type.endsWith('+json'));
  return {
    ...Object.fromEntries(own.map((type) => [type, { schema: {} }])),
    'application/json': { schema: error },
    // Clients that read streams show what else they get as it is.
    ...(types.includes('text/event-stream') && { 'text/plain': { schema: { type: 'string' } } }),
  };
}

/** One response a status, with all codes that share it. */
function errorResponses(route: Route, writing: Writing): Record<string, Json> {
  const { errorCodes } = writing;
  const found = [...errorsOf(route, writing)].flatMap((code) => {
    const statuses = code === 'auth_error' ? [401, 403] : [errorCodes[code]?.status ?? 500];
    return statuses.map((status) => ({ status, code }));
  });
  const responses: Record<string, Json> = {};
  for (const [status, group] of Map.groupBy(found, ({ status }) => status)) {
    const meanings = group.map(({ code }) => `\`${code}\`: ${errorCodes[code]?.meaning ?? 'See the message.'}`);
    responses[status] = {
      description: meanings.join('\n\n'),
      headers: {
        ...REQUEST_ID,
        ...(status === 401 && CHALLENGE),
        ...((status === 429 || status === 503) && RETRY_AFTER),
      },
      content: errorContent(route, writing),
    };
  }
  return responses;
}

const mediaTypeOf = ({ contentMediaType }: TSchema) =>
  typeof contentMediaType === 'string' ? contentMediaType : 'application/json';

/** A choice of media types says what each of them holds. */
function contentOf(route: Route, schema: TSchema, { components }: Writing): Json {
  const members: TSchema[] = schema.anyOf ?? [];
  const isChoice = members.some(({ contentMediaType }) => contentMediaType !== undefined);
  const choices = isChoice ? members : [schema];
  return Object.fromEntries(
    choices.map((choice) => [
      mediaTypeOf(choice),
      { schema: components.write(choice, nameOf(route, choice, 'Result')) },
    ]),
  );
}

/** What a success looks like: JSON, unless the schema names another media type, or is void. */
function success(route: Route, status: string, schema: TSchema, writing: Writing): Json {
  const { components } = writing;
  const named = Object.entries(route.responseHeaders ?? {}).map(([name, header]) => {
    const { description, ...rest } = components.write(header);
    return [name, { ...(description !== undefined && { description }), schema: rest }];
  });
  // Nor has a redirect.
  const hasContent = schema.type !== 'void' && status !== '204' && !status.startsWith('3');
  return {
    description: schema.description ?? (status === '204' ? 'Done; no content.' : 'Success.'),
    headers: { ...REQUEST_ID, ...Object.fromEntries(named) },
    ...(hasContent && { content: contentOf(route, schema, writing) }),
  };
}

/**
 * A public route of an authentication plugin takes its credentials where there are any, as to end a session; that of
 * another plugin needs those that are its own.
 */
function securityOf({ right }: Route, plugin: string, { security }: DocumentInfo): Json[] {
  const isPublic = right === 'public';
  const schemes = security.filter(({ value }) => value.scheme !== undefined);
  const taken = schemes.filter((scheme) => (isPublic ? scheme.plugin === plugin : scheme.value.isOwn !== true));
  const named = taken.map(({ value }) => ({ [value.name]: [] }));
  const isNeeded = !isPublic || taken.length === 0 || taken.every(({ value }) => value.isOwn === true);
  return isNeeded ? named : [{}, ...named];
}

/** A body as clients send it: what has a default may be left out. */
function asSent(body: TSchema): TSchema {
  const { properties, required } = body as Partial<TObject>;
  if (required === undefined) return body;
  return { ...body, required: required.filter((name) => properties?.[name]?.default === undefined) };
}

/** One route. What it declares itself wins over an error of the same status, such as the 503 of a health report. */
function operation({ plugin, value: route }: Collected<Route>, writing: Writing): Json {
  const { body } = route;
  const successes = Object.entries(route.responses).map(([status, schema]) => [
    status,
    success(route, status, schema, writing),
  ]);
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    tags: [route.tag],
    security: securityOf(route, plugin, writing),
    parameters: [...pathParameters(route, writing), ...parameters('query', route.query, writing)],
    ...(body !== undefined && {
      requestBody: {
        required: body.default === undefined,
        content: {
          [route.rawBody === 'form' ? 'application/x-www-form-urlencoded' : 'application/json']: {
            schema: writing.components.write(asSent(body), nameOf(route, body, 'Body')),
          },
        },
      },
    }),
    responses: {
      ...errorResponses(route, writing),
      ...Object.fromEntries(successes),
      // A route that only redirects has no success in a client's sense.
      ...(!successes.some(([status]) => String(status).startsWith('2')) && {
        default: { description: 'Any other failure.', content: errorContent(route, writing) },
      }),
    },
  };
}

/** Pages are no operations. */
const operations = (mounted: readonly Collected<Route>[]) => mounted.filter(({ value }) => value.page !== true);

/** Throws when two routes have the same operation id: a generated client would have one of them only. */
export function checkOperationIds(mounted: readonly Collected<Route>[]): void {
  for (const [id, group] of Map.groupBy(operations(mounted), ({ value }) => operationIdOf(value))) {
    if (group.length === 1) continue;
    const who = group.map(({ plugin, value }) => `${value.method} ${value.path} of "${plugin}"`).join(' and ');
    throw new AtlasError(`The operation id "${id}" is taken twice, by ${who}.`, {
      code: 'configuration_error',
      reason: 'E_OPERATION_ID_TAKEN',
      hint: 'Give one of the routes another operationId.',
    });
  }
}

/** Each tag is described by the plugins that bring routes of it. */
function tags(routes: readonly Collected<Route>[], { plugins }: DocumentInfo): Json[] {
  const byTag = Map.groupBy(routes, ({ value }) => value.tag);
  return [...byTag]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, group]) => {
      const owners = [...new Set(group.map(({ plugin }) => plugin))];
      return { name, description: owners.map((plugin) => plugins[plugin] ?? plugin).join(' ') };
    });
}

/** The whole document; routes of the same path share an item, pages are left out. Throws for titles that are taken twice. */
export function openapiDocument(mounted: readonly Collected<Route>[], info: DocumentInfo): Json {
  const routes = operations(mounted);
  const components = new Components();
  const writing = { ...info, components, error: components.write(ErrorSchema) };
  const paths: Record<string, Record<string, Json>> = {};
  for (const collected of routes) {
    const { value: route } = collected;
    const path = route.path.replace(/:([A-Za-z0-9_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(collected, writing) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: info.version,
      description: 'Plain-language questions about your databases.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that answers this description.' }],
    tags: tags(routes, info),
    paths,
    components: {
      securitySchemes: Object.fromEntries(
        info.security.flatMap(({ value }) => (value.scheme === undefined ? [] : [[value.name, value.scheme]])),
      ),
      schemas: components.schemas,
    },
  };
}
