/** Holds the place in the tokens of a statement, and declares what a parser must know of an engine's SQL. */
import type { Core, Expr, Form, From, Join, ResultColumn, Select, Source, Star, TableSource } from '../ast/tree.ts';
import { positionAt, type RefusalRule, SqlRefusal } from './errors.ts';
import type { Lexer, Token } from './lexer.ts';

/**
 * What a keyword may also be:
 * `reserved` never a name; `name` a name wherever it has no special meaning;
 * `join` a name except as an alias without AS, where it starts a join.
 */
export type KeywordUse = 'reserved' | 'name' | 'join';

/** How an engine writes SQL: what lexer, parser and printer must know beyond what all engines have in common. */
export interface Syntax {
  /** Takes the token, comment or white space that begins at the lexer's offset with the character `code`. */
  token(lexer: Lexer, code: number): void;
  /** Signs and words between two operands. */
  readonly infix: ReadonlyMap<string, number>;
  /** Operators whose right operand must bind more strongly than their own level says. */
  readonly rightLevels?: ReadonlyMap<string, number>;
  /** Words like LIKE, IN and BETWEEN, and how strongly they bind. */
  readonly predicates: ReadonlySet<string>;
  readonly predicateLevel: number;
  /** How strongly the first bound of BETWEEN must bind, and the second. */
  readonly betweenLevels: readonly [low: number, high: number];
  /** The canonical spelling of operators that have several. */
  readonly spelling?: ReadonlyMap<string, string>;
  /** Signs before an operand, and how strongly that operand binds. */
  readonly prefixes: ReadonlyMap<string, number>;
  /** How strongly the operand of a printed NOT must bind. */
  readonly notLevel: number;
  /** Words that begin a reading statement. */
  readonly openers: ReadonlySet<string>;
  /**
   * Whether it has what SQLite lacks: set operations with ALL and of parts in parentheses, lists of columns after an
   * alias, LATERAL, ANY and ALL, FETCH FIRST.
   */
  readonly isStandard: boolean;
  /** DuckDB's friendly SQL: FROM first, `name: value`, commas at the end, DISTINCT ON, FILTER without WHERE. */
  readonly isFriendly?: boolean;
  /** Whether text in single quotes can be a name. */
  readonly textIsName: boolean;
  /** Whether text can be the name of a result column without AS. */
  readonly textIsAlias?: boolean;
  /** A column without alias is named after its text when that is not longer than this. */
  readonly longestNamingText: number;
  /** Words after SELECT that ask for a way of working and not for another result; they are left out. */
  readonly selectWords?: ReadonlySet<string>;
  /** What to write instead of `found`, which cannot stand after `before`. */
  hint?(before: Token | undefined, found: Token): string | undefined;
  /** Takes a name for a value after WITH, where the engine has such; whether it did. */
  namedValue?(cursor: Cursor): boolean;
  /** Predicates that only this engine has, from the word `keyword` behind the operand on; `undefined` for all others. */
  predicate?(cursor: Cursor, operand: Expr, keyword: string, not: boolean): Expr | undefined;
  /** The condition on the rows of `from`, where more than WHERE may stand before it. */
  condition?(cursor: Cursor, from: From | undefined): Expr | undefined;
  /** Operands that only this engine has; `undefined`, with nothing consumed, for all others. */
  primary?(cursor: Cursor): Expr | undefined;
  /** Words that join: `ASOF LEFT JOIN`. */
  join?(cursor: Cursor): Pick<Join, 'kind' | 'natural' | 'asof' | 'words'> | undefined;
  /** What may follow a table's name and alias. */
  tableHints?(cursor: Cursor): Partial<TableSource> | undefined;
  /** Sources in FROM that only this engine has. */
  source?(cursor: Cursor): Source | undefined;
  /** What a source becomes by words after it: `TABLESAMPLE 10%`, `PIVOT (…)`. */
  changed?(cursor: Cursor, source: Source): Source;
  /** A SELECT that begins with other words. */
  core?(cursor: Cursor): Core | undefined;
  /** The number of rows, where it is no plain expression. */
  limit?(cursor: Cursor): Expr | undefined;
  /** LIMIT, OFFSET and FETCH, where they are not those of the others. */
  rows?(cursor: Cursor): Pick<Select, 'limit' | 'offset' | 'withTies'>;
  /** What changes a `*` that has just been read. */
  star?(cursor: Cursor, star: Star): ResultColumn;
  /** `USING SAMPLE …` in its canonical spelling. */
  sample?(cursor: Cursor): string | undefined;
  /** What may stand in GROUP BY besides expressions. */
  grouping?(cursor: Cursor): Expr | undefined;
  /** What may stand in ORDER BY besides expressions. */
  ordering?(cursor: Cursor): Expr | undefined;
  /** What may follow an operand without a right operand: `::type`, `[1]`; `undefined` when nothing does. */
  postfix?(cursor: Cursor, operand: Expr): Expr | undefined;
  /** What may follow the arguments of a function, inside its parentheses. */
  tail?(cursor: Cursor): Form | undefined;
  /** An argument of a function where it is no plain expression. */
  argument?(cursor: Cursor): Expr | undefined;
}

/** What lexer and parser know about one engine. */
export interface Grammar {
  /** Upper-case keyword to its use. */
  readonly keywords: ReadonlyMap<string, KeywordUse>;
  readonly syntax: Syntax;
  /** The schema that an unqualified table name means. */
  readonly defaultSchema: string;
  /** The database's own name, in lower case unless names are exact, which may stand before a schema; missing: none is known. */
  readonly catalog?: string;
  /** `column.field` reads a part of a value. */
  readonly hasFields?: boolean;
}

/** Parsers of what stands inside itself: an expression in a SELECT in an expression. */
export interface NestedParsers {
  /** An expression whose operators bind at least as strongly as `minimum`; default: any. */
  expression(cursor: Cursor, minimum?: number): Expr;
  /** A SELECT, whose first core may have been read already. */
  select(cursor: Cursor, known?: Core): Select;
}

/** Deepest nesting of expressions and subqueries; keeps every later walk of the tree clear of the stack's end. */
const MAX_DEPTH = 220;
/** Operators of one precedence that wrap each other, such as `x ISNULL ISNULL`. */
const MAX_STACKED = 100;

/** The tokens of one statement and where the parser stands. */
export class Cursor {
  readonly dialect: Grammar;
  readonly text: string;
  readonly #tokens: readonly Token[];
  readonly #nestedParsers: NestedParsers;
  #index = 0;
  #depth = 0;
  #stacked = 0;

  constructor(text: string, tokens: readonly Token[], dialect: Grammar, nestedParsers: NestedParsers) {
    this.text = text;
    this.#tokens = tokens;
    this.dialect = dialect;
    this.#nestedParsers = nestedParsers;
  }

  /** Reads an expression whose operators bind at least as strongly as `minimum`; default: any. */
  expression(minimum?: number): Expr {
    return this.#nestedParsers.expression(this, minimum);
  }

  /** Reads a SELECT, whose first core may have been read already. */
  select(known?: Core): Select {
    return this.#nestedParsers.select(this, known);
  }

  get token(): Token {
    return this.#tokens[this.#index]!;
  }

  /** The token `ahead` of the current one; the end stays the end. */
  peek(ahead = 1): Token {
    return this.#tokens[Math.min(this.#index + ahead, this.#tokens.length - 1)]!;
  }

  advance(): Token {
    const token = this.#tokens[this.#index]!;
    if (token.kind !== 'end') this.#index += 1;
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
    this.#index += 1;
    return true;
  }

  acceptOperator(operator: string): boolean {
    if (!this.isOperator(operator)) return false;
    this.#index += 1;
    return true;
  }

  /** Whether the next words are these. */
  isWords(first: string, ...rest: readonly string[]): boolean {
    return this.is(first) && rest.every((word, index) => this.peek(index + 1).keyword === word);
  }

  /** Takes these words together or none of them. */
  acceptWords(...words: readonly [string, ...string[]]): boolean {
    if (!this.isWords(...words)) return false;
    this.#index += words.length;
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
    if (keyword !== '' && (this.dialect.keywords.get(keyword) !== 'name' || this.#startsClause())) return undefined;
    return this.isName() ? this.advance().value : undefined;
  }

  /** Whether a word that may be a name begins what follows a source instead. */
  #startsClause(): boolean {
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
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw this.fail('size', 'The statement is nested too deeply', 'Use WITH for the inner parts.');
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Counts an operator that wraps one of its own precedence and so deepens the tree without nesting. */
  stack(): void {
    this.#stacked += 1;
    if (this.#stacked > MAX_STACKED) throw this.fail('size', 'The statement is nested too deeply');
  }

  /** A refusal at the current token, or at `at`. */
  fail(rule: RefusalRule, what: string, hint?: string, at = this.token.start): SqlRefusal {
    return new SqlRefusal(rule, what, positionAt(this.text, at), hint);
  }

  /** The current token cannot stand here. */
  unexpected(wanted?: string): SqlRefusal {
    const { token } = this;
    const found = token.kind === 'end' ? 'the end of the statement' : `"${this.text.slice(token.start, token.end)}"`;
    const before = this.#tokens[this.#index - 1];
    const hint = this.dialect.syntax.hint?.(before, token);
    return this.fail(
      'syntax',
      wanted === undefined ? `Unexpected ${found}` : `Expected ${wanted}, found ${found}`,
      hint,
    );
  }
}
