/** Changes the arguments of a tool call to its schema where it is clear what the model meant. */
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { ARGUMENT_KEYS } from './call-shapes.ts';
import { readValue } from './lenient-value.ts';

type Json = Readonly<Record<string, unknown>>;

/** The keywords of JSON Schema that decide what a value is changed to. */
interface Schema extends TSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
}

const MAX_DEPTH = 12;
/** What models write beside the arguments when they repeat the whole call. */
const CALL_KEYS = new Set(['name', 'tool', 'tool_name', 'function', 'id', 'type', ...ARGUMENT_KEYS]);
/** Other names that models use for a required argument. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  sql: ['query', 'statement', 'sqlquery', 'sqlstatement', 'sqlcode', 'sqltext', 'command', 'code', 'q'],
};
const ENDINGS = ['s', 'id', 'ids', 'name', 'names', 'list'];
const MISSING: ReadonlySet<unknown> = new Set(['', 'null', 'None', 'undefined']);

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const folded = (text: string) => text.toLowerCase().replace(/[^\p{L}\d]/gu, '');

/** Whether a value fits; a schema that cannot be checked fits nothing. */
function fits(schema: Schema, value: unknown): boolean {
  try {
    return Value.Check(schema, value);
  } catch {
    return false;
  }
}

/**
 * The arguments as the schema has them: names in another spelling, `null` for what is optional, numbers as text, one
 * value for a list, the call around its arguments. What is not clear stays as it is.
 */
export function coercedArguments(schema: TSchema, args: unknown): unknown {
  if (isJson(args) && Object.keys(args).every((key) => key in ((schema as Schema).properties ?? {}))) {
    const isPlain = (value: unknown) => !MISSING.has(value) && unfenced(value) === value;
    if (fits(schema, args) && Object.values(args).every(isPlain)) return args;
  }
  return changed(schema as Schema, unwrapped(schema as Schema, args), MAX_DEPTH);
}

/** Whether arguments have a name of the schema, or one that models use for it. */
export function namesArgumentOf(schema: TSchema, args: unknown): boolean {
  const { properties = {} } = schema as Schema;
  const value = unwrapped(schema as Schema, typeof args === 'string' ? readValue(args).found?.value : args);
  const written = isJson(value) ? Object.keys(value).map(folded) : [];
  return Object.keys(properties).some((name) =>
    written.some((key) => key === folded(name) || differInEnding(folded(name), key) || ALIASES[name]?.includes(key)),
  );
}

/** A text without the fence around all of it. */
const unfenced = (value: unknown) =>
  typeof value === 'string' && value.startsWith('```') ? (FENCED.exec(value)?.[1] ?? value) : value;
const FENCED = /^```\w{0,20}\s*\n([^`]*?)\s*```\s*$/;

/** The arguments inside a repeated call, or a text for the only required argument. */
function unwrapped(schema: Schema, args: unknown): unknown {
  const { properties = {}, required = [] } = schema;
  if (typeof args === 'string') {
    const read = readValue(args).found?.value;
    if (isJson(read)) return unwrapped(schema, read);
    const [only] = required;
    // What begins like JSON is broken JSON.
    const text = unfenced(args) as string;
    const isPlain = text.trim() !== '' && !/^[\s`]*[{["'<]/.test(text);
    return isPlain && required.length === 1 && only !== undefined && properties[only]?.type === 'string'
      ? { [only]: text }
      : args;
  }
  if (Array.isArray(args) && args.length === 1) return unwrapped(schema, args[0]);
  if (!isJson(args)) return args;
  const keys = Object.keys(args);
  if (keys.some((key) => key in properties)) return args;
  // Some put the arguments under a name of their own: `kwargs`, `properties`.
  const own = keys.length === 1 ? args[keys[0] ?? ''] : undefined;
  if (isJson(own) && Object.keys(own).some((key) => key in properties)) return own;
  if (!keys.every((key) => CALL_KEYS.has(key))) return args;
  const inner = keys
    .map((key) => args[key])
    .find((value, at) => ARGUMENT_KEYS.includes(keys[at] ?? '') && value !== null);
  const read = typeof inner === 'string' ? readValue(inner).found?.value : inner;
  return isJson(read) ? unwrapped(schema, read) : args;
}

function changed(schema: Schema, value: unknown, depth: number): unknown {
  if (depth === 0 || value === undefined) return value;
  if (schema.anyOf !== undefined) return changedToOne(schema.anyOf, value, depth);
  if (schema.const !== undefined) return isAlike(schema.const, value) ? schema.const : value;
  if (schema.type === 'object')
    return isJson(value) || typeof value === 'string' ? object(schema, value, depth) : value;
  if (schema.type === 'array') return list(schema, value, depth);
  const only = Array.isArray(value) && value.length === 1 ? value[0] : withoutDescription(value);
  if (schema.type === 'string')
    return typeof only === 'number' || typeof only === 'boolean' ? String(only) : unfenced(only);
  if (schema.type === 'number' || schema.type === 'integer') {
    return typeof only === 'string' && /^\s*[-+]?\d{1,15}(?:\.\d{1,15})?\s*$/.test(only) ? Number(only) : only;
  }
  if (schema.type === 'boolean' && typeof only === 'string') {
    const word = only.trim().toLowerCase();
    return word === 'true' ? true : word === 'false' ? false : only;
  }
  return value;
}

/** The text that stands beside its own description: `{"type": "string", "value": "…"}`. */
function withoutDescription(value: unknown): unknown {
  if (!isJson(value)) return value;
  const { type: _, title: _title, description: _description, ...rest } = value;
  const [own, ...others] = Object.values(rest);
  return typeof own === 'string' && others.length === 0 ? own : value;
}

const isAlike = (constant: unknown, value: unknown) =>
  typeof constant === 'string' && typeof value === 'string' && folded(constant) === folded(value);

/** The one choice of a union that a value can be changed to. */
function changedToOne(choices: readonly Schema[], value: unknown, depth: number): unknown {
  const own = choices.find((choice) => fits(choice, value));
  if (own !== undefined) return changed(own, value, depth - 1);
  const found = choices
    .map((choice) => ({ choice, value: changed(choice, value, depth - 1) }))
    .filter((made) => fits(made.choice, made.value));
  const [first, second] = found;
  if (first === undefined) return value;
  return second === undefined || JSON.stringify(first.value) === JSON.stringify(second.value) ? first.value : value;
}

function list(schema: Schema, value: unknown, depth: number): unknown {
  const read = typeof value === 'string' && /^\s*[[(]/.test(value) ? readValue(value).found?.value : value;
  const items: readonly unknown[] = Array.isArray(read) ? read : isEmpty(value) ? [] : [value];
  const { items: item } = schema;
  return item === undefined ? items : items.map((each) => changed(item, each, depth - 1));
}

function object(schema: Schema, sent: Json | string, depth: number): unknown {
  // A text alone is the only argument that has to be there.
  const value = typeof sent === 'string' ? unwrapped(schema, sent) : sent;
  const { properties, required = [] } = schema;
  if (!isJson(value) || properties === undefined) return isJson(value) ? value : sent;
  const entries: [string, unknown][] = renamed(value, properties, required).map(([key, item]) => {
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return [key, own === undefined ? item : changed(own, item, depth - 1)];
  });
  const kept = entries.filter(([key, item]) => required.includes(key) || !isMissing(properties[key], item));
  return Object.fromEntries(kept);
}

/** Whether a value is an object or a list with nothing in it. */
const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** Whether a model wrote that it leaves an optional argument out. */
const isMissing = (schema: Schema | undefined, item: unknown) =>
  item === null || isEmpty(item)
    ? schema === undefined || !fits(schema, item)
    : MISSING.has(item) && (item !== '' || !schema || !fits(schema, ''));

/** The entries under the names of the schema, as far as there is only one that each can mean. */
function renamed(
  value: Json,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
): [string, unknown][] {
  const isFree = (name: string) => !Object.hasOwn(value, name);
  const names = new Map<string, string>();
  const rename = (key: string, meant: readonly string[]) => {
    const [only] = meant;
    const isTaken = only !== undefined && [...names.values()].includes(only);
    if (only !== undefined && meant.length === 1 && !isTaken) names.set(key, only);
  };
  const free = Object.keys(properties).filter(isFree);
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  for (const key of unknown)
    rename(
      key,
      free.filter((name) => folded(name) === folded(key)),
    );
  const left = () => unknown.filter((key) => !names.has(key));
  for (const key of left())
    rename(
      key,
      free.filter((name) => differInEnding(folded(name), folded(key))),
    );
  const missing = required.filter((name) => isFree(name) && ![...names.values()].includes(name));
  const [lacking] = missing;
  if (lacking !== undefined && missing.length === 1) {
    const own = properties[lacking] as Schema;
    const aliases = left().filter((key) => ALIASES[lacking]?.includes(folded(key)));
    const able = aliases.length > 0 ? aliases : left().filter((key) => fits(own, changed(own, value[key], MAX_DEPTH)));
    if (able.length === 1) rename(able[0] as string, [lacking]);
  }
  return Object.entries(value).map(([key, item]) => [names.get(key) ?? key, item]);
}

const differInEnding = (one: string, other: string) =>
  ENDINGS.some((ending) => one === `${other}${ending}` || other === `${one}${ending}`);
