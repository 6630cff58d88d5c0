/** Checks what was given on a command line against what its command declares. */
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AtlasError, type CliOption, didYouMean } from '../../kernel/index.ts';

/** One option of a command line. */
export interface GivenOption {
  readonly declared: CliOption;
  /** `null`: given without a value. */
  readonly value: string | null;
  /** Given as `--flag=value`, which may then look like a flag. */
  readonly isJoined: boolean;
}

/** An error in how a command was called; exit code 1. */
export const wrongUse = (message: string, hint?: string) =>
  new AtlasError(message, { code: 'invalid_request', reason: 'E_WRONG_USE', hint });

/** `--port` of `-p, --port <n>`. */
export const flagOf = ({ flags }: CliOption) => /--[a-z0-9-]+/i.exec(flags)?.[0] ?? flags;

/** The words of `--to <file|mail>`; `undefined`: the value is not one of several words. */
export function choicesOf({ flags }: CliOption): readonly string[] | undefined {
  const words = /[<[]([^>\]]*\|[^>\]]*)[>\]]/.exec(flags)?.[1];
  return words?.split('|').map((word) => word.trim());
}

const listed = (words: readonly string[]) => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

const isNumber = ({ type }: TSchema) => type === 'integer' || type === 'number';

/** The value's form in words: `an integer from 1 to 100`. */
function expectedOf(schema: TSchema): string {
  if (!isNumber(schema)) return schema.expected ?? schema.description ?? 'another text';
  const kind = schema.type === 'integer' ? 'an integer' : 'a number';
  const { minimum = 0, maximum } = schema;
  return maximum === undefined ? `${kind} of at least ${minimum}` : `${kind} from ${minimum} to ${maximum}`;
}

/** Decimal notation only: no `1e3`, `0x10` or `Infinity`, and no integer that a number cannot hold. */
function matches(schema: TSchema, text: string): boolean {
  if (!isNumber(schema)) return Value.Check(schema, text);
  const number = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || number > Number.MAX_SAFE_INTEGER) return false;
  return number >= (schema.minimum ?? 0) && Value.Check(schema, number);
}

function checkValue({ declared, value, isJoined }: GivenOption): void {
  const flag = flagOf(declared);
  if (value === null) return;
  if (value.trim() === '') throw wrongUse(`${flag} is empty; it needs a value.`);
  if (value.startsWith('--') && !isJoined) throw wrongUse(`${flag} needs a value, but another flag follows it.`);
  const choices = choicesOf(declared);
  if (choices !== undefined && !choices.includes(value)) {
    const near = didYouMean(value, choices) || '.';
    throw wrongUse(`${flag} is invalid: expected ${listed(choices)}${near}`);
  }
  if (declared.schema !== undefined && !matches(declared.schema, value)) {
    throw wrongUse(`${flag} is invalid: expected ${expectedOf(declared.schema)}.`);
  }
}

/** `--enrich` and `--no-enrich` set the same thing. */
const isOpposite = (a: string, b: string) => a === b.replace(/^--no-/, '--') || b === a.replace(/^--no-/, '--');

function areInConflict(one: CliOption, other: CliOption): boolean {
  const [a, b] = [flagOf(one), flagOf(other)];
  return one.conflicts?.includes(b) || other.conflicts?.includes(a) || isOpposite(a, b);
}

/** Throws a sentence on options that exclude each other or are missing, and on the first value that its option does not take. */
export function checkOptions(given: readonly GivenOption[], all: readonly CliOption[] = []): void {
  for (const [index, option] of given.entries()) {
    for (const { declared } of given.slice(0, index)) {
      const flag = flagOf(option.declared);
      if (declared === option.declared) {
        if (option.value === null) continue;
        throw wrongUse(`${flag} is given twice; give it once.`);
      }
      if (!areInConflict(declared, option.declared)) continue;
      throw wrongUse(`${flagOf(declared)} and ${flag} exclude each other. Give one of them.`);
    }
  }
  given.forEach(checkValue);
  const missing = all.find((option) => option.required && !given.some(({ declared }) => declared === option));
  if (missing !== undefined) throw wrongUse(`${missing.flags} is missing.`);
}

/** Throws when an argument is blank, as the variable of a shell script may be. `names`: as declared, `question`. */
export function checkArguments(args: readonly string[], names: readonly string[]): void {
  const blank = args.findIndex((text) => text.trim() === '');
  if (blank < 0) return;
  throw wrongUse(`The argument <${names[Math.min(blank, names.length - 1)]}> is empty.`);
}
