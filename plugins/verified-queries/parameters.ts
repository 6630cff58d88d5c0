/** Reads the parameters of verified queries in questions and in arguments, and checks them. */
import type { VerifiedValue } from '../agent/index.ts';
import {
  type ModelVerifiedQuery,
  type SemanticModel,
  translationsOfValues,
  visibleModel,
} from '../semantic-layer/index.ts';
import type { ReadTime, Token } from './words.ts';

export type Parameter = NonNullable<ModelVerifiedQuery['parameters']>[number];
export type Values = Readonly<Record<string, VerifiedValue>>;

/** A longer question has something else in it. */
export const MAX_CHARS = 400;
const SPAN = new Set(['to', 'until', 'till', 'through', 'and']);
const MAX_TOP = 1_000;
const MAX_NUMBER = 1e15;

/** What is needed to read a question. */
export interface Reading {
  readonly text: string;
  /** Whether capitals say nothing in it. */
  readonly isUpperCase: boolean;
  readonly tokens: readonly Token[];
  readonly now: Date;
  readonly readTime: ReadTime;
}

/** A value at a place; `next` is the first token behind it. */
export interface Read {
  readonly value: VerifiedValue;
  readonly next: number;
}

/** A `value` parameter with what may be put in: the listed values of its dimension, each with its words. */
export interface KnownParameter extends Parameter {
  readonly listed: readonly { readonly value: string | number; readonly words: readonly Token[] }[];
}

/** Values of hidden, masked and protected columns are not listed, so that they cannot be asked for either. */
export function knownParameter(parameter: Parameter, model: SemanticModel, tokensOf: (text: string) => Token[]) {
  const [entity, name] = (parameter.dimension ?? '').split('.');
  const found = visibleModel(model).entities.find((one) => one.name.toLowerCase() === entity?.toLowerCase());
  const dimension = found?.dimensions.find((one) => one.name.toLowerCase() === name?.toLowerCase());
  const listed = (parameter.values ?? dimension?.sample_values ?? []).flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [{ value, words: tokensOf(String(value)) }] : [],
  );
  if (parameter.type !== 'value') return { ...parameter, listed: [] };
  // In whatever language it is asked: a wording may be in any.
  const called = dimension === undefined ? [] : translationsOfValues(dimension);
  const translated = called.flatMap(([name, words]) => {
    const known = listed.find(({ value }) => String(value) === name);
    return known === undefined ? [] : words.map((word) => ({ value: known.value, words: tokensOf(word) }));
  });
  return { ...parameter, listed: [...listed, ...translated] };
}

/** Everything that the tokens from `at` may be as this parameter. */
export function readAt(parameter: KnownParameter, reading: Reading, at: number): Read[] {
  const { tokens, now, readTime } = reading;
  const token = tokens[at];
  if (token === undefined) return [];
  if (parameter.type === 'period') {
    const found = readTime(tokens, at, now);
    const [range, other] = found?.ranges ?? [];
    if (range?.from === undefined || range.to === undefined || other !== undefined) return [];
    // Alone it may also mean "since".
    if (token.word === 'from' && !tokens.slice(at, found?.next).some(({ word }) => SPAN.has(word))) return [];
    return [{ value: { from: range.from, to: range.to }, next: found!.next }];
  }
  if (parameter.type === 'value') {
    return parameter.listed.flatMap(({ value, words }) => {
      // "have no address" does not speak of Norway.
      if (/^\p{Lu}{2}$/u.test(`${value}`) && (token.text !== value || reading.isUpperCase)) return [];
      if (token.kind === 'quoted')
        return token.word === words.map(({ word }) => word).join(' ') ? [{ value, next: at + 1 }] : [];
      const isSaid = words.length > 0 && words.every(({ word, stem }, i) => isSame(tokens[at + i], word, stem));
      return isSaid ? [{ value, next: at + words.length }] : [];
    });
  }
  const value = numberOf(token, reading.text);
  return value !== undefined && inBounds(parameter, value) ? [{ value, next: at + 1 }] : [];
}

/** Whether the tokens from `at` are read as a period, be it one with several meanings. */
export const beginsPeriod = ({ type }: Parameter, { tokens, now, readTime }: Reading, at: number): boolean =>
  type === 'period' && readTime(tokens, at, now) !== undefined;

const isSame = (token: Token | undefined, word: string, stem: string) => token?.word === word || token?.stem === stem;

/** A plain number. What may be negative, a percentage, metres or grouped by points is none. */
function numberOf({ kind, value, percent, text }: Token, question: string): number | undefined {
  if (kind !== 'number' || value === undefined || percent) return undefined;
  if (/\.\d{3}$|\dm$/i.test(text.replaceAll(' ', '')) || /[^\d.,a-z ]/i.test(text)) return undefined;
  return new RegExp(String.raw`[\p{Pd}−~±(]\s*${text.replaceAll('.', '\\.')}`, 'u').test(question) ? undefined : value;
}

function inBounds({ type, min, max }: Parameter, value: number): boolean {
  if (!(value >= (min ?? 0) && value <= (max ?? (type === 'top' ? MAX_TOP : MAX_NUMBER)))) return false;
  return type !== 'top' || (Number.isInteger(value) && value >= 1);
}

/** What stands for a parameter that a wording does not have; `undefined` where it is needed, or its default is none. */
export function defaultOf(parameter: KnownParameter, read: (text: string) => Reading): VerifiedValue | undefined {
  const { default: given, optional, type, listed } = parameter;
  if (given === undefined) return optional === true ? null : undefined;
  if (type === 'value') return listed.find(({ value }) => value === given)?.value;
  if (typeof given === 'number') return inBounds(parameter, given) ? given : undefined;
  const reading = read(given);
  return readAt(parameter, reading, 0).find(({ next }) => next === reading.tokens.length)?.value;
}

/** Something to try a parameter with that has no default. */
export function exampleOf({ type, listed, min, max }: KnownParameter): VerifiedValue {
  if (type === 'value') return listed[0]?.value ?? null;
  if (type === 'period') return { from: '1000-01-01', to: '9999-12-31' };
  return type === 'top' ? (max ?? 10) : (min ?? max ?? 1);
}
