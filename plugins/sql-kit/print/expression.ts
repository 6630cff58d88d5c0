/** Prints expressions as canonical SQL. */

import { fold } from '../ast/names.ts';
import { Level, levelOf } from '../ast/precedence.ts';
import type {
  BoundValue,
  Call,
  Case,
  Cast,
  Chain,
  ColumnRef,
  Expr,
  Form,
  Frame,
  FrameBound,
  In,
  Lambda,
  Like,
  OrderTerm,
  PrintedSelect,
  Select,
  SetOperator,
  Source,
  Window,
} from '../ast/tree.ts';

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MARK = /\0(\d+)\0/;

/** What `print` makes of each item, with commas between. */
export function separated<T>(items: readonly T[], print: (item: T) => string): string {
  let text = '';
  for (let index = 0; index < items.length; index += 1) {
    text += index === 0 ? print(items[index]!) : `, ${print(items[index]!)}`;
  }
  return text;
}

/** What the printer knows about an engine. */
export interface PrintRules {
  /** Upper-case words that are quoted where they are names. */
  readonly keywords: ReadonlyMap<string, unknown>;
  /** `notLevel`: how strongly the operand of NOT must bind. */
  readonly syntax: { readonly notLevel: number };
  /** Scalar, aggregate and window functions that may be called, lower case. */
  readonly functions: ReadonlySet<string>;
  /** Where `functions` live; a call of another schema is one of those allowed by option. */
  readonly functionSchema?: string;
  /** Names are equal only to the letter: the reader has folded those that were written without quotes. */
  readonly hasExactNames?: boolean;
  /** The name as it prints, in quotes where needed. */
  printName?(name: string): string;
  /** The text as it prints, in quotes. */
  printText?(text: string): string;
  /** A schema of another catalog goes by the names of both, with a dot between. */
  readonly hasCatalogs?: boolean;
  /** LIMIT and OFFSET, each with a blank before, where they do not stand in this order. */
  printLimit?(limit: string | undefined, offset: string | undefined, withTies: boolean): string;
  /**
   * As GoogleSQL: set operations without ALL say DISTINCT, a star leaves columns out by EXCEPT, and a column without a name is
   * not named after its text, which could be no name of a column.
   */
  readonly isGoogle?: boolean;
  /** The place of a bound value, counted from 1. */
  printParam?(number: number): string;
}

/** Prints what stands inside expressions and is no expression. */
interface StatementPrinter {
  select(select: Select): string;
  source(source: Source): string;
}

/** Prints expressions; statements inside them are left to another printer. */
export class ExpressionPrinter {
  readonly #rules: PrintRules;
  readonly #statements: StatementPrinter;
  readonly #values: BoundValue[] = [];

  constructor(rules: PrintRules, statements: StatementPrinter) {
    this.#rules = rules;
    this.#statements = statements;
  }

  /** Its number, or a mark in the text, as parts are not always printed in the order in which they stand. */
  param(value: BoundValue): string {
    const number = this.#values.push(value);
    return this.#rules.printParam?.(number) ?? `\0${number - 1}\0`;
  }

  /** What was printed, with a place for each bound value, and those values in the order of the places. */
  withParams(text: string): { readonly sql: string; readonly params: readonly BoundValue[] } {
    if (this.#values.length === 0 || this.#rules.printParam !== undefined) return { sql: text, params: this.#values };
    const { texts, params } = this.split(text);
    return { sql: texts.join('?'), params };
  }

  /** The same in pieces, for a printer without numbers. */
  split(text: string): PrintedSelect {
    const parts = text.split(MARK);
    return {
      texts: parts.filter((_, index) => index % 2 === 0),
      params: parts.flatMap((part, index) => (index % 2 === 0 ? [] : [this.#values[Number(part)]!])),
    };
  }

  /** In quotes unless it is a plain word that means nothing else. */
  name(name: string): string {
    if (this.#rules.printName !== undefined) return this.#rules.printName(name);
    if (PLAIN_NAME.test(name)) {
      const upper = name.toUpperCase();
      if (!this.#rules.keywords.has(upper) && upper !== 'TRUE' && upper !== 'FALSE') return name;
    }
    return `"${name.replaceAll('"', '""')}"`;
  }

  schema(name: string): string {
    return this.#rules.hasCatalogs
      ? name
          .split('.')
          .map((part) => this.name(part))
          .join('.')
      : this.name(name);
  }

  setOperator(operator: SetOperator): string {
    return this.#rules.isGoogle && !operator.includes('ALL') ? `${operator} DISTINCT` : operator;
  }

  get excludeWord(): string {
    return this.#rules.isGoogle ? 'EXCEPT' : 'EXCLUDE';
  }

  /** Whether the engine names a column without a name after its text. */
  get namesByText(): boolean {
    return this.#rules.isGoogle !== true;
  }

  /** What ends a SELECT. */
  limit({ limit, offset, withTies }: Pick<Select, 'limit' | 'offset' | 'withTies'>): string {
    const [rows, skipped] = [limit, offset].map((expr) => expr && this.expr(expr));
    if (this.#rules.printLimit !== undefined) return this.#rules.printLimit(rows, skipped, withTies === true);
    const start = rows === undefined || withTies ? '' : ` LIMIT ${rows}`;
    const middle = skipped === undefined ? start : `${start} OFFSET ${skipped}`;
    return rows !== undefined && withTies ? `${middle} FETCH FIRST (${rows}) ROWS WITH TIES` : middle;
  }

  names(names: readonly string[]): string {
    return separated(names, (name) => this.name(name));
  }

  list(exprs: readonly Expr[]): string {
    return separated(exprs, (expr) => this.expr(expr));
  }

  /** In parentheses unless it binds at least as strongly as `minimum`. */
  operand(expr: Expr, minimum: number): string {
    const text = this.expr(expr);
    return levelOf(expr) < minimum ? `(${text})` : text;
  }

  expr(expr: Expr): string {
    switch (expr.kind) {
      case 'string':
        return this.#rules.printText?.(expr.value) ?? `'${expr.value.replaceAll("'", "''")}'`;
      case 'blob':
        return `x'${expr.value}'`;
      case 'number':
      case 'constant':
        return expr.value;
      case 'name':
        return expr.bound === undefined ? this.#columnRef(expr) : this.param(expr.bound);
      case 'prefix':
        if (expr.operator === 'NOT') return `NOT ${this.operand(expr.operand, this.#rules.syntax.notLevel)}`;
        return expr.operator + this.operand(expr.operand, Level.primary);
      case 'chain':
        return this.#chain(expr);
      case 'like':
        return this.#like(expr);
      case 'between':
        return `${this.#tight(expr.operand)} ${expr.not ? 'NOT ' : ''}BETWEEN ${this.#tight(expr.low)} AND ${this.#tight(expr.high)}`;
      case 'in':
        return this.#in(expr);
      case 'collate':
        return `${this.operand(expr.operand, Level.primary)} COLLATE ${this.name(expr.collation)}`;
      case 'cast':
        return this.#cast(expr);
      case 'case':
        return this.#case(expr);
      case 'call':
        return this.call(expr);
      case 'scalar':
        return `(${this.#statements.select(expr.select)})`;
      case 'exists':
        return `EXISTS (${this.#statements.select(expr.select)})`;
      case 'row':
        return `(${this.list(expr.items)})`;
      case 'lambda':
        return this.#lambda(expr);
      case 'form':
        return this.form(expr);
    }
  }

  /** As it was written: the engine names a column after it. */
  #lambda({ params, isArrow, body }: Lambda): string {
    const names = this.names(params);
    if (!isArrow) return `LAMBDA ${names}: ${this.expr(body)}`;
    return `${params.length === 1 ? names : `(${names})`} -> ${this.operand(body, Level.or)}`;
  }

  form({ parts }: Form): string {
    let text = '';
    for (const part of parts) text += typeof part === 'string' ? part : this.operand(part.expr, part.minimum);
    return text;
  }

  /** An operand of an operator of the level of equality. */
  #tight(expr: Expr): string {
    return this.operand(expr, Level.comparison);
  }

  #columnRef({ schema, table, name }: ColumnRef): string {
    const column = this.name(name);
    if (table === undefined) return column;
    const qualified = `${this.name(table)}.${column}`;
    return schema === undefined ? qualified : `${this.schema(schema)}.${qualified}`;
  }

  /** The first operand is in parentheses at equal strength too: it was when it was written. */
  #chain(expr: Chain): string {
    let text = this.operand(expr.operands[0]!, expr.level + 1);
    for (let index = 0; index < expr.operators.length; index += 1) {
      text += ` ${expr.operators[index]!} ${this.operand(expr.operands[index + 1]!, expr.level + 1)}`;
    }
    return text;
  }

  #like(expr: Like): string {
    const text = `${this.#tight(expr.operand)} ${expr.not ? 'NOT ' : ''}${expr.operator} ${this.#tight(expr.pattern)}`;
    return expr.escape === undefined ? text : `${text} ESCAPE ${this.#tight(expr.escape)}`;
  }

  #in({ operand, not, set }: In): string {
    const values = set.kind === 'list' ? `(${this.list(set.items)})` : this.#statements.source(set);
    return `${this.#tight(operand)} ${not ? 'NOT ' : ''}IN ${values}`;
  }

  /** Sizes are numbers as written; words are quoted where a keyword would be misread. */
  #cast({ operand, type }: Cast): string {
    const words = type.words.map((word) => this.name(word)).join(' ');
    const sizes = type.sizes.length === 0 ? '' : `(${type.sizes.join(', ')})`;
    return `CAST(${this.expr(operand)} AS ${words}${sizes})`;
  }

  #case(expr: Case): string {
    let text = expr.operand === undefined ? 'CASE' : `CASE ${this.expr(expr.operand)}`;
    for (const { condition, result } of expr.branches) {
      text += ` WHEN ${this.expr(condition)} THEN ${this.expr(result)}`;
    }
    if (expr.otherwise !== undefined) text += ` ELSE ${this.expr(expr.otherwise)}`;
    return `${text} END`;
  }

  call(expr: Call): string {
    let inner = expr.star ? '*' : this.list(expr.args);
    if (expr.variadic)
      inner = [this.list(expr.args.slice(0, -1)), `VARIADIC ${this.list(expr.args.slice(-1))}`]
        .filter(Boolean)
        .join(', ');
    if (expr.distinct) inner = `DISTINCT ${inner}`;
    if (expr.orderBy.length > 0 && !expr.withinGroup) inner += ` ${this.orderBy(expr.orderBy)}`;
    if (expr.tail !== undefined) inner += this.form(expr.tail);
    const parameters = expr.parameters === undefined ? '' : `(${this.list(expr.parameters)})`;
    let text = `${this.#functionName(expr)}${parameters}(${inner})`;
    if (expr.withinGroup) text += ` WITHIN GROUP (${this.orderBy(expr.orderBy)})`;
    if (expr.filter !== undefined) text += ` FILTER (WHERE ${this.expr(expr.filter)})`;
    if (expr.nulls !== undefined) text += this.form(expr.nulls);
    if (expr.over === undefined) return text;
    return `${text} OVER ${typeof expr.over === 'string' ? this.name(expr.over) : this.window(expr.over)}`;
  }

  /** A few functions are named like keywords, `replace` and `if`; before a parenthesis they need no quotes. */
  #functionName({ schema, name, isWord }: Call): string {
    if (isWord === true) return name.toUpperCase();
    // After the engine's own schema no keyword means anything.
    const isOwn = schema !== undefined && schema === this.#rules.functionSchema && this.#rules.functions.has(name);
    if (isOwn) return `${schema}.${name}`;
    if (schema !== undefined) return `${this.name(schema)}.${this.name(name)}`;
    if (this.#rules.hasExactNames) return this.name(name);
    return PLAIN_NAME.test(name) && this.#rules.functions.has(fold(name)) ? name : this.name(name);
  }

  orderBy(terms: readonly OrderTerm[]): string {
    const texts = separated(terms, ({ expr, direction, nulls }) => {
      const text = direction === undefined ? this.expr(expr) : `${this.expr(expr)} ${direction}`;
      return nulls === undefined ? text : `${text} NULLS ${nulls}`;
    });
    return `ORDER BY ${texts}`;
  }

  window(window: Window): string {
    const parts: string[] = [];
    if (window.base !== undefined) parts.push(this.name(window.base));
    if (window.partitionBy.length > 0) parts.push(`PARTITION BY ${this.list(window.partitionBy)}`);
    if (window.orderBy.length > 0) parts.push(this.orderBy(window.orderBy));
    if (window.frame !== undefined) parts.push(this.#frame(window.frame));
    return `(${parts.join(' ')})`;
  }

  #frame({ unit, start, end, exclude }: Frame): string {
    const range = end === undefined ? this.#bound(start) : `BETWEEN ${this.#bound(start)} AND ${this.#bound(end)}`;
    return `${unit} ${range}${exclude === undefined ? '' : ` EXCLUDE ${exclude}`}`;
  }

  #bound(bound: FrameBound): string {
    return 'distance' in bound ? `${this.operand(bound.distance, Level.equality)} ${bound.kind}` : bound.kind;
  }
}
