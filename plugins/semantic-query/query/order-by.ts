/** Writes ORDER BY: the requested order, then the dimensions, so that a LIMIT always keeps the same rows. */

import { type GroupKey, isPlainColumn } from '../clauses/aggregation.ts';
import { isCount } from '../clauses/measures.ts';
import type { Syntax } from '../dialect.ts';
import type { OrderTarget, ResolvedPlan } from './resolved-plan.ts';

/** Times in ascending order; otherwise the largest measure first. */
function defaultOrder({ keys, outputs }: ResolvedPlan): ResolvedPlan['order'] {
  const times = outputs.filter((output) => output.kind === 'dimension' && output.key.grain !== undefined);
  if (times.length > 0) return times.map((by) => ({ by, direction: 'asc' }));
  const measure = outputs.find(({ kind }) => kind === 'ratio' || kind === 'measure');
  return measure === undefined || keys.length === 0 ? [] : [{ by: measure, direction: 'desc' }];
}

function isNullable(plan: ResolvedPlan, target: OrderTarget): boolean {
  if (target.kind === 'measure' || target.kind === 'hidden') {
    return plan.portion !== undefined || !isCount(target.measure.aggregate);
  }
  if (target.kind !== 'dimension' && target.kind !== 'row') return true;
  const { key } = target;
  const owners = plan.listed === undefined ? plan.measures.map(({ aggregate }) => aggregate.entity) : [plan.listed];
  const isOwn = owners.length > 0 && owners.every((entity) => entity === key.entity);
  const isFilled = key.dimension.primary_key === true || key.dimension.null_count === 0;
  return !(isOwn && isFilled);
}

/**
 * `sql` writes the expression of a target. `last`: keys that make listed rows distinct. `isGrouped`: there is a GROUP
 * BY.
 */
export function orderTerms(
  plan: ResolvedPlan,
  syntax: Syntax,
  sql: (target: OrderTarget) => string,
  { last = [], isGrouped = false }: { readonly last?: readonly GroupKey[]; readonly isGrouped?: boolean } = {},
): string[] {
  const asked = plan.order.length > 0 ? plan.order : last.length > 0 ? [] : defaultOrder(plan);
  const rest = last.length > 0 ? last.map((key): OrderTarget => ({ kind: 'row', key })) : [];
  const hidden = plan.keys.filter((key) => key.hidden).map((key): OrderTarget => ({ kind: 'row', key }));
  const dimensions = last.length > 0 ? [] : [...plan.outputs.filter(({ kind }) => kind === 'dimension'), ...hidden];
  const terms: ResolvedPlan['order'] = [
    ...asked,
    ...[...rest, ...dimensions].map((by) => ({ by, direction: 'asc' as const })),
  ];
  const seen = new Set<string>();
  return terms.flatMap(({ by, direction }) => {
    const expression = sql(by);
    const name = 'name' in by ? syntax.identifier(by.name) : expression;
    if (seen.has(expression)) return [];
    seen.add(expression);
    // MySQL does not recognize a computed key inside a larger expression; the minimum of one group is the key itself.
    const isComputedKey = isGrouped && (by.kind === 'dimension' || by.kind === 'row') && !isPlainColumn(expression);
    const tested = isComputedKey ? `MIN(${expression})` : expression;
    return [syntax.order(name, tested, direction, isNullable(plan, by))];
  });
}
