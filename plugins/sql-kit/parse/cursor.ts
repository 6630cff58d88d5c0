import type { SqlDialect } from '../dialects/sql-dialect.ts';
import { syntaxHint } from '../dialects/sqlite/syntax-hint.ts';
import { positionAt, type RefusalRule, SqlRefusal } from './errors.ts';
import type { Token } from './lexer.ts';

/** Deepest nesting of expressions and subqueries; keeps every later walk of the tree clear of the stack's end. */
const MAX_DEPTH = 220;
/** Operators of one precedence that wrap each other, such as `x ISNULL ISNULL`. */
const MAX_STACKED = 100;

/** The tokens of one statement and where the parser stands. */
export class Cursor {
  readonly dialect: SqlDialect;
  readonly text: string;
  private readonly tokens: readonly Token[];
  private index = 0;
  private depth = 0;
  private stacked = 0;

  constructor(text: string, tokens: readonly Token[], dialect: SqlDialect) {
    this.text = text;
    this.tokens = tokens;
    this.dialect = dialect;
  }

  get token(): Token {
    return this.tokens[this.index]!;
  }

  /** The token `ahead` of the current one; the end stays the end. */
  peek(ahead = 1): Token {
    return this.tokens[Math.min(this.index + ahead, this.tokens.length - 1)]!;
  }

  advance(): Token {
    const token = this.tokens[this.index]!;
    if (token.kind !== 'end') this.index += 1;
    return token;
  }

  is(keyword: string): boolean {
    return this.token.keyword === keyword;
  }

  isOperator(operator: string): boolean {
    return this.token.kind === 'operator' && this.token.value === operator;
  }

  /** Whether the token `ahead` of the current one is this operator. */
  peekOperator(operator: string, ahead = 1): boolean {
    const token = this.peek(ahead);
    return token.kind === 'operator' && token.value === operator;
  }

  accept(keyword: string): boolean {
    if (!this.is(keyword)) return false;
    this.index += 1;
    return true;
  }

  acceptOperator(operator: string): boolean {
    if (!this.isOperator(operator)) return false;
    this.index += 1;
    return true;
  }

  /** Whether the next words are these. */
  isWords(first: string, ...rest: readonly string[]): boolean {
    return this.is(first) && rest.every((word, index) => this.peek(index + 1).keyword === word);
  }

  /** Takes these words together or none of them. */
  acceptWords(...words: readonly [string, ...string[]]): boolean {
    if (!this.isWords(...words)) return false;
    this.index += words.length;
    return true;
  }

  /** Throws when the keyword is not next. */
  expect(keyword: string): void {
    if (!this.accept(keyword)) throw this.unexpected(keyword);
  }

  expectOperator(operator: string): void {
    if (!this.acceptOperator(operator)) throw this.unexpected(`"${operator}"`);
  }

  /** Whether a token may be a name in any position; in SQLite `text` quoted in ' counts too. */
  isName(token = this.token): boolean {
    if (token.kind === 'word') return token.keyword === '' || this.dialect.keywords.get(token.keyword) !== 'reserved';
    return token.kind === 'name' || (token.kind === 'string' && this.dialect.syntax.textIsName);
  }

  name(wanted: string): string {
    if (!this.isName()) throw this.unexpected(wanted);
    return this.advance().value;
  }

  /** A name after a dot, where engines other than SQLite take any word. */
  anyName(wanted: string): string {
    if (this.token.kind === 'word' && this.dialect.syntax.isStandard) return this.advance().value;
    return this.name(wanted);
  }

  /** `AS name`, or a name alone where no keyword of a join can be meant. After AS a column may have any name. */
  alias(ofColumn = false): string | undefined {
    if (this.accept('AS')) {
      const { kind } = this.token;
      if (ofColumn && this.dialect.syntax.isStandard && (kind === 'word' || kind === 'string'))
        return this.advance().value;
      return this.name('a name after AS');
    }
    const { keyword, kind } = this.token;
    if (ofColumn && kind === 'string' && this.dialect.syntax.textIsAlias) return this.advance().value;
    if (keyword !== '' && (this.dialect.keywords.get(keyword) !== 'name' || this.startsClause())) return undefined;
    return this.isName() ? this.advance().value : undefined;
  }

  /** Whether a word that may be a name begins what follows a source instead. */
  private startsClause(): boolean {
    const next = this.peek();
    if (this.is('FULL')) return next.keyword === 'JOIN' || next.keyword === 'OUTER';
    if (this.is('OFFSET')) return next.kind === 'number' || (next.kind === 'operator' && next.value === '(');
    return this.startsWindowClause();
  }

  /** WINDOW is a keyword only before `name AS`. */
  startsWindowClause(): boolean {
    return this.is('WINDOW') && this.isName(this.peek()) && this.peek(2).keyword === 'AS';
  }

  /** `item, item, …`, at least one. */
  list<T>(item: () => T): T[] {
    const items = [item()];
    while (this.acceptOperator(',')) items.push(item());
    return items;
  }

  /** Runs `parse` one level deeper. */
  nested<T>(parse: () => T): T {
    this.enter();
    const result = parse();
    this.leave();
    return result;
  }

  enter(): void {
    this.depth += 1;
    if (this.depth > MAX_DEPTH)
      throw this.fail('size', 'The statement is nested too deeply', 'Use WITH for the inner parts.');
  }

  leave(): void {
    this.depth -= 1;
  }

  /** Counts an operator that wraps one of its own precedence and so deepens the tree without nesting. */
  stack(): void {
    this.stacked += 1;
    if (this.stacked > MAX_STACKED) throw this.fail('size', 'The statement is nested too deeply');
  }

  /** A refusal at the current token, or at `at`. */
  fail(rule: RefusalRule, what: string, hint?: string, at = this.token.start): SqlRefusal {
    return new SqlRefusal(rule, what, positionAt(this.text, at), hint);
  }

  /** The current token cannot stand here. */
  unexpected(wanted?: string): SqlRefusal {
    const { token } = this;
    const found = token.kind === 'end' ? 'the end of the statement' : `"${this.text.slice(token.start, token.end)}"`;
    const before = this.tokens[this.index - 1];
    const hint = this.dialect.name === 'sqlite' ? syntaxHint(before, token) : undefined;
    return this.fail(
      'syntax',
      wanted === undefined ? `Unexpected ${found}` : `Expected ${wanted}, found ${found}`,
      hint,
    );
  }
}
