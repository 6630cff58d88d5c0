/** Which expressions never fail, whatever rows they meet: by engine, and only what may decide whether an index is used. */
import type { Dialect } from '../semantic-query/index.ts';
import { operandsOf, shapeOf } from '../sql-kit/ast/forms.ts';
import type { Call, Chain, Expr, Form, In, Join, Select } from '../sql-kit/ast/tree.ts';
import { forEachOperand } from '../sql-kit/ast/walk.ts';
import { fold } from '../sql-kit/dialects/sql-dialect.ts';
import type { AllowedTables } from './allowed-tables.ts';
import { type Sight, Sights } from './clause-columns.ts';
import { isDateForm, isInterval, isIntervalForm, isMoment } from './constant-times.ts';
import { type Engine, engines, isAggregateName, TRUTH_TEST, words } from './infallible-by-engine.ts';
import { areComparable, CASTS, commonKind, isNumber, type Kind } from './value-types.ts';

const COMPARES = words('= == <> != < <= > >= <=>').union(
  new Set(['IS', 'IS NOT', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM']),
);
const CONNECTS = words('AND OR XOR');
/** Tells, of the expressions of one statement, which may fail for some row. */
export class Failures {
  readonly sights: Sights;
  private readonly dialect: Dialect;
  private readonly engine: Engine;
  private readonly kinds = new Map<Expr, Kind | undefined>();

  constructor(tables: AllowedTables) {
    this.dialect = tables.dialect.name;
    this.engine = engines[this.dialect];
    this.sights = new Sights(tables, this.kindOf);
  }

  /** Whether a condition may fail. Subqueries within it are the caller's to look into. */
  inCondition(expr: Expr, sight: Sight): boolean {
    if (this.hasAggregate(expr)) return false;
    return this.truth(expr, sight);
  }

  /** Whether a value may fail that a condition around it may read. */
  inValue(expr: Expr, sight: Sight): boolean {
    return !this.hasAggregate(expr) && this.fails(expr, sight);
  }

  /** Whether columns may fail to compare that a join makes one. */
  inMerged(join: Join): boolean {
    if (this.engine.converts === true) return false;
    if (this.engine.comparisonsFail === true || join.natural) return true;
    return !join.using.every((name) => this.sights.areComparable(name, join));
  }

  /** Whether an aggregate stands in the expression, outside of windows: it decides over groups rather than rows. */
  private hasAggregate(expr: Expr): boolean {
    if (expr.kind === 'call' && expr.over !== undefined) return false;
    if (expr.kind === 'call' && isAggregateName(expr, this.engine)) return true;
    return some(expr, (operand) => this.hasAggregate(operand));
  }

  /** What is taken for true or false: DuckDB makes that of a text, too. */
  private truth(expr: Expr, sight: Sight): boolean {
    if (this.dialect !== 'duckdb' || isBoolean(expr)) return this.fails(expr, sight);
    return expr.kind !== 'constant' || !/^(?:TRUE|FALSE|NULL)$/.test(expr.value);
  }

  private fails(expr: Expr, sight: Sight): boolean {
    const { engine } = this;
    switch (expr.kind) {
      case 'string':
      case 'number':
      case 'blob':
      case 'constant':
      case 'name':
      case 'exists':
        return false;
      case 'scalar':
        return engine.takesFirstRow !== true && !this.hasOneRow(expr.select, sight);
      case 'prefix':
        if (expr.operator === 'NOT') return this.truth(expr.operand, sight);
        return expr.operator !== '-' || expr.operand.kind !== 'number';
      case 'collate':
        return engine.converts !== true || this.anyFails(expr, sight);
      case 'row':
        return this.anyFails(expr, sight);
      case 'case':
        return this.caseFails(expr, sight);
      case 'between':
        return engine.converts !== true || this.anyFails(expr, sight);
      case 'in':
        return !this.isComparableIn(expr, sight) || this.anyFails(expr, sight);
      case 'like':
        return !isPlainLike(expr.operator, expr.pattern, expr.escape) || this.anyFails(expr, sight);
      case 'cast':
        return engine.converts !== true || this.fails(expr.operand, sight);
      case 'chain':
        return !isMoment(expr) && !this.isTotalChain(expr, sight);
      case 'call':
        return this.callFails(expr, sight);
      case 'form':
        return this.formFails(expr, shapeOf(expr), sight);
      case 'lambda':
        return true;
    }
  }

  private anyFails(expr: Expr, sight: Sight): boolean {
    return some(expr, (operand) => this.fails(operand, sight));
  }

  private isTotalChain({ operators, operands }: Chain, sight: Sight): boolean {
    const { engine } = this;
    if (operators.every((operator) => CONNECTS.has(operator))) {
      return !operands.some((operand) => this.truth(operand, sight));
    }
    if (operands.some((operand) => this.fails(operand, sight))) return false;
    if (operators.every((operator) => /^IS(?: NOT)?$/.test(operator)) && operands.slice(1).every(isNull)) return true;
    return operators.every(
      (operator, index) =>
        (COMPARES.has(operator) && this.compare(operands[index]!, operands[index + 1]!, sight, operators.length)) ||
        engine.operators?.has(operator) === true ||
        // In MySQL a date beyond all dates is NULL.
        (engine.converts === true && /^[+-]$/.test(operator) && operands.slice(1).every(isInterval)),
    );
  }

  private compare(one: Expr, other: Expr, sight: Sight, count = 1): boolean {
    const { engine } = this;
    if (engine.converts === true) return true;
    if (engine.comparisonsFail === true || count > 1) return false;
    if (one.kind === 'row' && other.kind === 'row') {
      const { items } = other;
      return one.items.length === items.length && one.items.every((item, at) => this.compare(item, items[at]!, sight));
    }
    return areComparable(this.kindOf(one, sight), this.kindOf(other, sight));
  }

  /** Whether the values have one kind, or all become of one without failing. */
  private agree(exprs: readonly Expr[], sight: Sight): boolean {
    if (this.engine.converts === true) return true;
    if (this.engine.comparisonsFail === true) return false;
    return commonKind(exprs.map((expr) => this.kindOf(expr, sight))) !== undefined;
  }

  private isComparableIn({ operand, set }: In, sight: Sight): boolean {
    const { engine } = this;
    if (engine.converts === true) return true;
    if (engine.comparisonsFail === true) return false;
    if (set.kind === 'list') {
      if (operand.kind !== 'row') return this.agree([operand, ...set.items], sight);
      // One place after the other, each of all rows.
      return operand.items.every((item, at) =>
        this.agree([item, ...set.items.map((row) => (row.kind === 'row' ? row.items[at]! : row))], sight),
      );
    }
    if (set.kind !== 'subquery') return false;
    const single = this.sights.single(set.select, sight);
    const [column, another] = single?.core.columns ?? [];
    if (single === undefined || column?.kind !== 'column' || another !== undefined) return false;
    return areComparable(this.kindOf(operand, sight), this.kindOf(column.expr, single.sight));
  }

  private caseFails(expr: Expr & { kind: 'case' }, sight: Sight): boolean {
    const { operand, branches, otherwise } = expr;
    const results = [...branches.map(({ result }) => result), ...(otherwise === undefined ? [] : [otherwise])];
    const values = results.filter((result) => !isNull(result));
    // One result is not converted.
    if (values.length > 1 && !this.agree(values, sight)) return true;
    const conditions = branches.map(({ condition }) => condition);
    const isSure = (condition: Expr) =>
      operand === undefined
        ? !this.truth(condition, sight)
        : this.compare(operand, condition, sight) && !this.fails(condition, sight);
    if (!conditions.every(isSure) || (operand !== undefined && this.fails(operand, sight))) return true;
    return values.some((result) => this.fails(result, sight));
  }

  private callFails(expr: Call, sight: Sight): boolean {
    // Windows and aggregates are worked out of rows that are seen.
    if (expr.over !== undefined || isAggregateName(expr, this.engine) || isMoment(expr)) return false;
    const isOwn = expr.schema === undefined || expr.schema === 'pg_catalog';
    if (!isOwn || !this.engine.functions.has(fold(expr.name)) || this.anyFails(expr, sight)) return true;
    return this.engine.converts !== true && !expr.args.every((arg) => this.isText(arg, sight));
  }

  private isText(expr: Expr, sight: Sight): boolean {
    const kind = this.kindOf(expr, sight);
    return kind === 'text' || kind === 'literal';
  }

  private formFails(form: Form, shape: string, sight: Sight): boolean {
    if (isDateForm(form, shape) || isIntervalForm(form, shape)) return false;
    if (this.anyFails(form, sight)) return true;
    if (this.engine.forms.test(shape)) return false;
    return this.dialect !== 'postgres' || !this.isTotalForm(form, shape, sight);
  }

  /** Of PostgreSQL, whose rows, arrays and types without an order are compared only when they are there. */
  private isTotalForm(form: Form, shape: string, sight: Sight): boolean {
    const operands = operandsOf(form);
    const [first, second, third] = operands;
    if (LIST_FORM.test(shape)) return this.agree(operands, sight);
    if (BETWEEN_FORM.test(shape)) return this.compare(first!, second!, sight) && this.compare(first!, third!, sight);
    if (LIKE_FORM.test(shape)) return this.isText(first!, sight) && isPlainLike('LIKE', second!, undefined);
    if (!QUANTIFIED_FORM.test(shape) || second?.kind !== 'form' || !/^ARRAY\[/.test(shapeOf(second))) return false;
    return this.agree([first!, ...operandsOf(second)], sight);
  }

  /** A subquery that cannot have a second row. */
  private hasOneRow(select: Select, around: Sight): boolean {
    const { limit } = select;
    if (limit?.kind === 'number' && /^[01]$/.test(limit.value) && select.withTies !== true) return true;
    const single = this.sights.single(select, around);
    if (single === undefined || single.core.groupBy.length > 0) return false;
    return single.core.columns.some((column) => column.kind === 'column' && this.groups(column.expr, single.sight));
  }

  /** Whether an aggregate makes one row of all: over columns of a SELECT further out it belongs to that. */
  private groups(expr: Expr, sight: Sight): boolean {
    if (expr.kind !== 'call' || expr.over !== undefined || !isAggregateName(expr, this.engine)) {
      return some(expr, (operand) => this.groups(operand, sight));
    }
    const reads = (part: Expr): boolean =>
      part.kind === 'name' ? this.sights.isOwn(part, sight) : some(part, (operand) => reads(operand));
    return expr.star || expr.args.some(reads);
  }

  // ── kinds, of PostgreSQL ──────────────────────────────────────────────────────────────────────────────────────

  private readonly kindOf = (expr: Expr, sight: Sight): Kind | undefined => {
    if (this.dialect !== 'postgres') return undefined;
    if (expr.kind === 'name') return this.sights.column(expr, sight);
    if (this.kinds.has(expr)) return this.kinds.get(expr);
    const kind = this.kindIn(expr, sight);
    this.kinds.set(expr, kind);
    return kind;
  };

  private kindIn(expr: Expr, sight: Sight): Kind | undefined {
    if (isMoment(expr)) return 'moment';
    if (isBoolean(expr)) return 'boolean';
    switch (expr.kind) {
      case 'string':
        return 'literal';
      case 'number':
        return 'digits';
      case 'constant':
        return isNull(expr) ? 'literal' : undefined;
      case 'prefix':
        return expr.operator === '-' ? this.number([expr.operand], sight) : undefined;
      case 'chain':
        return /^[-+*/%]*$/.test(expr.operators.join('')) ? this.number(expr.operands, sight) : undefined;
      case 'case': {
        const { branches, otherwise } = expr;
        const results = branches.map(({ result }) => result);
        return this.common(otherwise === undefined ? results : [...results, otherwise], sight);
      }
      case 'scalar': {
        const single = this.sights.single(expr.select, sight);
        const column = single?.core.columns[0];
        return column?.kind === 'column' ? this.kindOf(column.expr, single!.sight) : undefined;
      }
      case 'call':
        return this.kindOfCall(expr, sight);
      case 'form': {
        const shape = shapeOf(expr);
        const cast = /^§::pg_catalog\.(\w+)(?:\([\d, ]+\))?$/.exec(shape)?.[1];
        if (cast !== undefined) return CASTS.get(cast);
        return LIST_FORM.test(shape) && !shape.startsWith('ARRAY') ? this.common(operandsOf(expr), sight) : undefined;
      }
      default:
        return undefined;
    }
  }

  private common(exprs: readonly Expr[], sight: Sight): Kind | undefined {
    return commonKind(exprs.map((expr) => this.kindOf(expr, sight)));
  }

  private number(operands: readonly Expr[], sight: Sight): Kind | undefined {
    const kinds = operands.map((operand) => this.kindOf(operand, sight));
    if (!kinds.every(isNumber)) return undefined;
    return kinds.includes('float') ? 'float' : kinds.length === 1 ? kinds[0] : 'numeric';
  }

  private kindOfCall(expr: Call, sight: Sight): Kind | undefined {
    if (expr.schema !== undefined && expr.schema !== 'pg_catalog') return undefined;
    const [arg] = expr.args;
    const kind = arg === undefined ? undefined : this.kindOf(arg, sight);
    switch (expr.name) {
      case 'count':
      case 'row_number':
      case 'rank':
      case 'dense_rank':
        return 'integer';
      case 'sum':
      case 'avg':
        return isNumber(kind) ? (kind === 'float' ? 'float' : 'numeric') : undefined;
      case 'min':
      case 'max':
        return kind;
      case 'lower':
      case 'upper':
        return arg !== undefined && this.isText(arg, sight) ? 'text' : undefined;
      default:
        return undefined;
    }
  }
}

const isNull = (expr: Expr) => expr.kind === 'constant' && expr.value === 'NULL';

function some(expr: Expr, test: (operand: Expr) => boolean): boolean {
  let found = false;
  forEachOperand(expr, (operand) => {
    found ||= test(operand);
  });
  return found;
}

/** Whether nothing has to be converted to tell whether it is true. */
function isBoolean(expr: Expr): boolean {
  switch (expr.kind) {
    case 'exists':
    case 'in':
    case 'like':
    case 'between':
      return true;
    case 'constant':
      return /^(?:TRUE|FALSE)$/.test(expr.value);
    case 'prefix':
      return expr.operator === 'NOT';
    case 'chain':
      return expr.operators.every((operator) => CONNECTS.has(operator) || COMPARES.has(operator));
    case 'form':
      return BOOLEAN_FORM.test(shapeOf(expr));
    default:
      return false;
  }
}

const LIST_FORM = /^(?:(?:COALESCE|GREATEST|LEAST)\(§(?:, §)*\)|ARRAY\[§(?:, §)*\])$/;
const BETWEEN_FORM = /^§ (?:NOT )?BETWEEN (?:SYMMETRIC )?§ AND §$/;
const QUANTIFIED_FORM = /^§ (?:=|<>) (?:ANY|ALL) \(§\)$/;
const LIKE_FORM = /^§ (?:NOT )?I?LIKE §$/;
const BOOLEAN_FORM = new RegExp(
  [TRUTH_TEST, BETWEEN_FORM, QUANTIFIED_FORM, LIKE_FORM]
    .map((part) => (typeof part === 'string' ? `^${part}$` : part.source))
    .join('|'),
);

/** A pattern is read row by row, and a wrong one fails only at a row that gets so far. */
function isPlainLike(operator: string, pattern: Expr, escapedBy: Expr | undefined): boolean {
  const { kind } = pattern;
  if (!/^I?LIKE$|^GLOB$/.test(operator) || escapedBy !== undefined || kind !== 'string') return false;
  return pattern.value.length < 1_000 && !pattern.value.endsWith('\\');
}
