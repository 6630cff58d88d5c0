/** Works out days that a statement reckons from today: `CURRENT_DATE - INTERVAL '30 days'`, `date('now', 'start of month')`. */
import { type Call, type Expr, fold, operandsOf, shapeOf } from '../sql-kit/index.ts';

type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';

const TODAY = new Set(['current_date', 'curdate', 'today']);
const NOW = new Set(['now', 'current_timestamp', 'localtimestamp', 'getdate', 'sysdate']);

/** The name of a constant, or of a call without arguments. */
function nameOf(expr: Expr): string {
  if (expr.kind === 'call') return expr.args.length === 0 ? fold(expr.name) : '';
  return expr.kind === 'constant' ? fold(expr.value.replace('()', '')) : '';
}

const iso = (date: Date) => date.toISOString().slice(0, 10);
const dateOf = (day: string) => new Date(`${day}T00:00:00Z`);

/** `today`: the day in the time zone of the connection. `undefined` for what is no day, or depends on the time of it. */
export function relativeDay(expr: Expr, today: string): string | undefined {
  if (TODAY.has(nameOf(expr))) return today;
  if (expr.kind === 'cast' && fold(expr.type.words[0] ?? '') === 'date') return dayOrNow(expr.operand, today);
  if (expr.kind === 'form' && /^§::(pg_catalog\.)?"?date"?$/i.test(shapeOf(expr)))
    return dayOrNow(operandsOf(expr)[0]!, today);
  if (expr.kind === 'chain') return reckoned(expr, today);
  return expr.kind === 'call' ? called(expr, today) : undefined;
}

const dayOrNow = (expr: Expr, today: string) => (NOW.has(nameOf(expr)) ? today : relativeDay(expr, today));

function reckoned({ operands, operators }: Extract<Expr, { kind: 'chain' }>, today: string): string | undefined {
  const [first, ...others] = operands as [Expr, ...Expr[]];
  let day = relativeDay(first, today);
  for (const [at, operand] of others.entries()) {
    const sign = { '+': 1, '-': -1 }[operators[at]!];
    const span =
      intervalOf(operand) ??
      (operand.kind === 'number' ? { count: Number(operand.value), unit: 'day' as const } : undefined);
    if (day === undefined || sign === undefined || span === undefined) return undefined;
    day = moved(day, sign * span.count, span.unit);
  }
  return day;
}

const SPAN = /^\s*([+-]?\d+)\s*(day|week|month|quarter|year)s?\s*$/i;

function spanOf(text: string): { readonly count: number; readonly unit: Unit } | undefined {
  const [, count, unit = ''] = SPAN.exec(text) ?? [];
  return count === undefined ? undefined : { count: Number(count), unit: fold(unit) as Unit };
}

function intervalOf(expr: Expr): ReturnType<typeof spanOf> {
  if (expr.kind !== 'form') return undefined;
  const shape = shapeOf(expr);
  const [operand] = operandsOf(expr);
  if (operand?.kind !== 'string' && operand?.kind !== 'number') return undefined;
  if (/^§::(pg_catalog\.)?interval$|^CAST\(§ AS INTERVAL\)$/i.test(shape)) return spanOf(operand.value);
  const [, unit] = /^INTERVAL § (\w+)$/i.exec(shape) ?? [];
  return unit === undefined ? undefined : spanOf(`${operand.value} ${unit}`);
}

function called({ name, args }: Call, today: string): string | undefined {
  const [first, second, third] = args;
  if (first === undefined) return undefined;
  const own = fold(name);
  const start = /^tostartof(month|quarter|year)$/.exec(own)?.[1];
  if (start !== undefined) return started(dayOrNow(first, today), start as Unit);
  if (own === 'date_trunc' && first.kind === 'string' && second !== undefined)
    return started(dayOrNow(second, today), fold(first.value) as Unit);
  if ((own === 'date_sub' || own === 'date_add') && second !== undefined && third === undefined) {
    const [day, span] = [relativeDay(first, today), intervalOf(second)];
    return day && span && moved(day, (own === 'date_sub' ? -1 : 1) * span.count, span.unit);
  }
  if (own !== 'date' || first.kind !== 'string' || fold(first.value) !== 'now') return undefined;
  return args.slice(1).reduce<string | undefined>(modified, today);
}

/** A modifier of SQLite, where a day that a month does not have is one of the next month. */
function modified(day: string | undefined, modifier: Expr): string | undefined {
  if (day === undefined || modifier.kind !== 'string') return undefined;
  const start = /^start of (day|month|year)$/i.exec(modifier.value)?.[1];
  if (start !== undefined) return started(day, fold(start) as Unit);
  const span = spanOf(modifier.value);
  return span && moved(day, span.count, span.unit, true);
}

function started(day: string | undefined, unit: Unit): string | undefined {
  if (day === undefined) return undefined;
  const date = dateOf(day);
  const monday = new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * 86_400_000);
  const quarter = String(Math.floor(date.getUTCMonth() / 3) * 3 + 1).padStart(2, '0');
  const starts: Partial<Record<string, string>> = {
    day,
    week: iso(monday),
    month: `${day.slice(0, 7)}-01`,
    quarter: `${day.slice(0, 5)}${quarter}-01`,
    year: `${day.slice(0, 4)}-01-01`,
  };
  return starts[unit];
}

function moved(day: string, count: number, unit: Unit, runsOver = false): string | undefined {
  const date = dateOf(day);
  if (!Number.isSafeInteger(count) || Math.abs(count) > 100_000) return undefined;
  if (unit === 'day' || unit === 'week') date.setUTCDate(date.getUTCDate() + count * (unit === 'week' ? 7 : 1));
  else {
    const wanted = date.getUTCDate();
    date.setUTCMonth(date.getUTCMonth() + count * { month: 1, quarter: 3, year: 12 }[unit]);
    // The last day of a shorter month.
    if (!runsOver && date.getUTCDate() !== wanted) date.setUTCDate(0);
  }
  return Number.isNaN(date.getTime()) ? undefined : iso(date);
}
