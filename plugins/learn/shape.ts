/** Brings statements into a form without literals, in which those that ask the same are equal. */
import { type Expr, printSelect, type Select, type SqlDialect } from '../sql-kit/index.ts';

/** What stands in the place of a literal. */
export const PLACEHOLDER = '?';

/** Units and formats of functions of dates: they tell what is asked, and are no values of rows. */
const UNIT =
  /^(?:year|quarter|month|week|day|hour|minute|second|dow|doy|isodow|isoyear|epoch|decade|century|(?:%[A-Za-z]|[-/:. T])+|(?:YYYY|MM|DD|HH24|MI|SS|Mon|[-/:. T])+)$/i;
/** Numbers that convert or guard: cents, percent, units of time, `NULLIF(x, 0)`. Any other may be a value. */
const FACTOR = /^(?:0|1|7|10|12|24|60|100|365|1000|3600|86400|1000000)(?:\.0+)?$/;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isNumber = (value: unknown) => isRecord(value) && value.kind === 'number';

/** Comparisons tell of values of rows; what stands beside a column there is taken for one. */
const COMPARISONS: ReadonlySet<unknown> = new Set(['=', '<>', '!=', '<', '>', '<=', '>=', '==', '<=>', 'IS', 'IS NOT']);

const compares = ({ kind, operators }: Readonly<Record<string, unknown>>) =>
  ['in', 'between', 'like', 'case'].includes(String(kind)) ||
  (Array.isArray(operators) && operators.some((operator) => COMPARISONS.has(operator)));

interface Place {
  readonly isCompared: boolean;
  /** A number is the position of a column. */
  readonly isPosition: boolean;
}

const ANYWHERE: Place = { isCompared: false, isPosition: false };
/** What repeats the text of the statement, or says where in it something stands. */
const DROPPED_KEYS: ReadonlySet<string> = new Set(['text', 'label', 'at']);

function stripped(node: unknown, place: Place): unknown {
  if (Array.isArray(node)) return node.map((item) => stripped(item, place));
  if (!isRecord(node)) return node;
  const { kind, value } = node;
  if (kind === 'string' || kind === 'number' || kind === 'blob') {
    const text = String(value);
    const isKept =
      (kind === 'number' && (place.isPosition || (!place.isCompared && FACTOR.test(text)))) ||
      (kind === 'string' && !place.isCompared && UNIT.test(text));
    return isKept ? { ...node, at: 0 } : { kind: 'form', at: 0, level: 100, parts: [PLACEHOLDER] };
  }
  const isCompared = place.isCompared || compares(node);
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(node)) {
    if (DROPPED_KEYS.has(key)) copy[key] = key === 'at' ? 0 : undefined;
    // How many rows are asked for is no part of the shape.
    else if (key === 'limit' || key === 'offset') copy[key] = stripped(child, { isCompared: true, isPosition: false });
    else if (key === 'groupBy' && Array.isArray(child))
      copy[key] = child.map((item) => stripped(item, { isCompared, isPosition: isNumber(item) }));
    else if (key === 'orderBy' && Array.isArray(child))
      copy[key] = child.map((term) =>
        isRecord(term) && isNumber(term.expr) ? term : stripped(term, { isCompared, isPosition: false }),
      );
    // The engine's own functions need no schema, which readers of one engine add.
    else if (key === 'schema' && kind === 'call') copy[key] = undefined;
    else
      copy[key] = stripped(
        child,
        kind === 'call' ? { ...place, isCompared: false } : { isCompared, isPosition: false },
      );
  }
  return copy;
}

/** The statement without literals, comments and positions. */
export const withoutLiterals = (select: Select): Select => stripped(select, ANYWHERE) as Select;

export const shapeOf = (select: Select, dialect: SqlDialect): string => printSelect(withoutLiterals(select), dialect);

/** The expression without literals and names of tables, as SQL. */
export function expressionText(expr: Expr, dialect: SqlDialect): string {
  const select = {
    ...{ kind: 'select', at: 0, with: undefined, rest: [], orderBy: [], limit: undefined, offset: undefined },
    first: {
      ...{ kind: 'core', at: 0, distinct: false, from: undefined, where: undefined, groupBy: [], having: undefined },
      windows: [],
      columns: [{ kind: 'column', expr: unqualified(expr), alias: undefined, text: undefined }],
    },
  } as Select;
  return shapeOf(select, dialect).replace(/^SELECT /, '');
}

function unqualified<T>(node: T): T {
  if (Array.isArray(node)) return node.map(unqualified) as T;
  if (!isRecord(node)) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, child]) => [key, unqualified(child)]));
  if (node.kind === 'name') Object.assign(copy, { table: undefined, schema: undefined });
  return copy as T;
}
