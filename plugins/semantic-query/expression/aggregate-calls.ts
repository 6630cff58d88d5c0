/** Recognizes and rewrites aggregate functions in SQL expressions of measures and metrics. */

import { closing, nameOf, parenthesized, significant, type Token } from './tokens.ts';
import { AGGREGATE_FUNCTIONS } from './words.ts';

const symbol = (text: string): Token => ({ kind: 'symbol', text });
const SPACE: Token = { kind: 'space', text: ' ' };

/**
 * Index after the aggregate call that begins at `at`, or `undefined`. MIN and MAX with several arguments do not
 * aggregate.
 */
function aggregateCall(tokens: readonly Token[], at: number): number | undefined {
  const token = tokens[at]!;
  const open = significant(tokens, at, 1);
  if (token.kind !== 'word' || tokens[open]?.text !== '(') return undefined;
  const name = token.text.toLowerCase();
  if (!AGGREGATE_FUNCTIONS.has(name)) return undefined;
  const close = closing(tokens, open);
  if ((name === 'min' || name === 'max') && hasComma(tokens, open, close)) return undefined;
  const next = significant(tokens, close, 1);
  const word = tokens[next]?.text.toLowerCase();
  const paren = significant(tokens, next, 1);
  if (word === 'over') return undefined;
  return word === 'filter' && tokens[paren]?.text === '(' ? closing(tokens, paren) + 1 : close + 1;
}

function hasComma(tokens: readonly Token[], open: number, close: number): boolean {
  let depth = 0;
  return tokens.slice(open, close).some(({ kind, text }) => {
    if (kind !== 'symbol') return false;
    if (text === '(') depth++;
    if (text === ')') depth--;
    return text === ',' && depth === 1;
  });
}

/** Whether the expression contains an aggregate call. */
export function isAggregate(tokens: readonly Token[]): boolean {
  return tokens.some((_, at) => aggregateCall(tokens, at) !== undefined);
}

type SimpleAggregate = 'count' | 'count_distinct' | 'sum' | 'avg' | 'min' | 'max';

/** Function and argument when the whole expression is one call such as `SUM(amount)`; no tokens for `COUNT(*)`. */
export function simpleAggregate(
  tokens: readonly Token[],
): { type: SimpleAggregate; tokens: readonly Token[] | undefined } | undefined {
  if (tokens.length === 0 || aggregateCall(tokens, 0) !== tokens.length) return undefined;
  const name = tokens[0]!.text.toLowerCase();
  const open = significant(tokens, 0, 1);
  if (closing(tokens, open) !== tokens.length - 1) return undefined;
  if (name !== 'count' && name !== 'sum' && name !== 'avg' && name !== 'min' && name !== 'max') return undefined;
  const trimmed = trim(tokens.slice(open + 1, -1));
  const isDistinct = trimmed[0]?.kind === 'word' && /^distinct$/i.test(trimmed[0].text);
  if (isDistinct && name === 'count' && !hasComma(tokens, open, tokens.length)) {
    return { type: 'count_distinct', tokens: trim(trimmed.slice(1)) };
  }
  if (isDistinct) return undefined;
  const isStar = name === 'count' && trimmed.length === 1 && trimmed[0]!.text === '*';
  return { type: name, tokens: isStar ? undefined : trimmed };
}

function trim(tokens: readonly Token[]): readonly Token[] {
  const first = tokens.findIndex(({ kind }) => kind !== 'space');
  const last = tokens.findLastIndex(({ kind }) => kind !== 'space');
  return first === -1 ? [] : tokens.slice(first, last + 1);
}

/** Replaces the names outside aggregate functions, which can only be those of other measures. */
export function expandMeasures(
  tokens: readonly Token[],
  measure: (name: string) => readonly Token[] | undefined,
): readonly Token[] {
  const expanded: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const end = aggregateCall(tokens, at);
    if (end !== undefined) {
      expanded.push(...tokens.slice(at, end));
      at = end;
      continue;
    }
    const token = tokens[at]!;
    const isName = token.kind === 'word' || token.kind === 'name';
    const qualified = isName && tokens[at + 1]?.text === '.' && tokens[at + 2] !== undefined;
    const last = qualified ? at + 2 : at;
    const isCall = tokens[significant(tokens, last, 1)]?.text === '(';
    const name = qualified ? `${nameOf(token)}.${nameOf(tokens[last]!)}` : nameOf(token);
    const found = isName && !isCall ? measure(name) : undefined;
    expanded.push(...(found === undefined ? tokens.slice(at, last + 1) : parenthesized(found)));
    at = last + 1;
  }
  return expanded;
}

/** Index after the operand that begins at `at`: a call, a parenthesized expression or a name. */
function operandEnd(tokens: readonly Token[], at: number): number {
  const aggregate = aggregateCall(tokens, at);
  if (aggregate !== undefined) return aggregate;
  let end = at;
  while (tokens[end + 1]?.text === '.') end += 2;
  const open = tokens[end]?.text === '(' ? end : significant(tokens, end, 1);
  return tokens[open]?.text === '(' ? closing(tokens, open) + 1 : end + 1;
}

/**
 * Makes divisions between aggregates exact: no integer division in SQLite and Postgres, and NULL instead of an error
 * when the divisor is zero. Divisions inside an aggregate function apply to single rows and stay as written.
 */
export function exactDivisions(tokens: readonly Token[], dividesIntegers: boolean): Token[] {
  const written: Token[] = [];
  let isDecimal = false;
  for (let at = 0; at < tokens.length; ) {
    const end = aggregateCall(tokens, at);
    if (end !== undefined) {
      written.push(...tokens.slice(at, end));
      at = end;
      continue;
    }
    const token = tokens[at++]!;
    // A product that contains a decimal number is not integer; a sum or a parenthesis starts a new term.
    if (token.kind === 'number') isDecimal ||= token.text.includes('.');
    else if (token.kind === 'symbol' && !/^[*/]$/.test(token.text)) isDecimal = false;
    if (token.kind !== 'symbol' || token.text !== '/') {
      written.push(token);
      continue;
    }
    if (!isDecimal && dividesIntegers) {
      written.push(symbol('*'), SPACE, { kind: 'number', text: '1.0' }, SPACE);
    }
    written.push(token);
    if (tokens[at]?.kind === 'space') at++;
    written.push(SPACE);
    const first = tokens[at];
    if (first === undefined || first.kind === 'number' || /^nullif$/i.test(first.text)) continue;
    const stop = operandEnd(tokens, at);
    written.push(
      { kind: 'word', text: 'NULLIF' },
      symbol('('),
      ...exactDivisions(tokens.slice(at, stop), dividesIntegers),
    );
    written.push(symbol(','), SPACE, { kind: 'number', text: '0' }, symbol(')'));
    at = stop;
  }
  return written;
}
