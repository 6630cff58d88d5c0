/**
 * Checks what a request brings against the route's schemas. Bodies are taken as they are: no value is converted and
 * unknown keys are left alone. Parameters arrive as text, so numbers and booleans are read out of it first; those that
 * the route does not declare never reach its handler.
 */
import { FormatRegistry, Kind, type TObject, type TSchema } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value';
import { AtlasError, nearest, type Route } from '../../../kernel/index.ts';
import { type ErrorDetail, invalidInput } from '../answer/input-errors.ts';
import type { ReadBody } from '../request/json-body.ts';
import { NULL_CHARACTER } from '../request/null-characters.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  uuid: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
  email: (value) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value),
  // Handlers compute with them, so a thirteenth month is none.
  date: (value) => DATE.test(value) && !Number.isNaN(Date.parse(value)) && isDay(value),
  'date-time': (value) => DATE_TIME.test(value) && !Number.isNaN(Date.parse(value)) && isDay(value),
};

/** Whether the calendar has the day, where `Date` would read 30 February as 2 March. */
function isDay(time: string): boolean {
  const day = time.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** Makes the formats that schemas of routes use known to TypeBox. */
function registerFormats(): void {
  for (const [name, isValid] of Object.entries(FORMATS)) {
    if (!FormatRegistry.Has(name)) FormatRegistry.Set(name, isValid);
  }
}

/** Limit in characters for a path in an answer: a client chooses the names of fields. */
const MAX_PATH_LENGTH = 200;

/** What is wrong, to follow the name of the value: "limit must be at least 1". */
const SENTENCES: Readonly<Partial<Record<ValueErrorType, (schema: TSchema) => string>>> = {
  [ValueErrorType.ObjectRequiredProperty]: () => 'is required',
  [ValueErrorType.Object]: () => 'must be an object',
  [ValueErrorType.Array]: () => 'must be a list',
  [ValueErrorType.String]: () => 'must be a string',
  [ValueErrorType.Boolean]: () => 'must be true or false',
  [ValueErrorType.Number]: () => 'must be a number',
  [ValueErrorType.Integer]: () => 'must be a whole number',
  [ValueErrorType.NumberMinimum]: ({ minimum }) => `must be at least ${minimum}`,
  [ValueErrorType.NumberMaximum]: ({ maximum }) => `must be at most ${maximum}`,
  [ValueErrorType.IntegerMinimum]: ({ minimum }) => `must be at least ${minimum}`,
  [ValueErrorType.IntegerMaximum]: ({ maximum }) => `must be at most ${maximum}`,
  [ValueErrorType.StringMinLength]: ({ minLength }) => `must be at least ${minLength} characters long`,
  [ValueErrorType.StringMaxLength]: ({ maxLength }) => `must be at most ${maxLength} characters long`,
  [ValueErrorType.StringFormat]: ({ format }) => `must be a valid ${format}`,
  [ValueErrorType.StringPattern]: ({ pattern }) => `must match ${pattern}`,
  [ValueErrorType.ArrayMinItems]: ({ minItems }) => `must have at least ${minItems} items`,
  [ValueErrorType.ArrayMaxItems]: ({ maxItems }) => `must have at most ${maxItems} items`,
};

/** A field that the schema does not have, beside those that it has. */
function unknownField(path: string, { properties }: TSchema): string {
  const known = Object.keys(properties ?? {});
  const near = nearest(path.slice(path.lastIndexOf('/') + 1), known);
  return `is not a known field (${near === undefined ? `known: ${known.join(', ')}` : `did you mean "${near}"?`})`;
}

function sentence({ type, path, message, schema }: ValueError): string {
  if (type === ValueErrorType.ObjectAdditionalProperties) return unknownField(path, schema);
  // A schema may speak for itself where the generic text would not help: `errorMessage` beside its rules.
  if (typeof schema.errorMessage === 'string' && type !== ValueErrorType.ObjectRequiredProperty) {
    return schema.errorMessage;
  }
  const literals: unknown[] | undefined = schema.anyOf?.map((item: TSchema) => item.const);
  if (literals !== undefined && !literals.includes(undefined)) {
    return `must be one of ${literals.map((literal) => JSON.stringify(literal)).join(', ')}`;
  }
  return SENTENCES[type]?.(schema) ?? message.replace(/^Expected /, 'must be ');
}

function details(whole: TSchema, value: unknown): ErrorDetail[] {
  const found = new Map<string, ErrorDetail>();
  const unknown = new Set<string>();
  for (const error of Value.Errors(whole, value)) {
    const path = error.path.slice(1, MAX_PATH_LENGTH).replaceAll('/', '.');
    if (!found.has(path)) found.set(path, { path, message: sentence(error) });
    if (error.type === ValueErrorType.ObjectAdditionalProperties) unknown.add(path);
    if (found.size === 20) break;
  }
  // A misspelt field is often why another one is missing.
  return [...found.values()].sort((a, b) => Number(unknown.has(b.path)) - Number(unknown.has(a.path)));
}

/** Reads one text parameter as its schema's type; what cannot be read is kept and then refused by the check. */
function read(schema: TSchema, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const kind = schema[Kind];
  if (kind === 'Integer' || kind === 'Number') {
    const number = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
    const isExact = kind === 'Integer' ? Number.isSafeInteger(number) : Number.isFinite(number);
    return isExact ? number : value;
  }
  if (kind === 'Boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

/** One schema of a route, compiled at its first use. */
class Checker {
  readonly #schema: TSchema;
  readonly #hasDefaults: boolean;
  #compiled: TypeCheck<TSchema> | undefined;

  constructor(schema: TSchema) {
    this.#schema = schema;
    this.#hasDefaults = JSON.stringify(schema).includes('"default":');
  }

  #complete(value: unknown): unknown {
    // TypeBox would merge a list into an object that is the default, and so make an object of it.
    const isNone = Array.isArray(value) && this.#schema.type === 'object';
    return this.#hasDefaults && !isNone ? Value.Default(this.#schema, value) : value;
  }

  get #check(): TypeCheck<TSchema> {
    this.#compiled ??= TypeCompiler.Compile(this.#schema);
    return this.#compiled;
  }

  /** Throws `validation_error` with every fault. Only a schema with a default lets a request come without a body. */
  body(given: unknown): unknown {
    if (given === undefined && this.#schema.default === undefined) {
      throw new AtlasError('The request has no body.', {
        code: 'invalid_request',
        hint: 'Send a JSON object with Content-Type: application/json.',
      });
    }
    const value = this.#complete(given);
    if (this.#check.Check(value)) return value;
    throw invalidInput('validation_error', 'The request body', details(this.#schema, value));
  }

  /** Throws `invalid_request` with every fault. */
  parameters(what: string, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const { properties } = this.#schema as TObject;
    const value: Record<string, unknown> = { ...given };
    for (const [name, schema] of Object.entries(properties)) {
      if (name in value) value[name] = read(schema, value[name]);
    }
    const complete = this.#complete(value) as Record<string, unknown>;
    if (!this.#check.Check(complete)) throw invalidInput('invalid_request', what, details(this.#schema, complete));
    const path = Object.keys(complete).find((name) => String(complete[name]).includes('\0'));
    if (path !== undefined) throw invalidInput('invalid_request', what, [{ path, message: NULL_CHARACTER }]);
    return Object.fromEntries(Object.entries(complete).filter(([name]) => Object.hasOwn(properties, name)));
  }
}

export interface RouteInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The check of one route's input. Of a route that gets the bytes first, `body` is read and checked when it is asked for. */
export function routeValidation(route: Route): (input: RouteInput) => RouteInput {
  registerFormats();
  const params = route.params && new Checker(route.params);
  const query = route.query && new Checker(route.query);
  const body = route.body && new Checker(route.body);
  const bodyOf = (given: unknown) => (body ? body.body(given) : given);
  return (input) => {
    const parameters = {
      params: params ? (params.parameters('The path', input.params) as Record<string, string>) : input.params,
      query: query ? query.parameters('The query', input.query) : input.query,
    };
    if (route.rawBody !== 'first') return { ...parameters, body: bodyOf(input.body) };
    const read = input.body as ReadBody | undefined;
    return {
      ...parameters,
      get body() {
        return bodyOf(read?.());
      },
    };
  };
}
