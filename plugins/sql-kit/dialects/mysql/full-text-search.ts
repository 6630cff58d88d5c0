/**
 * Full-text search under a policy. The relevance of a row, and the words of a query expansion, come from all rows of the
 * table, those that are not shown included. Whether a row has the words comes from the row alone, so only that is asked.
 */

import { Level } from '../../ast/precedence.ts';
import type { Core, Expr, Form, From, Select, Source } from '../../ast/tree.ts';
import { forEachInWindow, forEachOperand, forEachTerm } from '../../ast/walk.ts';
import { positionAt, SqlRefusal } from '../../parse/errors.ts';
import type { ReadableTable } from '../readable-table.ts';

const HINT = "Use it as a separate condition in WHERE: MATCH (column) AGAINST ('words' IN BOOLEAN MODE).";
/** Words that mean the same in both modes. */
const PLAIN_WORDS = /^[\p{L}\p{N}\s]*$/u;
const BOOLEAN = ' IN BOOLEAN MODE)';

/** Changes plain searches of a resolved statement that reads `tables`; throws `SqlRefusal` for what tells more. */
export function boundMatches(statement: Select, tables: Iterable<ReadableTable>, text: string): void {
  if (![...tables].some(({ rows = [] }) => rows.length > 0) || !/\bmatch\b/i.test(text)) return;
  new MatchBounds(text).select(statement);
}

const isMatch = (expr: Expr): expr is Form => expr.kind === 'form' && expr.parts[0] === 'MATCH (';

class MatchBounds {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  select(select: Select): void {
    for (const table of select.with?.tables ?? []) this.select(table.select);
    for (const core of [select.first, ...select.rest.map((part) => part.core)]) this.#core(core);
    forEachTerm(select.orderBy, (expr) => this.#value(expr));
  }

  #core(core: Core): void {
    if (core.kind === 'nested') this.select(core.select);
    if (core.kind === 'values') for (const expr of core.rows.flat()) this.#value(expr);
    if (core.kind !== 'core') return;
    for (const column of core.columns) if (column.kind === 'column') this.#value(column.expr);
    if (core.from !== undefined) this.#from(core.from);
    if (core.where !== undefined) this.#condition(core.where);
    if (core.having !== undefined) this.#value(core.having);
    for (const expr of core.groupBy) this.#value(expr);
    for (const { window } of core.windows) forEachInWindow(window, (expr) => this.#value(expr));
  }

  #from({ first, joins }: From): void {
    this.#source(first);
    for (const { source, on } of joins) {
      this.#source(source);
      if (on !== undefined) this.#condition(on);
    }
  }

  #source(source: Source): void {
    if (source.kind === 'join') this.#from(source.from);
    if (source.kind === 'subquery' && !source.isPart) this.select(source.select);
    if (source.kind === 'function') for (const arg of source.args) this.#value(arg);
    if (source.kind === 'rows') for (const { call } of source.calls) this.#value(call);
  }

  /** What is only asked whether it is true. */
  #condition(expr: Expr): void {
    if (isMatch(expr)) this.#search(expr);
    else if (expr.kind === 'chain' && (expr.level <= Level.and || isPositive(expr))) {
      for (const operand of expr.operands) this.#condition(operand);
    } else if (expr.kind === 'prefix' && (expr.operator === 'NOT' || expr.operator === '!')) {
      this.#condition(expr.operand);
    } else this.#value(expr);
  }

  #value(expr: Expr): void {
    if (isMatch(expr)) throw this.#refuse('The relevance of a full-text search counts rows that are not shown', expr);
    if (expr.kind === 'scalar' || expr.kind === 'exists') this.select(expr.select);
    if (expr.kind === 'in' && expr.set.kind !== 'list') this.#source(expr.set);
    forEachOperand(expr, (operand) => this.#value(operand));
  }

  #search(match: Form): void {
    const [words, mode] = match.parts.slice(-2);
    if (mode === BOOLEAN) return;
    const isPlain = typeof words === 'object' && words.expr.kind === 'string' && PLAIN_WORDS.test(words.expr.value);
    if (!isPlain || (typeof mode === 'string' && mode.includes('EXPANSION'))) {
      throw this.#refuse('This full-text search chooses rows by others that are not shown', match);
    }
    Object.assign(match, { parts: [...match.parts.slice(0, -1), BOOLEAN] });
  }

  #refuse(what: string, { at }: Expr): SqlRefusal {
    return new SqlRefusal('function', what, positionAt(this.#text, at), HINT);
  }
}

/** `MATCH … AGAINST … > 0`, which is true where the search is. */
function isPositive({ operators, operands }: Extract<Expr, { kind: 'chain' }>): boolean {
  const [left, right] = operands;
  const isZero = right?.kind === 'number' && Number(right.value) === 0;
  return operators.length === 1 && operators[0] === '>' && isZero && left !== undefined && isMatch(left);
}
