/** Finds the calls of aggregates, and tells those whose value a repeated row changes. */
import { type Call, type Expr, forEachPart, type SelectCore } from '../sql-kit/index.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const ADDING = words('sum total fsum kahan_sum sumkahan');
const WEIGHING = words(
  'avg mean favg median mode stddev stddev_pop stddev_samp std variance var_pop var_samp var quantile_cont quantile_disc quantile percentile_cont percentile_disc corr covar_pop covar_samp',
);
const OTHER = words(
  'any_value arg_max arg_min array_agg bit_and bit_or bit_xor bool_and bool_or every first group_concat json_agg json_arrayagg json_group_array json_group_object json_object_agg json_objectagg jsonb_agg jsonb_object_agg last list listagg max max_by min min_by string_agg',
);

/** What a repeated row does to an aggregate. */
export type Effect = 'adds' | 'counts' | 'weighs';

const nameOf = ({ name }: Call) => name.toLowerCase();

export function isAggregate(call: Call): boolean {
  const name = nameOf(call);
  if (call.over !== undefined) return false;
  // In SQLite they are the least and the greatest of several values.
  if ((name === 'min' || name === 'max') && call.args.length > 1) return false;
  return effectOf(call) !== undefined || call.star || OTHER.has(name);
}

/** `undefined`: none, or no aggregate. */
export function effectOf(call: Call): Effect | undefined {
  const name = nameOf(call);
  if (ADDING.has(name)) return 'adds';
  if (name === 'count') return 'counts';
  return WEIGHING.has(name) ? 'weighs' : undefined;
}

/** The expressions of a SELECT that may hold aggregates. */
export function resultsOf({ columns, having, qualify }: SelectCore): Expr[] {
  const exprs = columns.map((column) => (column.kind === 'column' ? column.expr : undefined));
  return [...exprs, having, qualify].filter((expr) => expr !== undefined);
}

/** The calls in the expressions, without those of subqueries. */
export function callsIn(exprs: readonly Expr[]): Call[] {
  const found: Call[] = [];
  forEachPart(exprs, (expr) => {
    if (expr.kind === 'call') found.push(expr);
  });
  return found;
}

export const hasAggregate = (expr: Expr): boolean => callsIn([expr]).some(isAggregate);
