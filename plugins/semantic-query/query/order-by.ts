/** ORDER BY: what was asked for, then the dimensions, so that the same data always gives the same rows in a limit. */

import { type GroupKey, isPlainColumn } from '../clauses/aggregation.ts';
import type { Syntax } from '../dialect.ts';
import { isCount } from '../clauses/measures.ts';
import type { OrderTarget, Question } from './resolved-plan.ts';

/** Time first to last; otherwise the largest measure first. */
function defaultOrder({ keys, outputs }: Question): Question['order'] {
  const times = outputs.filter((output) => output.kind === 'dimension' && output.key.grain !== undefined);
  if (times.length > 0) return times.map((by) => ({ by, direction: 'asc' }));
  const measure = outputs.find(({ kind }) => kind === 'measure');
  return measure === undefined || keys.length === 0 ? [] : [{ by: measure, direction: 'desc' }];
}

function isNullable(question: Question, target: OrderTarget): boolean {
  if (target.kind === 'measure' || target.kind === 'hidden') {
    return question.portion !== undefined || !isCount(target.measured.aggregate);
  }
  if (target.kind !== 'dimension' && target.kind !== 'row') return true;
  const { key } = target;
  const owners =
    question.listed === undefined ? question.measured.map(({ aggregate }) => aggregate.entity) : [question.listed];
  const isOwn = owners.length > 0 && owners.every((entity) => entity === key.entity);
  const isFilled = key.dimension.primary_key === true || key.dimension.null_count === 0;
  return !(isOwn && isFilled);
}

/** `sql` gives the expression of a target. `last`: what listed rows are told apart by. `isGrouped`: over GROUP BY. */
export function orderTerms(
  question: Question,
  syntax: Syntax,
  sql: (target: OrderTarget) => string,
  { last = [], isGrouped = false }: { readonly last?: readonly GroupKey[]; readonly isGrouped?: boolean } = {},
): string[] {
  const asked = question.order.length > 0 ? question.order : last.length > 0 ? [] : defaultOrder(question);
  const rest = last.length > 0 ? last.map((key): OrderTarget => ({ kind: 'row', key })) : [];
  const hidden = question.keys.filter((key) => key.hidden).map((key): OrderTarget => ({ kind: 'row', key }));
  const dimensions = last.length > 0 ? [] : [...question.outputs.filter(({ kind }) => kind === 'dimension'), ...hidden];
  const terms: Question['order'] = [
    ...asked,
    ...[...rest, ...dimensions].map((by) => ({ by, direction: 'asc' as const })),
  ];
  const seen = new Set<string>();
  return terms.flatMap(({ by, direction }) => {
    const expression = sql(by);
    const name = 'name' in by ? syntax.identifier(by.name) : expression;
    if (seen.has(expression)) return [];
    seen.add(expression);
    // MySQL takes a computed key inside a larger expression for ungrouped; over one group, its minimum is itself.
    const isComputedKey = isGrouped && (by.kind === 'dimension' || by.kind === 'row') && !isPlainColumn(expression);
    const tested = isComputedKey ? `MIN(${expression})` : expression;
    return [syntax.order(name, tested, direction, isNullable(question, by))];
  });
}
