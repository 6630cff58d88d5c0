/** Compares requests and answers with the OpenAPI document of the server that answered. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';

type Json = Readonly<Record<string, unknown>>;

export interface Exchange {
  readonly method: string;
  /** The path as the document has it, `/api/v1/items/{id}`; `undefined` where no route was found. */
  readonly path: string | undefined;
  readonly request: {
    readonly params: Json;
    readonly query: Json;
    /** Parsed; `undefined`: none was sent, or it was not seen. */
    readonly body: unknown;
  };
  readonly status: number;
  /** With lowercase names. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** `undefined`: it was not seen, as that of a stream. */
  readonly body: string | undefined;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
}
interface Operation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Json };
  readonly responses: Readonly<Record<string, { readonly headers?: Json; readonly content?: Json }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The described headers that every answer of the status has. */
const REQUIRED_HEADERS = ['x-request-id', 'www-authenticate'];
/** Errors that say when trying again makes sense. */
const RETRIED = /"error":"(rate_limited|overloaded|datasource_unavailable)"/;
const ERROR = '/components/schemas/Error';

/** An answer's object has the fields that are described and no others, unless its schema says otherwise. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen = !('properties' in schema) || 'additionalProperties' in schema;
  return isOpen || typeof schema.properties !== 'object' || schema.properties === null || !('type' in schema)
    ? parts
    : { ...parts, unevaluatedProperties: false };
}

/** Validates values against parts of a document, each compiled once. */
class Schemas {
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: unknown, coerceTypes = false) {
    // A document is no schema itself, and another test validates it.
    this.#ajv = new Ajv2020({ strict: false, logger: false, coerceTypes, validateSchema: false });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document as object, 'document');
  }

  /** What is wrong with the value: `/users/0/role must be string`. */
  fault(pointer: string, value: unknown): string | undefined {
    const known = this.#compiled.get(pointer);
    const validate = known ?? this.#ajv.compile({ $ref: `document#${pointer}` });
    if (known === undefined) this.#compiled.set(pointer, validate);
    if (validate(value)) return undefined;
    const [{ instancePath = '', message = '', params = {} } = {}] = validate.errors ?? [];
    const more = Object.values(params).join(', ');
    return `${instancePath || 'it'} ${message} (${more})`;
  }
}

const pointer = (...keys: string[]) =>
  keys.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

const mediaType = (value: unknown) => String(value ?? '').split(';', 1)[0] as string;

/** Says of an exchange what a document does not allow; nothing is wrong with most. */
export type Check = (exchange: Exchange) => string[];

/** The newest documents that were compiled: many apps have the same, in one test file and the next. */
const compiled = new LRUCache<string, Check>({ max: 10 });

export function describedBy(document: object): Check {
  const text = JSON.stringify(document);
  const check = compiled.get(text) ?? compile(document);
  compiled.set(text, check);
  return check;
}

function compile(document: object): Check {
  const { paths } = document as Document;
  const answers = new Schemas(closed(document));
  const bodies = new Schemas(document);
  const parameters = new Schemas(document, true);

  function* answerFaults({ headers, body, status }: Exchange, operation: Operation, at: string): Iterable<string> {
    const key = String(status) in operation.responses ? String(status) : 'default';
    const described = operation.responses[key];
    if (described === undefined) {
      yield `the status ${status} is not described (${Object.keys(operation.responses).join(', ')})`;
      return;
    }
    for (const name of Object.keys(described.headers ?? {})) {
      if (REQUIRED_HEADERS.includes(name.toLowerCase()) && headers[name.toLowerCase()] === undefined) {
        yield `the header ${name} is missing`;
      }
    }
    if (RETRIED.test(body ?? '') && headers['retry-after'] === undefined) yield 'the header Retry-After is missing';
    if (described.content === undefined) {
      if ((body ?? '') !== '') yield `a body came where none is described: ${body?.slice(0, 200)}`;
      return;
    }
    const type = mediaType(headers['content-type']);
    if (described.content[type] === undefined) {
      yield `the content type "${type}" is not described (${Object.keys(described.content).join(', ')})`;
    } else if (type === 'application/json' && body !== undefined) {
      const fault = answers.fault(`${at}${pointer('responses', key, 'content', type, 'schema')}`, JSON.parse(body));
      if (fault !== undefined) yield `the body does not match: ${fault}; it is ${body.slice(0, 500)}`;
    }
  }

  function* requestFaults({ request }: Exchange, operation: Operation, at: string): Iterable<string> {
    const given = { path: request.params, query: request.query };
    for (const [index, parameter] of operation.parameters.entries()) {
      const value = given[parameter.in][parameter.name];
      if (value === undefined) continue;
      const fault = parameters.fault(`${at}${pointer('parameters', String(index), 'schema')}`, value);
      if (fault !== undefined) yield `the parameter ${parameter.name} was taken although ${fault}`;
    }
    if (request.body === undefined || operation.requestBody === undefined) return;
    const [type = ''] = Object.keys(operation.requestBody.content);
    const fault = bodies.fault(`${at}${pointer('requestBody', 'content', type, 'schema')}`, request.body);
    if (fault !== undefined) yield `the request body was taken although ${fault}`;
  }

  function unrouted({ body, headers, status }: Exchange): string[] {
    if (body === undefined || body === '') return [];
    if (mediaType(headers['content-type']) !== 'application/json') return [`an error ${status} is not JSON`];
    const fault = answers.fault(ERROR, JSON.parse(body));
    return fault === undefined ? [] : [`the error does not match: ${fault}; it is ${body.slice(0, 500)}`];
  }

  return (exchange) => {
    const { method, path, status } = exchange;
    if (method === 'OPTIONS') return [];
    const isHead = method === 'HEAD';
    const served = (isHead ? 'GET' : method).toLowerCase();
    const operation = path === undefined ? undefined : paths[path]?.[served];
    if (path === undefined) return unrouted(exchange);
    // A route of the test itself.
    if (operation === undefined) return [];
    const at = pointer('paths', path, served);
    const seen = isHead ? { ...exchange, body: undefined } : exchange;
    return [
      ...answerFaults(seen, operation, at),
      ...(status >= 200 && status < 300 ? requestFaults(exchange, operation, at) : []),
    ];
  };
}
