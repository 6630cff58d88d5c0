/**
 * Checks a value against a TypeBox schema and says in one sentence each what does not fit.
 * TypeBox's own messages for unions and unknown keys do not tell an author what to write instead.
 */
import { Kind, type TObject, type TSchema, type TUnion } from '@sinclair/typebox';
import { didYouMean } from '../../../kernel/index.ts';
import type { Path } from './yaml.ts';

export interface ShapeProblem {
  readonly path: Path;
  readonly at: 'key' | 'value';
  readonly message: string;
}

/** Keys for which "nothing written" must not pass as "not given": it would show what the author meant to hide. */
const neverEmpty = new Set(['hidden', 'mask']);

/** What does not fit; empty when `value` matches. Optional keys with nothing after the colon are removed from `value`. */
export function checkShape(schema: TSchema, value: unknown, path: Path = []): ShapeProblem[] {
  switch (schema[Kind]) {
    case 'Object':
      return checkObject(schema as TObject, value, path);
    case 'Array': {
      if (!Array.isArray(value))
        return wrong(path, `must be a list (\`- …\` on lines of their own), not ${told(value)}`);
      if (value.length < (schema.minItems ?? 0)) return wrong(path, 'must not be an empty list');
      return value.flatMap((item, index) => checkShape(schema.items, item, [...path, index]));
    }
    case 'Union':
      return checkUnion(schema as TUnion, value, path);
    case 'String':
      if (typeof value !== 'string') {
        const quotes = typeof value === 'number' || typeof value === 'boolean' ? '; put it in quotes' : '';
        return wrong(path, `must be text, not ${told(value)}${quotes}`);
      }
      return schema.minLength > 0 && value.trim() === '' ? wrong(path, 'must not be empty') : [];
    case 'Number':
      return typeof value === 'number' ? [] : wrong(path, `must be a number, not ${told(value)}`);
    case 'Boolean':
      return typeof value === 'boolean' ? [] : wrong(path, `must be \`true\` or \`false\`, not ${told(value)}`);
    case 'Null':
      return value === null ? [] : wrong(path, `must be null, not ${told(value)}`);
    default:
      throw new Error(`No check for schemas of kind ${schema[Kind]}`);
  }
}

function checkObject(schema: TObject, value: unknown, path: Path): ShapeProblem[] {
  if (!isRecord(value)) return wrong(path, `must be a map of keys and values, not ${told(value)}`);
  const known = Object.keys(schema.properties);
  const required = new Set<string>(schema.required);
  const problems: ShapeProblem[] = [];
  for (const [key, item] of Object.entries(value)) {
    const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (property === undefined) {
      const hint = didYouMean(key, known) || `; known here: ${known.map((name) => `\`${name}\``).join(', ')}.`;
      problems.push({ path: [...path, key], at: 'key', message: `Unknown key \`${key}\`${inPlace(path)}${hint}` });
    } else if (item === null && !required.has(key) && !neverEmpty.has(key)) {
      delete value[key];
    } else {
      problems.push(...checkShape(property, item, [...path, key]));
    }
  }
  for (const key of required) {
    if (!Object.hasOwn(value, key)) {
      problems.push({ path, at: 'value', message: `The required key \`${key}\` is missing${inPlace(path)}.` });
    }
  }
  return problems;
}

/** The member whose kind fits the value speaks; literals are told as a list of choices. */
function checkUnion(schema: TUnion, value: unknown, path: Path): ShapeProblem[] {
  const choices: unknown[] = schema.anyOf.map((member) => member.const);
  if (!choices.includes(undefined)) {
    if (choices.includes(value)) return [];
    const names = choices.map(String);
    const hint = (typeof value === 'string' && didYouMean(value, names)) || '.';
    const problem = `must be one of ${names.join(', ')}, not ${told(value)}`;
    return [{ path, at: 'value', message: `${subject(path)} ${problem}${hint}` }];
  }
  const member = schema.anyOf.find((candidate) => kindOf(candidate) === kindOfValue(value));
  if (member !== undefined) return checkShape(member, value, path);
  const kinds = schema.anyOf.map((candidate) => kindNames[kindOf(candidate)] ?? kindOf(candidate));
  return wrong(path, `must be ${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}, not ${told(value)}`);
}

const kindNames: Readonly<Record<string, string>> = {
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

/** A value as an author would recognise it, at most 40 characters of it. */
function told(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'boolean') return `\`${value}\``;
  const text = String(value).replace(/\s+/g, ' ');
  return `\`${text.length > 40 ? `${text.slice(0, 40)}…` : text}\``;
}

function wrong(path: Path, problem: string): ShapeProblem[] {
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
