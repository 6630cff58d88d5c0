/** Tells whether a statement about one time is about another one somewhere, too. */
import { isAggregate } from '../fan-out/index.ts';
import { expandReferences, type QueryReading } from '../semantic-layer/index.ts';
import { type Member, visitStatement } from '../semantic-query/index.ts';
import { DEFAULT_LIMITS, type Expr, fold, forEachPart, parseExpression, type Select } from '../sql-kit/index.ts';

type Reading = Pick<QueryReading, 'dialect' | 'tables'>;

/**
 * Whether the statement reads a column of `time` besides durations, which are aggregates over both times: a CASE, a FILTER
 * or a window has a period or a condition of its own, which would be about another time than that of the rows. Where that
 * is not certain, it does.
 */
export function readsBeside(select: Select, { dialect, tables }: Reading, time: Member, until: Member): boolean {
  const [own, others] = [columnsOf(time, dialect), columnsOf(until, dialect)];
  if (own === undefined || others === undefined) return true;
  const durations = new Set<Expr>();
  let isFound = false;
  visitStatement(select, tables, {
    core({ from }) {
      isFound ||= from?.joins.some(({ natural }) => natural) === true;
    },
    expression(expr) {
      if (expr.kind === 'call' && isAggregate(expr)) {
        const parts = partsOf(expr);
        if (reads(parts, own) && reads(parts, others) && parts.every(isCalculation))
          for (const part of parts) durations.add(part);
      }
      isFound ||= !durations.has(expr) && reads([expr], own) && !reads([expr], others);
    },
  });
  return isFound;
}

function columnsOf({ entity, dimension }: Member, dialect: QueryReading['dialect']): ReadonlySet<string> | undefined {
  try {
    const expr = parseExpression(expandReferences(dimension.sql, entity.dimensions), dialect, DEFAULT_LIMITS);
    return new Set(partsOf(expr).flatMap((part) => (part.kind === 'name' ? [fold(part.name)] : [])));
  } catch {
    return undefined;
  }
}

function partsOf(expr: Expr): Expr[] {
  const parts: Expr[] = [];
  forEachPart([expr], (part) => parts.push(part));
  return parts;
}

const reads = (parts: readonly Expr[], names: ReadonlySet<string>) =>
  parts.some((part) => part.kind === 'name' && names.has(fold(part.name)));

const CONDITIONS: ReadonlySet<Expr['kind']> = new Set(['case', 'between', 'in', 'like', 'exists', 'scalar']);
const isCalculation = (part: Expr): boolean =>
  !CONDITIONS.has(part.kind) &&
  !(part.kind === 'call' && part.filter !== undefined) &&
  !(part.kind === 'chain' && !part.operators.every((operator) => ['-', '+', '*', '/'].includes(operator)));
