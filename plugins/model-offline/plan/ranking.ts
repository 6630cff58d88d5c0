/** Decides what is ranked and by what: rows by a number or date of theirs, groups by their figure. */
import type { Figure, Mention, Request } from '../parse/request.ts';
import { primaryDate } from './dates.ts';
import { type PlannedFigure, typeOf } from './figures.ts';
import { refusal } from './outcome.ts';
import * as of from './planner.ts';
import { columnsFor, isAmount } from './traits.ts';

const DEFAULT_LIMIT = 10;
/** Ends of names of numbers that add up. */
const FLOW = /(^|_)(kwh|mwh|gwh|km|miles|hours|minutes|kg|tons?|tonnes|litres|liters)(_|$)/;

/** "the product with the highest price": rows in an order, nothing aggregated. */
export function isRowRanking(context: of.PlanContext, { ranking, subject, figures, groups }: Request): boolean {
  const [base] = of.entitiesOf(subject);
  if (!ranking || !base || figures.length > 0 || groups.length > 0) return false;
  const { key, of: by } = ranking;
  if (!key) return by === 'time' || columnsFor(base, by).length > 0;
  const { meanings } = key.mention;
  const ofRows = meanings.filter((one) => isAmount(one) && of.distance(context, base, one.entity) !== undefined);
  const others = meanings.filter(({ kind }) => kind === 'measure' || kind === 'entity');
  const isOwn = of.best([...ofRows, ...others]).some((one) => one.kind === 'dimension' && one.entity === base);
  return key.fn === undefined && ofRows.length > 0 && (others.length === 0 || isOwn);
}

/** The figure that groups are ranked by, where the question names it. */
export function rankingFigure({ ranking }: Request, isGroup: boolean): Figure | undefined {
  if (!ranking?.key) return undefined;
  const { key, isTotal, direction } = ranking;
  const { mention } = key;
  const measures = mention.meanings.filter(({ kind }) => kind === 'measure' || kind === 'term');
  const numbers = mention.meanings.filter(isAmount);
  if (of.entitiesOf(mention).length > 0 || (key.fn && !(key.fn === 'count' && numbers.length > 0)))
    return { ...key, fn: key.fn ?? 'count' };
  if (numbers.length === 0 && measures.length === 0) return key;
  const all: Figure = { mention: { ...mention, meanings: measures } };
  const one: Figure = { fn: direction === 'asc' ? 'min' : 'max', mention: { ...mention, meanings: numbers } };
  // What was produced, driven or worked is added up; a fee, a rating or a price is not.
  const isFlow = isGroup && numbers.every((one) => FLOW.test(one.dimension.name));
  if (numbers.length === 0 || ((isTotal || isFlow || (isGroup && mention.plural)) && measures.length > 0)) return all;
  if (!isGroup || isFlow) return isFlow ? { ...one, fn: 'sum' } : one;
  // "the highest fee" is the greatest single one; of a doctor it may be all of them together.
  throw refusal([mention.text], `Say whether groups are ranked by the total, average or highest ${mention.text}.`);
}

/** Puts groups in the order of the figure they are ranked by. */
export function rankGroups(planner: of.Planner, key: PlannedFigure, ranked: Mention | undefined): void {
  const { plan, request, base, lexicon } = planner;
  const { isSorting, limit: said, direction: saidDirection } = request.ranking!;
  if (plan.dimensions.length === 0) throw refusal([], 'I cannot tell what is ranked; name it, such as "top 5 … by …".');
  const label = (one: string): string => `${one === 'desc' ? 'highest' : 'lowest'} first`;
  const direction = saidDirection ?? of.asked(planner, 'direction', 'In which order?', ['desc', 'asc'] as const, label);
  plan.orderBy = [{ by: key.name ?? key.adhoc!.name, direction }];
  const limit = said ?? (isSorting ? undefined : ranked?.plural ? DEFAULT_LIMIT : 1);
  if (limit !== undefined) plan.limit = limit;
  for (const { dimension, identity } of isSorting ? [] : plan.dimensions) {
    const owner = lexicon.entities.get(of.ownerOf(dimension))!;
    // Rows without any come first of all, and a count over groups does not see them.
    if (direction === 'asc' && identity && owner !== base && typeOf(planner, key) === 'count')
      throw refusal([], `${owner.many} without any ${base.many} would come first; ask which ${owner.many} have none.`);
    // Rows without a value for the group are no winner: they are left out, which the filter says.
    const isPlain = (operator: string): boolean => !/^(not_|is_null)/.test(operator);
    const isGiven = plan.filters.some((one) => one.dimension === dimension && isPlain(one.operator));
    if (!identity && plan.timeRange?.dimension !== dimension && !isGiven)
      of.addFilter(plan, { dimension, operator: 'is_not_null' });
  }
}

/** Puts listed rows in the order of a number or date of theirs. */
export function rankRows(planner: of.Planner): void {
  const { plan, request, base: entity } = planner;
  const { isSorting, limit: most, direction = 'asc', key, of: by } = request.ranking!;
  const limit = most ?? (isSorting ? undefined : request.subject?.plural ? DEFAULT_LIMIT : 1);
  if (limit !== undefined) plan.limit = limit;
  const question = `By what shall I rank ${entity.many}?`;
  const columns = columnsFor(entity, by).map((one): of.Owned => ({ entity, dimension: one }));
  const said = key?.mention ?? (request.when ? request.columns[0] : undefined);
  const own = (): of.Owned =>
    by === 'time' ? primaryDate(planner) : of.asked(planner, 'rank', question, columns, of.labelOfDimension);
  const dimension = of.full(said ? of.dimensionOf(planner, said) : own());
  plan.orderBy = [{ by: dimension, direction }];
  const isShown = plan.dimensions.some((one) => one.dimension === dimension);
  if (plan.entity && plan.dimensions.length > 0 && !isShown) plan.dimensions.push({ dimension });
  if (limit !== undefined && !plan.filters.some((one) => one.dimension === dimension))
    of.addFilter(plan, { dimension, operator: 'is_not_null' });
}
