/** Turns a request into a query plan: every name gets its one meaning, or the reader asks. */
import type { QueryPlan } from '../../semantic-query/index.ts';
import type { Condition, Figure, Group, Mention, Request } from '../parse/request.ts';
import type { PlanDimension } from '../words/layer.ts';
import { type EntityEntry, isTime, isYear } from '../words/lexicon.ts';
import { applyConditions, planOf } from './conditions.ts';
import { applyPeriods, dateOf, hintedDate } from './dates.ts';
import { conditionEntities, figureOf, isFigure, type PlannedFigure, typeOf } from './figures.ts';
import { refusal } from './outcome.ts';
import * as of from './planner.ts';
import { goesBy, isRowRanking, rankGroups, rankingFigure, rankRows } from './ranking.ts';
import { birthOf, isPeople, keyOfRows, labelOf, primaryDates, worthOf } from './traits.ts';

const NOT_CLEAR = 'I could not tell what you want to see.';
const NO_COMPARISON = 'I cannot tell what to compare; name a figure and two values or periods.';

/** The plan of a request. Throws how the reading ended otherwise (`outcomeOf`). */
export function planRequest(given: Request, context: of.PlanContext): QueryPlan {
  const request = withSubject(given, context);
  if (given.compared && !given.subject && given.figures.length === 0) throw refusal([], NO_COMPARISON);
  const shape = shapeOf(request, context);
  const groups: Group[] = [...(shape.by ? [{ mention: shape.by }] : []), ...request.groups];
  const near = [request.subject, ...request.beside].flatMap(of.entitiesOf);
  const canSplit = (entity: EntityEntry): boolean =>
    groups.every(
      ({ mention }) =>
        !mention ||
        mention.meanings.some((one) => one.kind === 'term' || of.distance(context, entity, one.entity) !== undefined),
    );
  const mean = meanOf(request, context);
  const figures = (mean ? [mean] : shape.figures).map((figure) => figureOf(context, figure, near, canSplit));
  const base = figures[0]?.entity ?? baseOf(request, context);
  const planner: of.Planner = {
    ...context,
    request,
    base,
    plan: of.emptyPlan(),
    events: [],
    several: new Set(),
  };
  if (figures.length > 0) planFigures(planner, figures, shape, groups);
  else planRows(planner);
  if (mean) planMean(planner, groups[0]!);
  if (request.isNew) checkNew(planner);
  const parts = Object.entries(planner.plan);
  return Object.fromEntries(
    parts.filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  ) as QueryPlan;
}

const rowsOf = (entity: EntityEntry): Mention => ({
  text: entity.many,
  plural: true,
  meanings: [{ kind: 'entity', entity, rank: 3 }],
});

/** A condition used as a noun, a date, or "who" stands for the rows it is of. */
function withSubject(request: Request, context: of.PlanContext): Request {
  const { subject, figures, columns, ranking, conditions, groups, periods, portion = [] } = request;
  if (subject && of.entitiesOf(subject).length > 0) return request;
  const isAmount = figures.some(({ mention }) => mention.meanings.length === 0);
  const of1 = (text: string, found: Iterable<EntityEntry>): Request => ({
    ...request,
    subject: rowsOf(of.oneEntity(context, text, found)),
  });
  const ranked = ranking?.key?.mention;
  if (request.who && !subject && columns.length === 0 && ranked) {
    const people = [...context.lexicon.entities.values()].filter(isPeople);
    const owners = ranked.meanings.flatMap((one) => (one.kind === 'term' ? [] : [one.entity]));
    const one = of1(
      'who',
      people.filter((who) => owners.some((owner) => of.distance(context, owner, who) !== undefined)),
    );
    return { ...one, subject: { ...one.subject!, plural: false } };
  }
  if (!subject && ((figures.length > 0 && !isAmount) || columns.length > 0 || ranked)) return request;
  const noun = subject ?? [...conditions, ...portion].find(({ type }) => /^(is|equals)$/.test(type))?.mention;
  const owners = noun ? conditionEntities(context, noun) : new Set<EntityEntry>();
  if (noun && owners.size > 0) return of1(noun.text, owners);
  // "signups per month": rows of what the date is of.
  const hint = [...periods, ...groups].find((one) => one.hint)?.hint;
  const dated = hint ? of.best(hint.meanings).flatMap((one) => (one.kind === 'term' ? [] : [one.entity])) : [];
  return dated.length > 0 ? of1(hint!.text, dated) : request;
}

/** What is measured. `by`: what it is split by besides the groups that were said: the ranked or listed thing. */
type Shape = { readonly figures: readonly Figure[]; readonly by?: Mention | undefined };

const isExistence = ({ comparator, value }: Condition): boolean => comparator === 'greater_than' && value === 0;
/** A comparison that rows without anything related meet too. */
const holdsForNone = ({ comparator, value }: Condition): boolean =>
  comparator?.startsWith('less') || comparator === 'not_equals' || (comparator === 'equals' && value === 0);

function shapeOf(request: Request, context: of.PlanContext): Shape {
  const { figures, subject, columns, ranking, groups, conditions, listing } = request;
  const [entity] = of.entitiesOf(subject);
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
    if (thing && goesBy(ranking, 'count'))
      return { figures: [{ fn: 'count', mention: rowsOf(of.oneEntity(context, thing.text, owners)) }], by: thing };
    const named = thing ? ` ${thing.text}` : '';
    if (!thing || !ranking.isSorting)
      throw refusal([], `I cannot tell by what to rank${named}; say it with "by", such as "by number of …".`);
  }
  const count: Figure[] = subject ? [{ fn: 'count', mention: subject }] : [];
  if (request.portion || request.share || groups.length > 0 || ((request.counting || request.compared) && entity)) {
    if (entity) return { figures: count };
    throw refusal([], thing ? `I cannot tell what to count for "${thing.text}".` : NOT_CLEAR);
  }
  const numeric = conditions.filter(
    (one) => one.type === 'related' && !isExistence(one) && (!subject || !holdsForNone(one)),
  );
  if (numeric.length === 1 && thing) return { figures: [{ fn: 'count', mention: numeric[0]!.mention }], by: thing };
  const compared = conditions.find(
    ({ type, mention: { meanings }, fn }) =>
      type === 'compare' && meanings.length > 0 && (fn ?? of.best(meanings).every(({ kind }) => kind === 'measure')),
  );
  if (compared && thing)
    return { figures: [{ ...(compared.fn && { fn: compared.fn }), mention: compared.mention }], by: thing };
  const isBare = entity && !listing && !request.which && !ranking && columns.length === 0;
  return { figures: isBare && countsByDefault(request, entity) ? count : [] };
}

/** A bare "visits last week" asks how many, a bare "customers in Berlin" which. */
function countsByDefault({ conditions, periods }: Request, { model }: EntityEntry): boolean {
  if (conditions.some(({ type }) => type !== 'is')) return false;
  const isDated = periods.some(({ hint }) => hint);
  return model.type === 'fact' || (!isDated && (periods.length > 0 || conditions.length === 0));
}

/** What is listed where nothing is measured. */
function baseOf(request: Request, context: of.PlanContext): EntityEntry {
  const { subject, columns } = request;
  if (subject) return of.oneEntity(context, subject.text, of.entitiesOf(subject));
  const [column] = columns;
  if (!column) throw refusal([], NOT_CLEAR);
  const found = of.best(column.meanings.filter((one) => one.kind === 'dimension')).map(({ entity }) => entity);
  const shared = of.prefer(found, (entity) =>
    columns.every(({ meanings }) => meanings.some((one) => one.kind === 'dimension' && one.entity === entity)),
  );
  const label = ({ many }: EntityEntry): string => `${column.text} of ${many}`;
  return of.asked(context, `dimension:${column.text}`, `Which "${column.text}" do you mean?`, shared, label);
}

/** "average orders per customer": the figure whose mean over the rows or periods of its one group is asked for. */
function meanOf({ figures, groups, ranking, share, portion }: Request, context: of.PlanContext): Figure | undefined {
  const [figure, more] = figures;
  const [group, second] = groups;
  const isMean = figure?.fn === 'avg' && !more && group?.per && !second && !ranking && !share && !portion;
  if (!isMean || (!group.grain && of.entitiesOf(group.mention).length === 0)) return undefined;
  if (figure.mention.meanings.length === 0 || isFigure(context, figure)) return undefined;
  const { fn: _, ...sum } = figure;
  const entities = of.entitiesOf(figure.mention);
  if (entities.length === 0) return sum;
  // "average fines per month": how many there are, or what they come to.
  return { ...figure, fn: !figure.isCount && entities.some((one) => worthOf(one).length > 0) ? 'sum' : 'count' };
}

function planMean(planner: of.Planner, { mention, grain }: Group): void {
  const { plan, base } = planner;
  const type = plan.measures?.length === 1 ? typeOf(planner, { entity: base, name: plan.measures[0]! }) : undefined;
  if (!/^(count|sum)$/.test(type ?? '')) throw refusal([], 'I can average counts and sums over groups, nothing else.');
  if (grain) {
    // A short period without any row would be missing from the average.
    if (/^(day|week)$/.test(grain))
      throw refusal([], `I cannot average over ${grain}s, as some may have no ${base.many}.`);
    plan.over = { aggregate: 'avg' };
    return;
  }
  const [entity] = of.entitiesOf(mention);
  if (!entity || entity === base || of.distance(planner, base, entity) === undefined)
    throw refusal([], `I cannot average over ${mention?.text ?? 'that'}.`);
  // Under a condition the average may be over all of them, or over those that have any.
  if (plan.filters.length + plan.segments.length + plan.related.length > 0 || plan.timeRange)
    throw refusal([], `I can average over all ${entity.many}, but not under conditions.`);
  plan.over = { aggregate: 'avg', entity: entity.name };
  plan.dimensions = [];
}

function addFigure({ plan }: of.Planner, { name, adhoc }: PlannedFigure): void {
  if (name !== undefined && !plan.measures?.includes(name)) plan.measures = [...(plan.measures ?? []), name];
  if (adhoc && !plan.adhocMeasures?.some((one) => one.name === adhoc.name))
    plan.adhocMeasures = [...(plan.adhocMeasures ?? []), adhoc];
}

function planFigures(
  planner: of.Planner,
  figures: readonly PlannedFigure[],
  { by }: Shape,
  groups: readonly Group[],
): void {
  const { request, plan, base } = planner;
  const { ranking, columns, conditions, share } = request;
  if (by && ranking && !ranking.isSorting && request.groups.length > 0)
    throw refusal([], 'I can rank over everything, but not within each group.');
  const extra = columns.slice(by && !request.subject ? 1 : 0);
  if (extra.length > 0) throw refusal(extra.map(({ text }) => text));
  if (figures.some(({ entity }) => entity !== base) && conditions.length > 0)
    throw refusal([], 'I cannot tell which of the figures the conditions belong to; ask for them one at a time.');
  for (const figure of figures) addFigure(planner, figure);
  // "average quantity per order item" over order items is the average itself.
  const isAverage =
    request.figures.some(({ fn }) => fn === 'avg') || figures.some((one) => typeOf(planner, one) === 'avg');
  const split = groups.filter(({ mention, per }) => !(isAverage && per && of.entitiesOf(mention).includes(base)));
  for (const { mention, per } of split) {
    const [entity] = per ? of.entitiesOf(mention) : [];
    // "revenue per order" is of each order or an average: rows without a name cannot be meant one by one.
    if (entity && labelOf(entity).every((one) => one.primary_key) && !isAverage && !share && !ranking)
      throw refusal(
        [],
        `I cannot tell whether you mean each of the ${entity.many} or an average; ask by something that ${entity.many} share.`,
      );
  }
  // A condition may name the date that months are of, and compares the figures of the groups that are no date.
  const dimensions = (isGrain: boolean): PlanDimension[] =>
    dimensionsOf(
      planner,
      split.filter(({ grain }) => (grain !== undefined) === isGrain),
      figures,
    );
  plan.dimensions = dimensions(false);
  restrict(
    planner,
    figures.flatMap((one) => one.conditions ?? []),
  );
  const parts = [plan.dimensions, dimensions(true)];
  plan.dimensions = (split[0]?.grain ? parts.reverse() : parts).flat();
  if (request.compared && request.periods.length < 2) compareValues(planner);
  applyPeriods(planner);
  if (ranking) rankFigures(planner, figures, by);
  if (!share) return;
  if (plan.dimensions.length === 0) throw refusal(['share'], 'I cannot tell what the share is of; name it with "by".');
  plan.share = true;
}

/** The dimensions of what the figures are split by, each once. */
function dimensionsOf(
  planner: of.Planner,
  groups: readonly Group[],
  figures: readonly PlannedFigure[],
): PlanDimension[] {
  const found = groups.flatMap(({ mention, grain, hint }) =>
    mention ? mentioned(planner, mention) : [ofCalendar(planner, grain!, hint)],
  );
  for (const { dimension } of found) {
    const owner = planner.lexicon.entities.get(of.ownerOf(dimension))!;
    // A sum split by what several of its rows share would count them more than once.
    for (const figure of figures)
      if (typeOf(planner, figure) === 'sum' && of.distance(planner, figure.entity, owner) === undefined)
        throw refusal(
          [],
          `A sum over ${figure.entity.many} cannot be split by ${owner.many}: it would count them more than once.`,
        );
  }
  const key = ({ dimension, grain }: PlanDimension): string => `${dimension} ${grain}`;
  return [...new Map(found.map((one) => [key(one), one])).values()];
}

/** The rows of an entity by their name, or the values of an attribute. */
function mentioned(planner: of.Planner, mention: Mention): PlanDimension[] {
  const { base } = planner;
  const entities = of.entitiesOf(mention).filter((entity) => of.isRelated(planner, base, entity));
  const isOwn = mention.meanings.some((one) => one.kind === 'dimension' && one.entity === base && one.rank >= 2);
  if (entities.length === 0 || isOwn) {
    const item = of.dimensionOf(planner, mention);
    return [{ dimension: of.full(item), ...(isTime(item.dimension) && { grain: 'day' as const }) }];
  }
  const entity = of.oneEntity(planner, mention.text, entities);
  of.checkWay(planner, { entity }, mention.text);
  return labelOf(entity).map((dimension) => ({
    dimension: of.full({ entity, dimension }),
    ...(dimension.primary_key !== true && keyOfRows(entity) && { identity: true }),
  }));
}

/** A part of the calendar, of the date that the question names or that stands for the rows. */
function ofCalendar(planner: of.Planner, grain: NonNullable<PlanDimension['grain']>, hint?: Mention): PlanDimension {
  const [period] = planner.request.periods;
  const said = hint ?? period?.hint;
  const date = said ? hintedDate(planner, said) : dateOf(planner, period ?? { text: '' });
  if (grain !== 'year' && (isYear(date.dimension) || date.dimension === birthOf(date.entity)))
    throw refusal([grain], `I can group by the year of ${of.labelOfDimension(date)}, not by a part of the year.`);
  return { dimension: of.full(date), ...(!isYear(date.dimension) && { grain }) };
}

function rankFigures(planner: of.Planner, figures: readonly PlannedFigure[], by: Mention | undefined): void {
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
  const isOpen = !by && !isAsked && !ranking.isSorting && ranking.limit === undefined && !request.which && !request.who;
  if (isOpen || (isAsked && !ranking.key && !ranking.isSorting))
    throw refusal([], 'I cannot tell what is ranked by what; ask for "top … by …", or "… highest first".');
  const said = isAsked ? rankingFigure(planner, request, true) : undefined;
  const key = said ? figureOf(planner, said, [base]) : figures[0]!;
  addFigure(planner, key);
  rankGroups(planner, key, by ?? request.groups[0]?.mention);
}

/** "compare revenue of Retail and Finance": one figure for each value. */
function compareValues({ plan, request }: of.Planner): void {
  const [list, more] = plan.filters.filter(({ operator }) => operator === 'in');
  if (list && !more) {
    if (!plan.dimensions.some(({ dimension }) => dimension === list.dimension))
      plan.dimensions.push({ dimension: list.dimension });
  } else if (request.periods.length === 0) throw refusal([], NO_COMPARISON);
}

/** Conditions, the part of a percentage, and what is named beside the rows. */
function restrict(planner: of.Planner, more: Request['conditions'] = []): void {
  const { request, plan, base } = planner;
  applyConditions(planner, [...request.conditions, ...more]);
  if (request.portion) {
    const { filters, segments, excludedSegments, related } = planOf(planner, base, request.portion);
    if (request.portion.length === 0) throw refusal([], 'I cannot tell what the percentage is of.');
    plan.portion = { filters, segments, excludedSegments, related };
  }
  for (const mention of [request.subject, ...request.beside]) {
    const entities = of.entitiesOf(mention);
    const isReached = (from: EntityEntry): boolean =>
      entities.some((one) => of.distance(planner, from, one) !== undefined);
    if (mention && ![base, ...planner.several].some(isReached))
      throw refusal([mention.text], `I cannot relate "${mention.text}" to ${base.many}.`);
  }
}

/** "new customers in May" are those of that date; without a period nothing says how new. */
function checkNew({ plan, base }: of.Planner): void {
  const [own, more] = primaryDates(base);
  const name = own && !more ? of.full({ entity: base, dimension: own }) : undefined;
  const isDated = plan.timeRange
    ? plan.timeRange.dimension === name
    : plan.dimensions.some(({ grain, dimension }) => grain && dimension === name);
  if (!isDated) throw refusal(['new'], `I cannot tell since when ${base.many} are new; name a period.`);
}

/** Listed rows, or the values of attributes. */
function planRows(planner: of.Planner): void {
  const { request, plan, base } = planner;
  const { subject, columns, ranking } = request;
  restrict(planner);
  if (request.compared) throw refusal([], NO_COMPARISON);
  applyPeriods(planner);
  const shown = columns.map((mention) => of.dimensionOf(planner, mention));
  plan.dimensions = shown.map((one) => ({ dimension: of.full(one) }));
  const [column, second] = shown;
  const { type, sample_values: samples = [], unique_count: count = 0 } = column?.dimension ?? {};
  // Few values that many rows share.
  const isCategory = type === 'string' && samples.length > 1 && count <= 50;
  const name = column && of.spoken(column.dimension.name);
  const ways = [`the different values of ${name}`, `the ${name} of each of the ${base.many}`];
  const isChosen = () =>
    of.asked(planner, `values:${name}`, 'What do you want to see?', ways, (one) => one) === ways[0];
  const isDistinct = !second && (!subject || (isCategory && (request.which || isChosen())));
  if (!isDistinct) plan.entity = base.name;
  if (!ranking) return;
  if (!subject && !ranking.isLimit) throw refusal([], 'I cannot tell by what to rank; name it with "by".');
  rankRows(planner);
}
