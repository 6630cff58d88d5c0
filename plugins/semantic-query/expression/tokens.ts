/**
 * Splits the semantic layer's SQL fragments into tokens: enough of a lexer to expand `{dimension}`, to tell columns
 * from functions, keywords and types, and to qualify each column with an alias once several tables are joined.
 */

import { type Notation, partAt } from '../../sql-kit/index.ts';
import { PlanError } from '../errors.ts';
import { EXPRESSION_WORDS, NULL_WORDS, STRICT_FUNCTIONS, TIME_UNITS, UNIT_FUNCTIONS } from './words.ts';

export interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'reference' | 'symbol' | 'space';
  /** As written, except `reference`: the name between the braces. */
  readonly text: string;
}

/** A column of the entity at hand, already quoted as needed. */
export const columnToken = (identifier: string): Token => ({ kind: 'name', text: identifier });

const REFERENCE = /\{\s*[\p{L}_][\p{L}\p{N}_ .-]*\}/uy;
/** Signs that mean something only together. */
const SYMBOL = /::|<=>|<>|!=|<=|>=|\|\||->>|->|[\s\S]/y;

function match(rule: RegExp, source: string, at: number): string | undefined {
  rule.lastIndex = at;
  return rule.exec(source)?.[0];
}

/** Longest fragment, in characters. */
const MAX_LENGTH = 20_000;

/**
 * Tokenizes a fragment; `where` names it in messages. Drops comments; refuses semicolons and unclosed quotes or
 * comments.
 */
export function tokenize(source: string, notation: Notation, where: string): Token[] {
  if (source.length > MAX_LENGTH) {
    const what = `The SQL of ${where} is longer than ${MAX_LENGTH} characters`;
    throw new PlanError('invalid_plan', `${what}; put the calculation into a view of the database.`);
  }
  const tokens: Token[] = [];
  // What is not closed takes in the last line break.
  const whole = `${source}\n`;
  for (let at = 0; at < source.length; ) {
    const reference = match(REFERENCE, source, at);
    if (reference !== undefined) {
      tokens.push({ kind: 'reference', text: reference.slice(1, -1).trim() });
      at += reference.length;
      continue;
    }
    const { kind, end } = partAt(whole, at, notation);
    const text = kind === 'sign' ? match(SYMBOL, source, at)! : whole.slice(at, end);
    const isQuoted = kind === 'text' || kind === 'name' || text.startsWith('/*');
    if (isQuoted ? end > source.length : kind === 'sign' && /[;'"`]/.test(text)) {
      const what = `The SQL of ${where} has a stray ${text.replace(/^e/i, '').charAt(0)}`;
      throw new PlanError('invalid_plan', `${what}; correct it in the semantic layer.`);
    }
    at += text.length;
    if (kind === 'space') tokens.push({ kind, text: ' ' });
    else tokens.push({ kind: kind === 'sign' ? 'symbol' : kind, text });
  }
  while (tokens.at(-1)?.kind === 'space') tokens.pop();
  while (tokens[0]?.kind === 'space') tokens.shift();
  return tokens;
}

/** The name of a word or quoted identifier, in lower case. */
export function nameOf(token: Token): string {
  const text = token.kind === 'name' ? token.text.slice(1, -1) : token.text;
  return (/^["`[]/.test(token.text) ? text : token.text).toLowerCase();
}

const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'name';

/** Index of the next token that is not space, forwards (`1`) or backwards (`-1`) from `at`. */
export function significant(tokens: readonly Token[], at: number, step: 1 | -1): number {
  let index = at + step;
  while (tokens[index]?.kind === 'space') index += step;
  return index;
}

/** Index of the parenthesis that closes the one at `open`; the last index when it is never closed. */
export function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    const text = tokens[index]!.kind === 'symbol' ? tokens[index]!.text : '';
    if (text === '(') depth++;
    if (text === ')' && --depth === 0) return index;
  }
  return tokens.length - 1;
}

/**
 * Whether the fragment needs no parentheses beside an operator: a name, a literal, a call or a parenthesized
 * expression.
 */
export function isOperand(tokens: readonly Token[]): boolean {
  let open = 0;
  while (isName(tokens[open]) && tokens[open + 1]?.text === '.') open += 2;
  if (tokens.length === open + 1 && tokens[open]!.kind !== 'symbol') return true;
  if (isName(tokens[open])) open++;
  return tokens[open]?.text === '(' && closing(tokens, open) === tokens.length - 1;
}

export const parenthesized = (tokens: readonly Token[]): readonly Token[] =>
  isOperand(tokens) ? tokens : [{ kind: 'symbol', text: '(' }, ...tokens, { kind: 'symbol', text: ')' }];

/** Whether the fragment is certainly NULL (or not true) when all its columns are NULL. */
export function isStrict(tokens: readonly Token[]): boolean {
  const words = tokens.filter(isName);
  if (words.length === 0 || tokens.some(({ text }) => text === '<=>')) return false;
  return tokens.every((token, at) => {
    if (token.kind !== 'word') return true;
    const word = token.text.toLowerCase();
    const isCall = tokens[significant(tokens, at, 1)]?.text === '(' && !EXPRESSION_WORDS.has(word);
    return isCall ? STRICT_FUNCTIONS.has(word) : !NULL_WORDS.has(word);
  });
}

export interface Qualification {
  /** Alias that qualifies columns; `undefined` leaves them unqualified. */
  readonly alias: string | undefined;
  /** Replaces a qualifier of the entity itself, as in `orders.status`. */
  readonly qualifier: string;
  /** Names of the entity that may be used as a qualifier, in lower case. */
  readonly ownNames: ReadonlySet<string>;
  /** Columns that the model knows, in lower case, for names that are also SQL words, such as `date`. */
  readonly columns: ReadonlySet<string>;
}

/** Whether SQL expects something other than a column here: a type, a unit or a collation. */
function isTypeOrUnit(tokens: readonly Token[], at: number): boolean {
  const before = significant(tokens, at, -1);
  const previous = tokens[before]?.text.toLowerCase();
  if (previous === '::' || previous === 'as' || previous === 'collate') return true;
  const word = tokens[at]!.text.toLowerCase();
  if (!TIME_UNITS.has(word)) return false;
  if (previous === '(') return UNIT_FUNCTIONS.has(tokens[significant(tokens, before, -1)]?.text.toLowerCase() ?? '');
  let steps = before;
  for (let count = 0; count < 3 && steps >= 0; count++, steps = significant(tokens, steps, -1)) {
    if (tokens[steps]?.text.toLowerCase() === 'interval') return true;
  }
  return tokens[before]?.text === ')' && tokens.slice(0, before).some((token) => /^interval$/i.test(token.text));
}

function isColumn(tokens: readonly Token[], at: number, columns: ReadonlySet<string>): boolean {
  const token = tokens[at]!;
  const next = tokens[significant(tokens, at, 1)];
  if (!isName(token) || next?.text === '(') return false;
  if (token.kind === 'name') return true;
  if (isTypeOrUnit(tokens, at)) return false;
  const word = token.text.toLowerCase();
  const kind = EXPRESSION_WORDS.get(word);
  if (kind === undefined) return true;
  return kind === 'nonReserved' && next?.kind !== 'text' && columns.has(word);
}

/** Writes the fragment as SQL with each column of the entity qualified. */
export function render(tokens: readonly Token[], to: Qualification): string {
  const hasSubquery = tokens.some((token) => token.kind === 'word' && /^select$/i.test(token.text));
  let sql = '';
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!;
    if (!isName(token)) {
      sql += token.text;
      continue;
    }
    let end = index;
    while (tokens[end + 1]?.text === '.' && (isName(tokens[end + 2]) || tokens[end + 2]?.text === '*')) end += 2;
    if (end > index) {
      const owner = tokens
        .slice(index, end - 1)
        .filter(isName)
        .map(nameOf)
        .join('.');
      const isCall = tokens[end + 1]?.text === '(';
      if (!isCall && to.ownNames.has(owner)) sql += `${to.qualifier}.${tokens[end]!.text}`;
      else
        sql += tokens
          .slice(index, end + 1)
          .map(({ text }) => text)
          .join('');
      index = end;
    } else if (to.alias !== undefined && !hasSubquery && isColumn(tokens, index, to.columns)) {
      sql += `${to.alias}.${token.text}`;
    } else {
      sql += token.text;
    }
  }
  return sql;
}
