/** Decides what is ranked and by what: rows by a number or date of theirs, groups by their figure. */
import type { Figure, Mention, Ranking, Request } from '../parse/request.ts';
import type { ModelDimension } from '../words/layer.ts';
import type { EntityEntry } from '../words/lexicon.ts';
import { primaryDate } from './dates.ts';
import { type PlannedFigure, typeOf } from './figures.ts';
import { refusal } from './outcome.ts';
import * as of from './planner.ts';
import { amountsOf, birthOf, isIdentifier, keyOfRows, numbersCalled } from './traits.ts';

const DEFAULT_LIMIT = 10;

export const goesBy = ({ of: by }: Ranking, ...names: string[]): boolean => names.includes(by?.[0] ?? '');

/** The numbers a row could be ranked by where the question names none. */
function rankableBy(base: EntityEntry, ranking: Ranking): ModelDimension[] {
  if (goesBy(ranking, 'count')) return [];
  return ranking.of ? numbersCalled(base, ranking.of) : ranking.isVague ? [] : amountsOf(base);
}

/** "the product with the highest price": rows in an order, nothing aggregated. */
export function isRowRanking(context: of.PlanContext, { ranking, subject, figures, groups }: Request): boolean {
  const [base] = of.entitiesOf(subject);
  if (!ranking || !base || figures.length > 0 || groups.length > 0) return false;
  const { key } = ranking;
  if (!key) {
    const count = rankableBy(base, ranking).length;
    return ranking.isLimit || goesBy(ranking, 'time', 'age') || (ranking.of ? count > 0 : count === 1);
  }
  const { meanings } = key.mention;
  const ofRows = meanings.filter(
    (one) =>
      one.kind === 'dimension' &&
      !isIdentifier(one.entity, one.dimension) &&
      of.distance(context, base, one.entity) !== undefined,
  );
  const others = meanings.filter(({ kind }) => kind === 'measure' || kind === 'entity');
  const isOwn = of.best([...ofRows, ...others]).some((one) => one.kind === 'dimension' && one.entity === base);
  return key.fn === undefined && ofRows.length > 0 && (others.length === 0 || isOwn);
}

/** The figure that groups are ranked by, where the question names it. */
export function rankingFigure(context: of.PlanContext, { ranking }: Request, isGroup: boolean): Figure | undefined {
  if (!ranking?.key) return undefined;
  const { key, isTotal, direction } = ranking;
  const { mention } = key;
  const measures = mention.meanings.filter(({ kind }) => kind === 'measure' || kind === 'term');
  const numbers = mention.meanings.filter(
    (one) => one.kind === 'dimension' && one.dimension.type === 'number' && !isIdentifier(one.entity, one.dimension),
  );
  if (of.entitiesOf(mention).length > 0 || (key.fn !== undefined && !(key.fn === 'count' && numbers.length > 0)))
    return { ...key, fn: key.fn ?? 'count' };
  if (numbers.length === 0 && measures.length === 0) return key;
  const all: Figure = { mention: { ...mention, meanings: measures } };
  const one: Figure = { fn: direction === 'asc' ? 'min' : 'max', mention: { ...mention, meanings: numbers } };
  if (numbers.length === 0 || (isTotal && measures.length > 0)) return all;
  if (!isGroup) return one;
  // "the highest fee" is the greatest single one; of a doctor it may be all of them together.
  const together = measures.length > 0 ? all : { ...one, fn: 'sum' as const };
  const single = `the ${direction === 'asc' ? 'lowest' : 'highest'} single ${mention.text}`;
  return of.asked(context, `rank:${mention.text}`, `Ranked by which ${mention.text}?`, [together, one], (figure) =>
    figure === one ? single : `all ${mention.text} together`,
  );
}

/** Puts groups in the order of the figure they are ranked by. */
export function rankGroups(planner: of.Planner, key: PlannedFigure, ranked: Mention | undefined): void {
  const { plan, request, base, lexicon } = planner;
  const { isSorting, limit: said, direction: saidDirection } = request.ranking!;
  if (plan.dimensions.length === 0) throw refusal([], 'I cannot tell what is ranked; name it, such as "top 5 … by …".');
  const orders = ['desc', 'asc'] as const;
  const label = (one: string): string => `${one === 'desc' ? 'highest' : 'lowest'} first`;
  const direction = saidDirection ?? of.asked(planner, 'direction', 'In which order?', orders, label);
  plan.orderBy = [{ by: key.name ?? key.adhoc!.name, direction }];
  const limit = said ?? (isSorting ? undefined : ranked?.plural ? DEFAULT_LIMIT : 1);
  if (limit !== undefined) plan.limit = limit;
  for (const { dimension, identity } of isSorting ? [] : plan.dimensions) {
    const owner = lexicon.entities.get(of.ownerOf(dimension))!;
    // Rows without any come first of all, and a count over groups does not see them.
    if (direction === 'asc' && identity && owner !== base && typeOf(planner, key) === 'count')
      throw refusal(
        [],
        `${owner.many} without any ${base.many} would come first; ask which ${owner.many} have no ${base.many}, or for those with the most.`,
      );
    // Rows without a value for the group are no winner: they are left out, which the filter says.
    const name = identity ? `${owner.name}.${keyOfRows(owner)!.name}` : dimension;
    const isGiven =
      plan.timeRange?.dimension === name ||
      plan.filters.some((one) => one.dimension === name && !/^(not_|is_null)/.test(one.operator));
    if (!isGiven) of.addFilter(plan, { dimension: name, operator: 'is_not_null' });
  }
}

/** Puts listed rows in the order of a number or date of theirs. */
export function rankRows(planner: of.Planner): void {
  const { plan, request } = planner;
  const { isLimit, isSorting, limit: said, direction = 'asc', key } = request.ranking!;
  const limit = said ?? (isSorting ? undefined : request.subject?.plural ? DEFAULT_LIMIT : 1);
  if (limit !== undefined) plan.limit = limit;
  if (isLimit) return;
  const by = of.full(key ? of.dimensionOf(planner, key.mention) : rowNumber(planner));
  plan.orderBy = [{ by, direction }];
  if (limit !== undefined && !plan.filters.some(({ dimension }) => dimension === by))
    of.addFilter(plan, { dimension: by, operator: 'is_not_null' });
}

function rowNumber(planner: of.Planner): of.Owned {
  const { base: entity, request } = planner;
  const ranking = request.ranking!;
  if (goesBy(ranking, 'time')) return primaryDate(planner);
  const birth = birthOf(entity);
  if (goesBy(ranking, 'age') && birth) return { entity, dimension: birth };
  if (goesBy(ranking, 'age'))
    throw refusal([], `I do not know the age of ${entity.many}; ask for the first or the last ${entity.many}.`);
  const question = `By what should ${entity.many} be ranked?`;
  const found = rankableBy(entity, ranking);
  return {
    entity,
    dimension: of.asked(planner, `rank:${entity.name}`, question, found, ({ name }) => of.spoken(name)),
  };
}
