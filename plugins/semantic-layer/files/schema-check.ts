/**
 * Checks a value against a TypeBox schema and reports each mismatch in one sentence.
 * TypeBox's own messages for unions and unknown keys do not tell an author what to write instead.
 */
import { Kind, type TArray, type TObject, type TRecord, type TSchema, type TUnion } from '@sinclair/typebox';
import { didYouMean } from '../../../kernel/index.ts';
import type { Path } from './yaml.ts';

export interface SchemaProblem {
  readonly path: Path;
  readonly at: 'key' | 'value';
  readonly message: string;
}

/**
 * Keys that must not be empty: treating an empty `hidden` or `mask` as absent would show what the author meant to hide.
 */
const NEVER_EMPTY = new Set(['hidden', 'mask']);

/** The mismatches; empty when `value` matches. Removes optional keys with nothing after the colon from `value`. */
export function checkSchema(schema: TSchema, value: unknown, path: Path = []): SchemaProblem[] {
  switch (schema[Kind]) {
    case 'Object':
      return checkObject(schema as TObject, value, path);
    case 'Record': {
      if (!isRecord(value)) return mismatch(path, `must be a map of keys and values, not ${described(value)}`);
      const [item] = Object.values((schema as TRecord).patternProperties);
      return Object.entries(value).flatMap(([key, one]) => checkSchema(item!, one, [...path, key]));
    }
    case 'Array': {
      if (!Array.isArray(value))
        return mismatch(path, `must be a list (each item on a line that begins with \`-\`), not ${described(value)}`);
      const { minItems = 0, maxItems } = schema as TArray;
      if (minItems === maxItems && value.length !== minItems)
        return mismatch(path, `must be a list of ${minItems} values, not of ${value.length}`);
      if (value.length < minItems) return mismatch(path, 'must not be an empty list');
      return value.flatMap((item, index) => checkSchema(schema.items, item, [...path, index]));
    }
    case 'Union':
      return checkChoice(schema as TUnion, value, path);
    case 'Literal':
      return checkChoice({ anyOf: [schema] }, value, path);
    case 'String':
      if (typeof value !== 'string') {
        const quotes = typeof value === 'number' || typeof value === 'boolean' ? '; put it in quotes' : '';
        return mismatch(path, `must be text, not ${described(value)}${quotes}`);
      }
      if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value))
        return mismatch(path, `must be ${schema.description}, not ${described(value)}`);
      return schema.minLength > 0 && value.trim() === '' ? mismatch(path, 'must not be empty') : [];
    case 'Number':
      return typeof value === 'number' ? [] : mismatch(path, `must be a number, not ${described(value)}`);
    case 'Boolean':
      return typeof value === 'boolean' ? [] : mismatch(path, `must be \`true\` or \`false\`, not ${described(value)}`);
    case 'Null':
      return value === null ? [] : mismatch(path, `must be null, not ${described(value)}`);
    default:
      throw new Error(`No check for schemas of kind ${schema[Kind]}`);
  }
}

function checkObject(schema: TObject, value: unknown, path: Path): SchemaProblem[] {
  if (!isRecord(value)) return mismatch(path, `must be a map of keys and values, not ${described(value)}`);
  if (schema.additionalProperties === true) return [];
  const known = Object.keys(schema.properties);
  const required = new Set<string>(schema.required);
  const problems: SchemaProblem[] = [];
  for (const [key, item] of Object.entries(value)) {
    const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (property === undefined) {
      const hint = didYouMean(key, known) || `; known here: ${known.map((name) => `\`${name}\``).join(', ')}.`;
      problems.push({ path: [...path, key], at: 'key', message: `Unknown key \`${key}\`${inPlace(path)}${hint}` });
    } else if (item === null && !required.has(key) && !NEVER_EMPTY.has(key)) {
      delete value[key];
    } else {
      problems.push(...checkSchema(property, item, [...path, key]));
    }
  }
  for (const key of required) {
    if (!Object.hasOwn(value, key)) {
      problems.push({ path, at: 'value', message: `The required key \`${key}\` is missing${inPlace(path)}.` });
    }
  }
  return problems;
}

/** Checks against the member of the value's kind; a union of literals is reported as a list of choices. */
function checkChoice(schema: Pick<TUnion, 'anyOf'>, value: unknown, path: Path): SchemaProblem[] {
  const choices: unknown[] = schema.anyOf.map((member) => member.const);
  if (!choices.includes(undefined)) {
    if (choices.includes(value)) return [];
    const names = choices.map(String);
    const hint = (typeof value === 'string' && didYouMean(value, names)) || '.';
    const problem = `must be ${names.length > 1 ? 'one of ' : ''}${names.join(', ')}, not ${described(value)}`;
    return [{ path, at: 'value', message: `${subject(path)} ${problem}${hint}` }];
  }
  const member = schema.anyOf.find((candidate) => kindOf(candidate) === kindOfValue(value));
  if (member !== undefined) return checkSchema(member, value, path);
  const kinds = schema.anyOf.map((candidate) => KIND_NAMES[kindOf(candidate)] ?? kindOf(candidate));
  return mismatch(path, `must be ${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}, not ${described(value)}`);
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true/false',
  object: 'a map',
  array: 'a list',
};

function kindOf(schema: TSchema): string {
  return String(schema[Kind]).toLowerCase();
}

function kindOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Describes a value in at most 40 of its characters. */
function described(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'boolean') return `\`${value}\``;
  const text = String(value).replace(/\s+/g, ' ');
  return `\`${text.length > 40 ? `${text.slice(0, 40)}…` : text}\``;
}

function mismatch(path: Path, problem: string): SchemaProblem[] {
  return [{ path, at: 'value', message: `${subject(path)} ${problem}.` }];
}

function subject(path: Path): string {
  return path.length === 0 ? 'The file' : `\`${shown(path)}\``;
}

function inPlace(path: Path): string {
  return path.length === 0 ? '' : ` in \`${shown(path)}\``;
}

function shown(path: Path): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
