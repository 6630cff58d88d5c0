/**
 * Tells which expressions never fail, whatever rows they meet: only those that may decide whether an index is used. There
 * are five of them: AND, OR and NOT; tests for NULL and truth; comparisons of columns and constants, with IN and BETWEEN;
 * LIKE with a plain pattern; and, where all conversions succeed, the dialect's own calculations.
 */
import {
  type Call,
  type Chain,
  type Expr,
  type Form,
  fold,
  type In,
  type InfallibleExpressions,
  type Join,
  operandsOf,
  shapeOf,
  someOperand,
  TRUTH_TEST,
  type ValueType,
  wordSet,
} from '../sql-kit/index.ts';
import type { AllowedTables } from './allowed-tables.ts';
import { type ClauseScope, ClauseScopes } from './clause-scope.ts';
import { isConstantTime, isDateForm, isInterval, isIntervalForm } from './constant-times.ts';
import { areComparable, commonType, isNumber } from './value-types.ts';

const COMPARES = wordSet('= == <> != < <= > >= <=>').union(
  new Set(['IS', 'IS NOT', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM']),
);
const CONNECTS = wordSet('AND OR XOR');
/** A longer one may be of a decimal type to which not every integer converts. */
const LONGEST_NUMBER = 20;

/** Tells, of the expressions of one statement, which may fail for some row. */
export class Failures {
  readonly scopes: ClauseScopes;
  readonly #rules: InfallibleExpressions;
  /** The schema of the engine's own functions. */
  readonly #ownSchema: string | undefined;
  readonly #valueTypes = new Map<Expr, ValueType | undefined>();

  constructor(tables: AllowedTables) {
    this.#rules = tables.dialect.infallible;
    this.#ownSchema = tables.dialect.functionSchema;
    this.scopes = new ClauseScopes(tables, this.#typeOf);
  }

  /** Whether a condition may fail. Subqueries within it are the caller's to look into. */
  inCondition(expr: Expr, scope: ClauseScope): boolean {
    if (this.#hasAggregate(expr)) return false;
    return this.#truth(expr, scope);
  }

  /** Whether a value may fail that a condition around it may read. */
  inValue(expr: Expr, scope: ClauseScope): boolean {
    return !this.#hasAggregate(expr) && this.#fails(expr, scope);
  }

  /** Whether columns may fail to compare that a join makes one. */
  inMerged(join: Join): boolean {
    if (this.#rules.converts === true) return false;
    if (this.#rules.comparisonsFail === true || join.natural) return true;
    return !join.using.every((name) => this.scopes.areComparable(name, join));
  }

  /** Whether an aggregate stands in the expression, outside of windows: it decides over groups rather than rows. */
  #hasAggregate(expr: Expr): boolean {
    if (expr.kind === 'call' && expr.over !== undefined) return false;
    if (expr.kind === 'call' && this.#isAggregate(expr)) return true;
    return someOperand(expr, (operand) => this.#hasAggregate(operand));
  }

  /** Whether what is taken for true or false may fail: some engines make that of a text, too. */
  #truth(expr: Expr, scope: ClauseScope): boolean {
    if (this.#rules.convertsConditions !== true || isBoolean(expr)) return this.#fails(expr, scope);
    return expr.kind !== 'constant' || !/^(?:TRUE|FALSE|NULL)$/.test(expr.value);
  }

  #fails(expr: Expr, scope: ClauseScope): boolean {
    const rules = this.#rules;
    switch (expr.kind) {
      case 'string':
      case 'number':
      case 'blob':
      case 'constant':
      case 'name':
      case 'exists':
        return false;
      case 'scalar':
        return rules.takesFirstRow !== true;
      case 'prefix':
        if (expr.operator === 'NOT') return this.#truth(expr.operand, scope);
        return expr.operator !== '-' || expr.operand.kind !== 'number';
      case 'collate':
      case 'between':
      case 'cast':
        return rules.converts !== true || this.#anyFails(expr, scope);
      case 'in':
        return !this.#isComparableIn(expr, scope) || this.#anyFails(expr, scope);
      case 'like':
        return !isPlainLike(expr.operator, expr.pattern, expr.escape) || this.#anyFails(expr, scope);
      case 'chain':
        return !isConstantTime(expr) && !this.#isInfallibleChain(expr, scope);
      case 'call':
        return this.#callFails(expr, scope);
      case 'form':
        return this.#formFails(expr, shapeOf(expr), scope);
      case 'row':
      case 'case':
      case 'lambda':
        return true;
    }
  }

  #anyFails(expr: Expr, scope: ClauseScope): boolean {
    return someOperand(expr, (operand) => this.#fails(operand, scope));
  }

  #isInfallibleChain({ operators, operands }: Chain, scope: ClauseScope): boolean {
    const rules = this.#rules;
    if (operators.every((operator) => CONNECTS.has(operator))) {
      return !operands.some((operand) => this.#truth(operand, scope));
    }
    if (operands.some((operand) => this.#fails(operand, scope))) return false;
    if (operators.every((operator) => /^IS(?: NOT)?$/.test(operator)) && operands.slice(1).every(isNull)) return true;
    return operators.every(
      (operator, index) =>
        (COMPARES.has(operator) && this.#compare(operands[index]!, operands[index + 1]!, scope, operators.length)) ||
        rules.operators?.has(operator) === true ||
        // In MySQL a date beyond all dates is NULL.
        (rules.converts === true && /^[+-]$/.test(operator) && operands.slice(1).every(isInterval)),
    );
  }

  #compare(one: Expr, other: Expr, scope: ClauseScope, count = 1): boolean {
    const rules = this.#rules;
    if (rules.converts === true) return true;
    if (rules.comparisonsFail === true || count > 1) return false;
    return areComparable(this.#typeOf(one, scope), this.#typeOf(other, scope));
  }

  #isComparableIn({ operand, set }: In, scope: ClauseScope): boolean {
    const rules = this.#rules;
    if (rules.converts === true) return true;
    if (rules.comparisonsFail === true) return false;
    if (set.kind === 'list') {
      return commonType([operand, ...set.items].map((expr) => this.#typeOf(expr, scope))) !== undefined;
    }
    if (set.kind !== 'subquery') return false;
    const single = this.scopes.single(set.select, scope);
    const [column, another] = single?.core.columns ?? [];
    if (single === undefined || column?.kind !== 'column' || another !== undefined) return false;
    return areComparable(this.#typeOf(operand, scope), this.#typeOf(column.expr, single.scope));
  }

  #callFails(expr: Call, scope: ClauseScope): boolean {
    // Windows and aggregates are worked out of rows that are seen.
    if (expr.over !== undefined || this.#isAggregate(expr) || isConstantTime(expr)) return false;
    if (!this.#isOwnFunction(expr) || !this.#rules.functions.has(fold(expr.name)) || this.#anyFails(expr, scope))
      return true;
    return this.#rules.converts !== true && !expr.args.every((arg) => this.#isText(arg, scope));
  }

  #isOwnFunction({ schema }: Call): boolean {
    return schema === undefined || schema === this.#ownSchema;
  }

  /** Whether the name and the number of arguments are those of an aggregate of the engine's own. */
  #isAggregate(expr: Call): boolean {
    const { name, args, star } = expr;
    const own = fold(name);
    if (!this.#isOwnFunction(expr) || !this.#rules.aggregates.has(own)) return false;
    // With more arguments SQLite takes the largest of them, row by row.
    return star || !/^(?:min|max)$/.test(own) || args.length === 1;
  }

  #isText(expr: Expr, scope: ClauseScope): boolean {
    const type = this.#typeOf(expr, scope);
    return type === 'text' || type === 'literal';
  }

  #formFails(form: Form, shape: string, scope: ClauseScope): boolean {
    if (isDateForm(form, shape) || isIntervalForm(form, shape)) return false;
    if (this.#anyFails(form, scope)) return true;
    if (this.#rules.forms.test(shape)) return false;
    return this.#rules.valueTypes === undefined || !this.#isInfallibleForm(form, shape, scope);
  }

  /** Whether types say that the form never fails: rows, arrays and types without an order compare only at run time. */
  #isInfallibleForm(form: Form, shape: string, scope: ClauseScope): boolean {
    const [first, second, third] = operandsOf(form);
    if (BETWEEN_FORM.test(shape)) return this.#compare(first!, second!, scope) && this.#compare(first!, third!, scope);
    return LIKE_FORM.test(shape) && this.#isText(first!, scope) && isPlainLike('LIKE', second!, undefined);
  }

  // ── types of values ───────────────────────────────────────────────────────────────────────────────────────────

  readonly #typeOf = (expr: Expr, scope: ClauseScope): ValueType | undefined => {
    if (this.#rules.valueTypes === undefined) return undefined;
    if (expr.kind === 'name') return this.scopes.column(expr, scope);
    if (this.#valueTypes.has(expr)) return this.#valueTypes.get(expr);
    const type = this.#typeIn(expr, scope);
    this.#valueTypes.set(expr, type);
    return type;
  };

  #typeIn(expr: Expr, scope: ClauseScope): ValueType | undefined {
    if (isConstantTime(expr)) return 'moment';
    if (isBoolean(expr)) return 'boolean';
    switch (expr.kind) {
      case 'string':
        return 'literal';
      case 'number':
        return expr.value.length > LONGEST_NUMBER ? undefined : 'digits';
      case 'constant':
        return isNull(expr) ? 'literal' : undefined;
      case 'prefix':
        return expr.operator === '-' ? this.#number([expr.operand], scope) : undefined;
      case 'chain':
        return /^[-+*/%]*$/.test(expr.operators.join('')) ? this.#number(expr.operands, scope) : undefined;
      case 'call':
        return this.#typeOfCall(expr, scope);
      case 'form': {
        const shape = shapeOf(expr);
        const cast = /^§::pg_catalog\.(\w+)(?:\([\d, ]+\))?$/.exec(shape)?.[1];
        return cast === undefined ? undefined : this.#rules.valueTypes?.casts.get(cast);
      }
      default:
        return undefined;
    }
  }

  #number(operands: readonly Expr[], scope: ClauseScope): ValueType | undefined {
    const valueTypes = operands.map((operand) => this.#typeOf(operand, scope));
    if (!valueTypes.every(isNumber)) return undefined;
    return valueTypes.includes('float') ? 'float' : valueTypes.length === 1 ? valueTypes[0] : 'numeric';
  }

  #typeOfCall(expr: Call, scope: ClauseScope): ValueType | undefined {
    if (!this.#isOwnFunction(expr)) return undefined;
    const [arg] = expr.args;
    const type = arg === undefined ? undefined : this.#typeOf(arg, scope);
    switch (expr.name) {
      case 'count':
      case 'row_number':
      case 'rank':
      case 'dense_rank':
        return 'integer';
      case 'sum':
      case 'avg':
        return isNumber(type) ? (type === 'float' ? 'float' : 'numeric') : undefined;
      case 'min':
      case 'max':
        return type;
      case 'lower':
      case 'upper':
        return arg !== undefined && this.#isText(arg, scope) ? 'text' : undefined;
      default:
        return undefined;
    }
  }
}

const isNull = (expr: Expr) => expr.kind === 'constant' && expr.value === 'NULL';

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

const BETWEEN_FORM = /^§ (?:NOT )?BETWEEN (?:SYMMETRIC )?§ AND §$/;
const LIKE_FORM = /^§ (?:NOT )?I?LIKE §$/;
const BOOLEAN_FORM = new RegExp(`^${TRUTH_TEST}$|${BETWEEN_FORM.source}|${LIKE_FORM.source}`);

/** A pattern is read row by row, and a wrong one fails only at a row that gets so far. */
function isPlainLike(operator: string, pattern: Expr, escapedBy: Expr | undefined): boolean {
  const { kind } = pattern;
  if (!/^I?LIKE$|^GLOB$/.test(operator) || escapedBy !== undefined || kind !== 'string') return false;
  return pattern.value.length < 1_000 && !pattern.value.endsWith('\\');
}
