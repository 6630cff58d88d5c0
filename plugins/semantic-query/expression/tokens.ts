/**
 * SQL fragments of the semantic layer as tokens: enough of a lexer to expand `{dimension}`, to tell columns from
 * functions, keywords and types, and to put an alias before each column once several tables are in play.
 */

import { expressionWords, nullWords, strictFunctions, timeUnits, unitFunctions } from './words.ts';
import { type Dialect, PlanError } from '../plan.ts';

export interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'reference' | 'symbol' | 'space';
  /** As written, except `reference`: the name between the braces. */
  readonly text: string;
}

/** A column of the entity at hand, already quoted as needed. */
export const columnToken = (identifier: string): Token => ({ kind: 'name', text: identifier });

const rules: readonly (readonly [Token['kind'] | 'comment', RegExp])[] = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*|\/\*[\s\S]*?\*\//y],
  ['reference', /\{\s*[\p{L}_][\p{L}\p{N}_ .-]*\}/uy],
  ['text', /[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/y],
  ['name', /"(?:[^"]|"")*"|`(?:[^`]|``)*`/y],
  ['number', /\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['symbol', /::|<=>|<>|!=|<=|>=|\|\||->>|->|[\s\S]/y],
];

/** MySQL strings know backslashes, and its double quotes are strings as well. */
const mysqlText = /'(?:[^'\\]|''|\\[\s\S])*'|"(?:[^"\\]|""|\\[\s\S])*"/y;
/** Square brackets quote names in SQLite; elsewhere they index. */
const sqliteBrackets = /\[[^\]]*\]/y;

function match(rule: RegExp, source: string, at: number): string | undefined {
  rule.lastIndex = at;
  return rule.exec(source)?.[0];
}

function nextToken(source: string, at: number, dialect: Dialect): { kind: Token['kind'] | 'comment'; text: string } {
  if (dialect === 'mysql') {
    const text = match(mysqlText, source, at);
    if (text !== undefined) return { kind: 'text', text };
  }
  if (dialect === 'sqlite') {
    const text = match(sqliteBrackets, source, at);
    if (text !== undefined) return { kind: 'name', text };
  }
  for (const [kind, rule] of rules) {
    const text = match(rule, source, at);
    if (text !== undefined) return { kind, text };
  }
  throw new Error('unreachable: the last rule matches any character');
}

/** Longest fragment, in characters. */
const MAX_LENGTH = 20_000;

/** `where` names the fragment in messages. Comments go; a semicolon or an open quote or comment is refused. */
export function tokenize(source: string, dialect: Dialect, where: string): Token[] {
  if (source.length > MAX_LENGTH) {
    const what = `The SQL of ${where} is longer than ${MAX_LENGTH} characters`;
    throw new PlanError('invalid_plan', `${what}; put the calculation into a view of the database.`);
  }
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    const { kind, text } = nextToken(source, at, dialect);
    at += text.length;
    if (kind === 'symbol' && (/[;'"`]/.test(text) || opens(source, at - text.length, dialect))) {
      throw new PlanError('invalid_plan', `The SQL of ${where} has a stray ${text}; correct it in the semantic layer.`);
    }
    if (kind === 'comment' || kind === 'space') tokens.push({ kind: 'space', text: ' ' });
    else if (kind === 'reference') tokens.push({ kind, text: text.slice(1, -1).trim() });
    else tokens.push({ kind, text });
  }
  while (tokens.at(-1)?.kind === 'space') tokens.pop();
  while (tokens[0]?.kind === 'space') tokens.shift();
  return tokens;
}

/** Whether a comment, name or text begins at `at`, of which no rule has found the end: none further on will, either. */
function opens(source: string, at: number, dialect: Dialect): boolean {
  const rule = dialect === 'sqlite' ? /\/\*|\$\w*\$|\[/y : /\/\*|\$\w*\$/y;
  return match(rule, source, at) !== undefined;
}

/** Name that a word or quoted name stands for, in lower case. */
export function nameOf(token: Token): string {
  const text = token.kind === 'name' ? token.text.slice(1, -1) : token.text;
  return (/^["`[]/.test(token.text) ? text : token.text).toLowerCase();
}

const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'name';

/** Index of the next token from `at` in steps of `step` that is not space. */
export function significant(tokens: readonly Token[], at: number, step: 1 | -1): number {
  let index = at + step;
  while (tokens[index]?.kind === 'space') index += step;
  return index;
}

/** Index of the parenthesis that closes the one at `open`; the last index where none does. */
export function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    const text = tokens[index]!.kind === 'symbol' ? tokens[index]!.text : '';
    if (text === '(') depth++;
    if (text === ')' && --depth === 0) return index;
  }
  return tokens.length - 1;
}

/** Whether the fragment can stand beside an operator without parentheses: a name, a literal, a call, or wrapped. */
export function isOperand(tokens: readonly Token[]): boolean {
  let open = 0;
  while (isName(tokens[open]) && tokens[open + 1]?.text === '.') open += 2;
  if (tokens.length === open + 1 && tokens[open]!.kind !== 'symbol') return true;
  if (isName(tokens[open])) open++;
  return tokens[open]?.text === '(' && closing(tokens, open) === tokens.length - 1;
}

export const parenthesized = (tokens: readonly Token[]): readonly Token[] =>
  isOperand(tokens) ? tokens : [{ kind: 'symbol', text: '(' }, ...tokens, { kind: 'symbol', text: ')' }];

/** Whether the fragment is surely NULL (or not true) where all its columns are NULL. */
export function isStrict(tokens: readonly Token[]): boolean {
  const words = tokens.filter(isName);
  if (words.length === 0 || tokens.some(({ text }) => text === '<=>')) return false;
  return tokens.every((token, at) => {
    if (token.kind !== 'word') return true;
    const word = token.text.toLowerCase();
    const isCall = tokens[significant(tokens, at, 1)]?.text === '(' && !expressionWords.has(word);
    return isCall ? strictFunctions.has(word) : !nullWords.has(word);
  });
}

export interface Qualification {
  /** Alias to put before columns; `undefined` leaves them bare. */
  readonly alias: string | undefined;
  /** What a written qualifier (`orders.status`) becomes. */
  readonly qualifier: string;
  /** Lower-case names that stand for the entity as a qualifier. */
  readonly ownNames: ReadonlySet<string>;
  /** Lower-case columns the model knows of, for names that are also SQL words, such as `date`. */
  readonly columns: ReadonlySet<string>;
}

/** A word in a place where SQL expects something other than a column: a type, a unit, a collation. */
function isPlaced(tokens: readonly Token[], at: number): boolean {
  const before = significant(tokens, at, -1);
  const previous = tokens[before]?.text.toLowerCase();
  if (previous === '::' || previous === 'as' || previous === 'collate') return true;
  const word = tokens[at]!.text.toLowerCase();
  if (!timeUnits.has(word)) return false;
  if (previous === '(') return unitFunctions.has(tokens[significant(tokens, before, -1)]?.text.toLowerCase() ?? '');
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
  if (isPlaced(tokens, at)) return false;
  const word = token.text.toLowerCase();
  const kind = expressionWords.get(word);
  if (kind === undefined) return true;
  return kind === 'soft' && next?.kind !== 'text' && columns.has(word);
}

/** Writes the fragment out, each column of the entity behind its alias. */
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
