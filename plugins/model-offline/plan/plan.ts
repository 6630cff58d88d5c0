/** Turns a request into a query plan: every name gets its one meaning, or the reader asks. */
import type { QueryPlan } from '../../semantic-query/index.ts';
import type { Condition, Figure, Group, Mention, Request } from '../parse/request.ts';
import type { PlanDimension } from '../words/layer.ts';
import { type EntityEntry, isTime } from '../words/lexicon.ts';
import { applyConditions, planOf } from './conditions.ts';
import { applyPeriods, dateOf, hintedDate } from './dates.ts';
import { birthOf, keyOfRows, labelOf } from './entity-traits.ts';
import { conditionEntities, figureOf, type PlannedFigure, typeOf } from './figures.ts';
import { refusal } from './outcome.ts';
import {
  asked,
  best,
  checkWay,
  dimensionOf,
  distance,
  emptyPlan,
  entitiesOf,
  entityOf,
  full,
  isRelated,
  oneEntity,
  ownerOf,
  type PlanContext,
  type Planner,
  spoken,
} from './planner.ts';
import { isRowRanking, rankGroups, rankingFigure, rankRows } from './ranking.ts';
import { primaryDates } from './time-dimension.ts';

/** The plan of a request. Throws how the reading ended otherwise (`outcomeOf`). */
export function planRequest(given: Request, context: PlanContext): QueryPlan {
  const request = withSubject(given, context);
  if (given.compared && !given.subject && given.figures.length === 0)
    throw refusal([], 'I cannot tell what to compare; name a figure, such as revenue.');
  const shape = shapeOf(request, context);
  const groups: Group[] = [...(shape.by ? [{ mention: shape.by }] : []), ...request.groups];
  const near = [request.subject, ...request.beside].flatMap(entitiesOf);
  const canSplit = (entity: EntityEntry): boolean =>
    groups.every(
      ({ mention }) =>
        !mention ||
        mention.meanings.some((one) => one.kind === 'term' || distance(context, entity, one.entity) !== undefined),
    );
  const figures = shape.figures.map((figure) => figureOf(context, figure, near, canSplit));
  const base = figures[0]?.entity ?? baseOf(request, context);
  const planner: Planner = { ...context, request, base, plan: emptyPlan(), events: [], several: new Set() };
  if (figures.length > 0) planFigures(planner, figures, shape, groups);
  else planRows(planner);
  if (request.isNew) checkNew(planner);
  const { plan } = planner;
  return Object.fromEntries(
    Object.entries(plan).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  ) as QueryPlan;
}

const rowsOf = (entity: EntityEntry): Mention => ({
  text: entity.many,
  plural: true,
  meanings: [{ kind: 'entity', entity, rank: 3 }],
});

/** A condition used as a noun, or a date, stands for the rows it is of. */
function withSubject(request: Request, context: PlanContext): Request {
  const { subject, figures, columns, ranking, conditions, groups, periods } = request;
  if (subject && entitiesOf(subject).length > 0) return request;
  const isAmount = figures.some(({ mention }) => mention.meanings.length === 0);
  if (!subject && ((figures.length > 0 && !isAmount) || columns.length > 0 || ranking?.key)) return request;
  const noun =
    subject ??
    [...conditions, ...(request.portion ?? [])].find(({ type }) => type === 'is' || type === 'equals')?.mention;
  const owners = noun ? conditionEntities(context, noun) : new Set<EntityEntry>();
  // "signups per month": rows of what the date is of.
  const hint = owners.size > 0 ? undefined : (periods.find((one) => one.hint) ?? groups.find((one) => one.hint))?.hint;
  const dated = hint ? best(hint.meanings).flatMap((one) => (one.kind === 'term' ? [] : [one.entity])) : [];
  const found = owners.size > 0 ? owners : dated;
  return [...found].length > 0
    ? { ...request, subject: rowsOf(oneEntity(context, (noun ?? hint)!.text, found)) }
    : request;
}

interface Shape {
  readonly figures: readonly Figure[];
  /** What figures are split by besides the groups that were said: the ranked or listed thing. */
  readonly by?: Mention | undefined;
}

const isExistence = ({ comparator, value }: Condition): boolean => comparator === 'greater_than' && value === 0;
/** A comparison that rows without anything related meet too. */
const holdsForNone = ({ comparator, value }: Condition): boolean =>
  comparator?.startsWith('less') || comparator === 'not_equals' || (comparator === 'equals' && value === 0);

/** What is measured, and whether the subject or column is what it is split by. */
function shapeOf(request: Request, context: PlanContext): Shape {
  const { figures, subject, columns, ranking, groups, conditions, listing } = request;
  const [entity] = entitiesOf(subject);
  const thing = subject ?? columns[0];
  if (figures.length > 0) {
    const counts = figures.every(({ mention }) => mention.meanings.some((one) => subject?.meanings.includes(one)));
    return { figures, by: !counts && (listing || (columns.length > 0 && ranking)) ? thing : undefined };
  }
  if (isRowRanking(context, request)) return { figures: [] };
  if (ranking && !ranking.isLimit) {
    const key = rankingFigure(context, request, thing !== undefined || groups.length > 0);
    if (key) return { figures: [key], by: thing };
    const owners = thing?.meanings.flatMap((one) => (one.kind === 'term' ? [] : [one.entity])) ?? [];
    if (thing && ranking.of?.[0] === 'count')
      return { figures: [{ fn: 'count', mention: rowsOf(oneEntity(context, thing.text, owners)) }], by: thing };
    if (!thing || !ranking.isSorting)
      throw refusal(
        [],
        `I cannot tell by what to rank${thing ? ` ${thing.text}` : ''}; say it with "by", such as "by number of …".`,
      );
  }
  const count: Figure[] = subject ? [{ fn: 'count', mention: subject }] : [];
  const isCounted =
    request.portion || request.share || groups.length > 0 || ((request.counting || request.compared) && entity);
  if (isCounted && !entity)
    throw refusal(
      [],
      thing ? `I cannot tell what to count for "${thing.text}".` : 'I could not tell what you want to see.',
    );
  if (isCounted) return { figures: count };
  const numeric = conditions.filter(
    (one) => one.type === 'related' && !isExistence(one) && (!subject || !holdsForNone(one)),
  );
  if (numeric.length === 1 && thing) return { figures: [{ fn: 'count', mention: numeric[0]!.mention }], by: thing };
  const compared = conditions.find(
    ({ type, mention, fn }) =>
      type === 'compare' &&
      mention.meanings.length > 0 &&
      (fn ?? best(mention.meanings).every(({ kind }) => kind === 'measure')),
  );
  if (compared && thing)
    return { figures: [{ ...(compared.fn && { fn: compared.fn }), mention: compared.mention }], by: thing };
  const isBare = entity && !listing && !request.which && !ranking && columns.length === 0;
  return { figures: isBare && countsByDefault(request, entity) ? count : [] };
}

/** A bare "visits last week" asks how many, a bare "customers in Berlin" which. */
function countsByDefault({ conditions, periods }: Request, { model }: EntityEntry): boolean {
  if (conditions.some(({ type }) => type !== 'is')) return false;
  return (
    model.type === 'fact' || (!periods.some(({ hint }) => hint) && (periods.length > 0 || conditions.length === 0))
  );
}

/** What is listed where nothing is measured. */
function baseOf(request: Request, context: PlanContext): EntityEntry {
  if (request.subject) return entityOf(context, request.subject);
  const [column] = request.columns;
  if (!column) throw refusal([], 'I could not tell what you want to see.');
  const found = best(column.meanings.filter((one) => one.kind === 'dimension'));
  const shared = found.filter(({ entity }) =>
    request.columns.every(({ meanings }) => meanings.some((one) => one.kind === 'dimension' && one.entity === entity)),
  );
  const candidates = (shared.length > 0 ? shared : found).map(({ entity }) => ({
    value: entity,
    label: `${column.text} of ${entity.many}`,
  }));
  return asked(context, `dimension:${column.text}`, `Which "${column.text}" do you mean?`, candidates);
}

function addFigure({ plan }: Planner, { name, adhoc }: PlannedFigure): void {
  if (name !== undefined && !plan.measures?.includes(name)) plan.measures = [...(plan.measures ?? []), name];
  if (adhoc && !plan.adhocMeasures?.some((one) => one.name === adhoc.name))
    plan.adhocMeasures = [...(plan.adhocMeasures ?? []), adhoc];
}

function planFigures(
  planner: Planner,
  figures: readonly PlannedFigure[],
  { by }: Shape,
  groups: readonly Group[],
): void {
  const { request, plan, base } = planner;
  const { ranking } = request;
  if (by && ranking && !ranking.isSorting && request.groups.length > 0)
    throw refusal([], 'I can rank over everything, but not within each group.');
  const extra = request.columns.slice(by && !request.subject ? 1 : 0);
  if (extra.length > 0) throw refusal(extra.map(({ text }) => text));
  if (figures.some(({ entity }) => entity !== base) && request.conditions.length > 0)
    throw refusal([], 'I cannot tell which of the figures the conditions belong to; ask for them one at a time.');
  for (const figure of figures) addFigure(planner, figure);
  // "average quantity per order item" over order items is the average itself.
  const isAverage = figures.some((figure) => typeOf(planner, figure) === 'avg');
  const split = groups.filter(({ mention, per }) => !(isAverage && per && entitiesOf(mention).includes(base)));
  for (const { mention, per } of split) {
    const [entity] = per ? entitiesOf(mention) : [];
    // "revenue per order" is of each order or an average: rows without a name cannot be meant one by one.
    if (entity && labelOf(entity).every((one) => one.primary_key) && !isAverage && !request.share && !ranking)
      throw refusal(
        [],
        `I cannot tell whether you mean each of the ${entity.many} or an average; ask by something that ${entity.many} share.`,
      );
  }
  // A condition may name the date that months are of, and compares the figures of the groups that are no date.
  plan.dimensions = dimensionsOf(
    planner,
    split.filter(({ grain }) => !grain),
    figures,
  );
  restrict(
    planner,
    figures.flatMap(({ conditions }) => conditions ?? []),
  );
  const parts = [
    plan.dimensions,
    dimensionsOf(
      planner,
      split.filter(({ grain }) => grain),
      figures,
    ),
  ];
  plan.dimensions = (split[0]?.grain ? parts.reverse() : parts).flat();
  if (request.compared && request.periods.length < 2) compareValues(planner);
  applyPeriods(planner);
  if (ranking) rankFigures(planner, figures, by);
  if (!request.share) return;
  if (plan.dimensions.length === 0) throw refusal(['share'], 'I cannot tell what the share is of; name it with "by".');
  plan.share = true;
}

/** The dimensions of what the figures are split by, each once. */
function dimensionsOf(planner: Planner, groups: readonly Group[], figures: readonly PlannedFigure[]): PlanDimension[] {
  const found = groups.flatMap(({ mention, grain, hint }) =>
    mention ? mentioned(planner, mention) : [ofCalendar(planner, grain!, hint)],
  );
  for (const { dimension } of found) {
    const owner = planner.lexicon.entities.get(ownerOf(dimension))!;
    // A sum split by what several of its rows share would count them more than once.
    for (const figure of figures)
      if (typeOf(planner, figure) === 'sum' && distance(planner, figure.entity, owner) === undefined)
        throw refusal(
          [],
          `A sum over ${figure.entity.many} cannot be split by ${owner.many}: it would count them more than once.`,
        );
  }
  return found.filter(
    (one, i) => found.findIndex((other) => other.dimension === one.dimension && other.grain === one.grain) === i,
  );
}

/** The rows of an entity by their name, or the values of an attribute. */
function mentioned(planner: Planner, mention: Mention): PlanDimension[] {
  const { base } = planner;
  const entities = entitiesOf(mention).filter((entity) => isRelated(planner, base, entity));
  const isOwn = mention.meanings.some((one) => one.kind === 'dimension' && one.entity === base && one.rank >= 2);
  if (entities.length === 0 || isOwn) {
    const item = dimensionOf(planner, mention);
    return [{ dimension: full(item), ...(isTime(item.dimension) && { grain: 'day' as const }) }];
  }
  const entity = oneEntity(planner, mention.text, entities);
  checkWay(planner, { entity }, mention.text);
  return labelOf(entity).map((dimension) => ({
    dimension: full({ entity, dimension }),
    ...(dimension.primary_key !== true && keyOfRows(entity) && { identity: true }),
  }));
}

/** A part of the calendar, of the date that the question names or that stands for the rows. */
function ofCalendar(
  planner: Planner,
  grain: NonNullable<PlanDimension['grain']>,
  hint: Mention | undefined,
): PlanDimension {
  const [period] = planner.request.periods;
  const said = hint ?? period?.hint;
  const date = said ? hintedDate(planner, said) : dateOf(planner, period ?? { text: '' });
  if (grain !== 'year' && date.dimension === birthOf(date.entity))
    throw refusal([grain], 'I can group births by year, not by a part of the year.');
  return { dimension: full(date), grain };
}

function rankFigures(planner: Planner, figures: readonly PlannedFigure[], by: Mention | undefined): void {
  const { request, plan, base } = planner;
  const ranking = request.ranking!;
  const isAsked = request.figures.length > 0;
  // "the highest price" alone is the highest value there is.
  if (!by && figures[0]?.adhoc && !isAsked && request.groups.length === 0) return;
  if (ranking.isLimit) {
    if (plan.dimensions.length === 0) throw refusal([String(ranking.limit)]);
    plan.limit = ranking.limit!;
    return;
  }
  const isOpen = !by && !isAsked && !ranking.isSorting && ranking.limit === undefined && !request.which;
  if (isOpen || (isAsked && !ranking.key && !ranking.isSorting))
    throw refusal([], 'I cannot tell what is ranked by what; ask for "top … by …", or "… highest first".');
  const said = isAsked ? rankingFigure(planner, request, true) : undefined;
  const key = said ? figureOf(planner, said, [base]) : figures[0]!;
  addFigure(planner, key);
  rankGroups(planner, key, by ?? request.groups[0]?.mention);
}

/** "compare revenue of Retail and Finance": one figure for each value. */
function compareValues({ plan, request }: Planner): void {
  const [list, more] = plan.filters.filter(({ operator }) => operator === 'in');
  if (list && !more) {
    if (!plan.dimensions.some(({ dimension }) => dimension === list.dimension))
      plan.dimensions.push({ dimension: list.dimension });
  } else if (request.periods.length === 0)
    throw refusal([], 'I cannot tell what to compare; name two values or two periods.');
}

/** Conditions, the part of a percentage, and what is named beside the rows. */
function restrict(planner: Planner, more: Request['conditions'] = []): void {
  const { request, plan, base } = planner;
  applyConditions(planner, [...request.conditions, ...more]);
  if (request.portion) {
    const { filters, segments, excludedSegments, related } = planOf(planner, base, request.portion);
    if (request.portion.length === 0) throw refusal([], 'I cannot tell what the percentage is of.');
    plan.portion = { filters, segments, excludedSegments, related };
  }
  for (const mention of [request.subject, ...request.beside]) {
    const entities = entitiesOf(mention);
    const isReached = (from: EntityEntry): boolean =>
      entities.some((one) => distance(planner, from, one) !== undefined);
    if (mention && ![base, ...planner.several].some(isReached))
      throw refusal([mention.text], `I cannot relate "${mention.text}" to ${base.many}.`);
  }
}

/** "new customers in May" are those of that date; without a period nothing says how new. */
function checkNew({ plan, base }: Planner): void {
  const [own, more] = primaryDates(base);
  const name = own && !more ? full({ entity: base, dimension: own }) : undefined;
  const isDated = plan.timeRange
    ? plan.timeRange.dimension === name
    : plan.dimensions.some(({ grain, dimension }) => grain && dimension === name);
  if (!isDated) throw refusal(['new'], `I cannot tell since when ${base.many} are new; name a period.`);
}

/** Listed rows, or the values of attributes. */
function planRows(planner: Planner): void {
  const { request, plan, base } = planner;
  const { subject, columns, ranking } = request;
  restrict(planner);
  if (request.compared) throw refusal([], 'I cannot tell what to compare; name a figure, such as revenue.');
  applyPeriods(planner);
  const shown = columns.map((mention) => dimensionOf(planner, mention));
  plan.dimensions = shown.map((one) => ({ dimension: full(one) }));
  const [column, second] = shown;
  // Few values that many rows share.
  const isCategory =
    column?.dimension.type === 'string' &&
    (column.dimension.sample_values?.length ?? 0) > 1 &&
    (column.dimension.unique_count ?? 0) <= 50;
  const name = column && spoken(column.dimension.name);
  const ways = [
    { value: true, label: `the different values of ${name}` },
    { value: false, label: `the ${name} of each of the ${base.many}` },
  ];
  const isDistinct = second
    ? false
    : !subject || (isCategory && (request.which || asked(planner, `values:${name}`, 'What do you want to see?', ways)));
  if (!isDistinct) plan.entity = base.name;
  if (!ranking) return;
  if (!subject && !ranking.isLimit) throw refusal([], 'I cannot tell by what to rank; name it with "by".');
  rankRows(planner);
}
