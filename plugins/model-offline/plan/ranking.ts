/** Decides what is ranked and by what: rows by a number or date of theirs, groups by their figure. */
import type { Figure, Mention, Ranking, Request } from '../parse/request.ts';
import type { ModelDimension } from '../words/layer.ts';
import type { EntityEntry } from '../words/lexicon.ts';
import { primaryDate } from './dates.ts';
import { amountsOf, birthOf, isIdentifier, keyOfRows, numbersCalled } from './entity-traits.ts';
import { type PlannedFigure, typeOf } from './figures.ts';
import { refusal } from './outcome.ts';
import {
  addFilter,
  asked,
  best,
  dimensionOf,
  distance,
  entitiesOf,
  full,
  type Owned,
  ownerOf,
  type PlanContext,
  type Planner,
  spoken,
} from './planner.ts';

const DEFAULT_LIMIT = 10;

const goesBy = ({ of }: Ranking, what: string): boolean => of?.[0] === what;

/** The numbers a row could be ranked by where the question names none. */
function rankableBy(base: EntityEntry, ranking: Ranking): ModelDimension[] {
  if (goesBy(ranking, 'count')) return [];
  return ranking.of ? numbersCalled(base, ranking.of) : ranking.isVague ? [] : amountsOf(base);
}

/** "the product with the highest price": rows in an order, nothing aggregated. */
export function isRowRanking(context: PlanContext, { ranking, subject, figures, groups }: Request): boolean {
  const [base] = entitiesOf(subject);
  if (!ranking || !base || figures.length > 0 || groups.length > 0) return false;
  const { key } = ranking;
  const count = rankableBy(base, ranking).length;
  if (!key)
    return (
      ranking.isLimit === true ||
      goesBy(ranking, 'time') ||
      goesBy(ranking, 'age') ||
      (ranking.of ? count > 0 : count === 1)
    );
  const { meanings } = key.mention;
  const ofRows = meanings.filter(
    (one) =>
      one.kind === 'dimension' &&
      !isIdentifier(one.entity, one.dimension) &&
      distance(context, base, one.entity) !== undefined,
  );
  const others = meanings.filter(({ kind }) => kind === 'measure' || kind === 'entity');
  const isOwn = best([...ofRows, ...others]).some((one) => one.kind === 'dimension' && one.entity === base);
  return key.fn === undefined && ofRows.length > 0 && (others.length === 0 || isOwn);
}

/** The figure that groups are ranked by, where the question names it. */
export function rankingFigure(context: PlanContext, { ranking }: Request, isGroup: boolean): Figure | undefined {
  if (!ranking?.key) return undefined;
  const { key, isTotal, direction } = ranking;
  const { mention } = key;
  const measures = mention.meanings.filter(({ kind }) => kind === 'measure' || kind === 'term');
  const numbers = mention.meanings.filter(
    (one) => one.kind === 'dimension' && one.dimension.type === 'number' && !isIdentifier(one.entity, one.dimension),
  );
  if (entitiesOf(mention).length > 0 || (key.fn !== undefined && !(key.fn === 'count' && numbers.length > 0)))
    return { ...key, fn: key.fn ?? 'count' };
  const all: Figure = { mention: { ...mention, meanings: measures } };
  const one: Figure = { fn: direction === 'desc' ? 'max' : 'min', mention: { ...mention, meanings: numbers } };
  if (numbers.length === 0) return measures.length > 0 ? all : key;
  if (isTotal && measures.length > 0) return all;
  if (!isGroup) return one;
  // "the highest fee" is the greatest single one; of a doctor it may be all of them together.
  const together = measures.length > 0 ? all : { ...one, fn: 'sum' as const };
  return asked(context, `rank:${mention.text}`, `Ranked by which ${mention.text}?`, [
    { value: together, label: `all ${mention.text} together` },
    { value: one, label: `the ${direction === 'desc' ? 'highest' : 'lowest'} single ${mention.text}` },
  ]);
}

/** Puts groups in the order of the figure they are ranked by. */
export function rankGroups(planner: Planner, key: PlannedFigure, ranked: Mention | undefined): void {
  const { plan, request, base, lexicon } = planner;
  const { isSorting, limit: said, direction: saidDirection, isSaid, key: named } = request.ranking!;
  if (plan.dimensions.length === 0) throw refusal([], 'I cannot tell what is ranked; name it, such as "top 5 … by …".');
  const orders = [
    { value: 'desc', label: 'highest first' },
    { value: 'asc', label: 'lowest first' },
  ] as const;
  const isOpen = isSorting && named && saidDirection === 'asc' && said === undefined && !isSaid;
  const direction = isOpen ? asked<'asc' | 'desc'>(planner, 'direction', 'In which order?', orders) : saidDirection;
  plan.orderBy = [{ by: key.name ?? key.adhoc!.name, direction }];
  const limit = said ?? (isSorting ? undefined : ranked?.plural ? DEFAULT_LIMIT : 1);
  if (limit !== undefined) plan.limit = limit;
  for (const { dimension, identity } of isSorting ? [] : plan.dimensions) {
    const owner = lexicon.entities.get(ownerOf(dimension))!;
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
    if (!isGiven) addFilter(plan, { dimension: name, operator: 'is_not_null' });
  }
}

/** Puts listed rows in the order of a number or date of theirs. */
export function rankRows(planner: Planner): void {
  const { plan, request } = planner;
  const { isLimit, isSorting, limit: said, direction, key } = request.ranking!;
  const limit = said ?? (isSorting ? undefined : request.subject?.plural ? DEFAULT_LIMIT : 1);
  if (limit !== undefined) plan.limit = limit;
  if (isLimit) return;
  const by = full(key ? dimensionOf(planner, key.mention) : rowNumber(planner));
  plan.orderBy = [{ by, direction }];
  if (limit !== undefined && !plan.filters.some(({ dimension }) => dimension === by))
    addFilter(plan, { dimension: by, operator: 'is_not_null' });
}

function rowNumber(planner: Planner): Owned {
  const { base: entity, request } = planner;
  const ranking = request.ranking!;
  if (goesBy(ranking, 'time')) return primaryDate(planner);
  const birth = birthOf(entity);
  if (goesBy(ranking, 'age') && birth) return { entity, dimension: birth };
  if (goesBy(ranking, 'age'))
    throw refusal([], `I do not know the age of ${entity.many}; ask for the first or the last ${entity.many}.`);
  const candidates = rankableBy(entity, ranking).map((value) => ({ value, label: spoken(value.name) }));
  return {
    entity,
    dimension: asked(planner, `rank:${entity.name}`, `By what should ${entity.many} be ranked?`, candidates),
  };
}
