/** Objects to a query about a period in which a table has no rows, as far as the layer knows the range of its times. */
import type { QueryObjection } from '../../agent/index.ts';
import type { ModelDimension, ModelEntity, QueryReading } from '../../semantic-layer/index.ts';
import { type Expr, operandsOf, shapeOf } from '../../sql-kit/index.ts';
import { memberOf, visitStatement } from './statement-visitor.ts';

const MAX_OBJECTIONS = 3;
const TIME = /^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?$/;
const MIDNIGHT = /^[^ T]*$|[ T]00:00(:00(\.0+)?)?(Z|[+-][\d:]+)?$/;
/** Shapes of literals of a type and of casts. */
const TIME_FORM =
  /^(DATE|DATETIME|TIMESTAMP) §$|^CAST\(§ AS (DATE|DATETIME|TIMESTAMP)\b[^§]*\)$|^§::pg_catalog\.(date|timestamp|timestamptz)$/i;

type Operator = '<' | '<=' | '=' | '>=' | '>';

interface Comparison {
  readonly column: Expr;
  readonly operator: Operator;
  readonly value: Expr;
}

/** The same comparison with its sides exchanged. */
const TURNED: ReadonlyMap<string, Operator> = new Map([
  ['<', '>'],
  ['<=', '>='],
  ['=', '='],
  ['==', '='],
  ['>=', '<='],
  ['>', '<'],
]);

/** What must hold of every row: conditions that AND joins. */
function conjuncts(condition: Expr | undefined): Expr[] {
  if (condition === undefined) return [];
  const isAnd = condition.kind === 'chain' && condition.operators.every((operator) => operator === 'AND');
  return isAnd ? condition.operands.flatMap(conjuncts) : [condition];
}

function comparisonsIn(condition: Expr): Comparison[] {
  if (condition.kind === 'chain' && condition.operands.length === 2) {
    const [left, right] = condition.operands as [Expr, Expr];
    const turned = TURNED.get(condition.operators[0] ?? '');
    const operator = turned && TURNED.get(turned);
    if (operator === undefined || turned === undefined) return [];
    return [
      { column: left, operator, value: right },
      { column: right, operator: turned, value: left },
    ];
  }
  const [column, low, high] = betweenIn(condition) ?? [];
  if (column === undefined || low === undefined || high === undefined) return [];
  return [
    { column, operator: '>=', value: low },
    { column, operator: '<=', value: high },
  ];
}

function betweenIn(condition: Expr): Expr[] | undefined {
  if (condition.kind === 'between')
    return condition.not ? undefined : [condition.operand, condition.low, condition.high];
  return condition.kind === 'form' && condition.parts[1] === ' BETWEEN ' ? operandsOf(condition) : undefined;
}

/** The date or timestamp that an expression writes out. */
function timeIn(expr: Expr): string | undefined {
  if (expr.kind === 'string') return TIME.test(expr.value) ? expr.value : undefined;
  if (expr.kind === 'form') return TIME_FORM.test(shapeOf(expr)) ? timeIn(operandsOf(expr)[0]!) : undefined;
  const isDate = expr.kind === 'call' && /^(date|datetime|timestamp)$/i.test(expr.name) && expr.args.length === 1;
  return isDate ? timeIn(expr.args[0]!) : undefined;
}

const dayOf = (time: string) => time.slice(0, 10);

/** Where the times that meet a comparison are, when none of them is on a day of the range. */
function sideOf(operator: Operator, time: string, { type, range = ['', ''] }: ModelDimension) {
  const [day, first, last] = [time, ...range].map(dayOf) as [string, string, string];
  const isEarlier = operator === '<' && MIDNIGHT.test(time) ? day <= first : day < first;
  const isLater = operator === '>' && type === 'date' ? day >= last : day > last;
  if (isEarlier && /^[<=]/.test(operator)) return 'earlier';
  return isLater && /^[>=]/.test(operator) ? 'later' : undefined;
}

function objectionTo(side: 'earlier' | 'later', { name }: ModelEntity, dimension: ModelDimension): QueryObjection {
  const [first, last] = (dimension.range ?? []).map(dayOf);
  const column = `${name}.${dimension.name}`;
  const hint = `The period of the query is ${side}: say so in the answer, or use a period within that one.`;
  return {
    // Rows may have come since then, but none before the first.
    message:
      side === 'earlier'
        ? `The values of ${column} are from ${first} to ${last}.`
        : `The values of ${column} were from ${first} to ${last} when the layer was profiled.`,
    hint,
    onlyWhenEmpty: true,
  };
}

/** Only what is certain: a condition of WHERE or ON that compares a plain column with a date that is written out. */
export function emptyPeriodObjections({ sql, tables, select }: QueryReading): QueryObjection[] {
  const statement = sql.includes("'") ? select() : undefined;
  if (statement === undefined) return [];
  const found = new Map<ModelDimension, QueryObjection>();
  visitStatement(statement, tables, {
    core({ where, from }, inSight) {
      const conditions = [where, ...(from?.joins ?? []).map(({ on }) => on)].flatMap(conjuncts);
      for (const { column, operator, value } of conditions.flatMap(comparisonsIn)) {
        const time = column.kind === 'name' ? timeIn(value) : undefined;
        if (column.kind !== 'name' || time === undefined) continue;
        const { entity, dimension } = memberOf(column, inSight) ?? {};
        if (entity === undefined || dimension?.range === undefined || found.has(dimension)) continue;
        const side = sideOf(operator, time, dimension);
        if (side !== undefined) found.set(dimension, objectionTo(side, entity, dimension));
      }
    },
    expression() {},
  });
  return [...found.values()].slice(0, MAX_OBJECTIONS);
}
