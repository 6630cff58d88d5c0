/** Objects to a query that compares a column with a literal of another type. */
import type { QueryObjection } from '../../agent/index.ts';
import type { ModelDimension, QueryReading } from '../../semantic-layer/index.ts';
import { type Expr, operandsOf, type SqlDialect, shapeOf } from '../../sql-kit/index.ts';
import { truncate } from '../../text-kit/index.ts';
import { memberOf, visitStatement } from './statement-visitor.ts';

const MAX_OBJECTIONS = 5;
const MAX_CHARS = 60;
/** Longer texts are compared with nothing but texts. */
const MAX_LITERAL_CHARS = 200;
const MAX_SHOWN_VALUES = 10;

const COMPARISON = new Set(['=', '==', '<>', '!=', '<=>', '<', '<=', '>', '>=']);
const BETWEEN = /^§ (?:NOT )?BETWEEN (?:SYMMETRIC )?§ AND §$/;

/** Every engine reads these as numbers, or some as money. */
const NUMBER = /^(?:[\s$€£¥+-]*[\d.,_]+(?:e[+-]?\d+)?|\s*0[xob][\da-f_]+|\s*[+-]?(?:nan|inf(?:inity)?))\s*$/i;
const FLAG = /^\s*(?:t|tr|tru|true|f|fa|fal|fals|false|y|ye|yes|n|no|on|of|off|[+-]?[01](?:\.0*)?)\s*$/i;
/** A year, month or day, also as a part or with a time. `0000-00-00` is MySQL's missing date. */
const DATE =
  /^\s*(?:[+-]?\d{4,6}(?:[-/.]?(?:0?[1-9]|1[0-2])(?:[-/.]?(?:0?[1-9]|[12]\d|3[01])(?:[T ,][\s\S]*)?)?)?|0000-00-00[\s\S]*|[+-]?infinity|epoch)\s*$/i;
/** What PostgreSQL reads besides. */
const DATE_WORDS =
  /^\s*(?:now|today|tomorrow|yesterday)\s*$|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:[a-z]{2,})?\b|^J\d+|^\d{4}\.\d{3}$/i;
/** A number that is meant as a year. */
const YEAR = /^\d{1,4}$/;

interface Literal {
  readonly kind: 'string' | 'number';
  readonly value: string;
}

/** A statement without these compares nothing. */
const COMPARES = /[=<>]|\b(?:in|between)\b/i;

/** Only what is certain: a plain column of an entity, beside a literal that its type is never equal to. */
export function comparisonTypeObjections({ sql, tables, select, dialect }: QueryReading): QueryObjection[] {
  const statement = COMPARES.test(sql) ? select() : undefined;
  if (statement === undefined) return [];
  const found = new Map<string, QueryObjection>();
  visitStatement(statement, tables, {
    expression(expr, inSight) {
      if (found.size >= MAX_OBJECTIONS) return;
      for (const [column, value] of comparisonsIn(expr)) {
        const literal = column?.kind === 'name' ? literalOf(value) : undefined;
        const member = literal && column?.kind === 'name' ? memberOf(column, inSight) : undefined;
        const problem = literal && member && mismatch(member.dimension, literal, dialect);
        if (problem === undefined || member === undefined) continue;
        const message = `${member.entity.name}.${member.dimension.name} ${problem}.`;
        found.set(message, { message, hint: hintFor(member.dimension) });
      }
    },
  });
  return [...found.values()];
}

/** Pairs that are compared, each way round. */
function comparisonsIn(expr: Expr): (readonly [Expr | undefined, Expr | undefined])[] {
  if (expr.kind === 'chain') {
    const [left, right, ...more] = expr.operands;
    const isOne = more.length === 0 && COMPARISON.has(expr.operators[0] ?? '');
    return isOne ? [[left, right] as const, [right, left] as const] : [];
  }
  if (expr.kind === 'in' && expr.set.kind === 'list')
    return expr.set.items.map((item) => [expr.operand, item] as const);
  if (expr.kind === 'case') return expr.branches.map(({ condition }) => [expr.operand, condition] as const);
  const between = expr.kind === 'between' ? [expr.operand, expr.low, expr.high] : betweenForm(expr);
  return between.slice(1).map((bound) => [between[0], bound] as const);
}

const betweenForm = (expr: Expr) => (expr.kind === 'form' && BETWEEN.test(shapeOf(expr)) ? operandsOf(expr) : []);

function literalOf(expr: Expr | undefined): Literal | undefined {
  if (expr?.kind === 'string' || expr?.kind === 'number') return { kind: expr.kind, value: expr.value };
  if (expr?.kind !== 'prefix' || expr.operand.kind !== 'number') return undefined;
  return expr.operator === '-' ? { kind: 'number', value: `-${expr.operand.value}` } : undefined;
}

/** What is wrong, to follow the name of the column; `undefined` where the engine may compare as it is meant. */
function mismatch(dimension: ModelDimension, literal: Literal, dialect: SqlDialect): string | undefined {
  const { type, sample_values: samples = [] } = dimension;
  const { kind, value } = literal;
  if (value.length > MAX_LITERAL_CHARS) return undefined;
  const texts = samples.filter((sample) => typeof sample === 'string');
  const shown = kind === 'string' ? `'${truncate(value, MAX_CHARS)}'` : truncate(value, MAX_CHARS);
  const isForeign = (form: RegExp) => kind === 'string' && !form.test(value) && texts.every((text) => form.test(text));
  if (type === 'number' && isForeign(NUMBER)) {
    const number = /[+-]?\d+(?:\.\d+)?/.exec(value)?.[0];
    return `is a number: compare it with ${number ?? 'a number'}, not ${shown}`;
  }
  if (type === 'boolean' && isForeign(FLAG)) return `is true or false: compare it with TRUE or FALSE, not ${shown}`;
  if (type === 'date' || type === 'timestamp') {
    const isYear = kind === 'number' && YEAR.test(value);
    const isRead = dialect.readsDateWords === true && DATE_WORDS.test(value);
    if (!isYear && (isRead || !isForeign(DATE))) return undefined;
    return `is a ${type}: compare it with a date such as '${isYear ? value.padStart(4, '0') : '2025'}-01-31', not ${shown}`;
  }
  // A text that looks like a number would be equal to it in some engines.
  const hasWords = texts.length > 0 && texts.length === samples.filter((sample) => sample !== null).length;
  if (type !== 'string' || kind !== 'number' || !hasWords || texts.some((text) => /^\s*[+-]?\.?\d/.test(text)))
    return undefined;
  return `is a text: compare it with one such as '${truncate(texts[0] ?? '', MAX_CHARS)}', not ${shown}`;
}

function hintFor({ type, sample_values: samples = [] }: ModelDimension): string {
  const insist = 'Run the query again only if it is meant as it is.';
  if (samples.length === 0 || type === 'boolean') return insist;
  return `Its values are, among others: ${samples
    .slice(0, MAX_SHOWN_VALUES)
    .map((one) => truncate(String(one), MAX_CHARS))
    .join(', ')}. ${insist}`;
}
