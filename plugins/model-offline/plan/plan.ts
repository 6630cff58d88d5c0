/** Turns a request into a query plan: every name gets its one meaning, or the reader asks. */
import type { QueryPlan } from '../../semantic-query/index.ts';
import type { Figure, Group, Mention, Request } from '../parse/request.ts';
import type { PlanDimension } from '../words/layer.ts';
import { type EntityEntry, isPeople, isTime, isYear } from '../words/lexicon.ts';
import { nameWords, stem } from '../words/words.ts';
import { applyPeriods, dateOf, hintedDate } from './dates.ts';
import { figureOf, type PlannedFigure, typeOf } from './figures.ts';
import { APART, refusal } from './outcome.ts';
import * as of from './planner.ts';
import { rankGroups, rankingFigure } from './ranking.ts';
import { planRows, restrict } from './rows.ts';
import { baseOf, comparedIn, ownersOf, type Shape, shapeOf, withShown, withSubject } from './shape.ts';
import { isNamed, keyOfRows, labelOf, mayEnd, saysState, wordsOf } from './traits.ts';

/** The plan of a request. Throws how the reading ended otherwise (`outcomeOf`). */
export function planRequest(given: Request, context: of.PlanContext): QueryPlan {
  if (given.unclear) throw refusal([given.unclear], 'It may be meant in several ways; ask for one thing at a time.');
  const request = withShown(withSubject(given, context));
  if (request.trend && !request.groups.some(({ grain }) => grain))
    throw refusal([], 'Say by which period, such as "by month".');
  const alternatives = request.compare && request.periods.length < 2 ? comparedIn(request, given) : [];
  const shape = shapeOf({ ...request, groups: [...alternatives, ...request.groups] }, context);
  const groups: Group[] = [...(shape.by ? [{ mention: shape.by }] : []), ...alternatives, ...request.groups];
  const ranked = request.subject ? [] : ownersOf(shape.by && { ...shape.by, meanings: of.best(shape.by.meanings) });
  const near = [...[request.subject, ...request.beside].flatMap(of.entitiesOf), ...ranked];
  const isReached = (entity: EntityEntry, { mention }: Group): boolean =>
    !mention ||
    mention.meanings.some((one) => one.kind === 'term' || of.distance(context, entity, one.entity) !== undefined);
  const canSplit = (entity: EntityEntry): boolean => groups.every((group) => isReached(entity, group));
  const { per } = request;
  const asked = per ? [...shape.figures.map((one) => totalOf(one, context)), per] : shape.figures;
  if (per && (asked.length !== 2 || request.ranking || request.share))
    throw refusal([per.mention.text], 'I can divide one figure by another.');
  const figures = asked.map((figure) => figureOf(context, figure, near, canSplit));
  checkUnit(request, figures, context);
  const base = figures[0]?.entity ?? baseOf(request, context);
  if (request.who && !request.ranking && !isPeople(base)) throw refusal(['who']);
  const isCurrent = request.current && mayEnd(base) && !request.conditions.some(saysState);
  const current = isCurrent ? base.model.segments.filter(({ name }) => /^current(_|$)/i.test(name)) : [];
  if (isCurrent && current.length !== 1)
    throw refusal([], `Say which ${base.many} are current, such as by their state.`);
  const planner = { ...context, request, base, plan: of.emptyPlan(), events: [], several: new Set<EntityEntry>() };
  planner.plan.segments.push(...current.map(({ name }) => `${base.name}.${name}`));
  if (figures.length > 0) planFigures(planner, figures, shape, groups);
  else planRows(planner);
  const { timeRange, dimensions, entity, related } = planner.plan;
  // "who passed all exams" is more than to have passed one.
  if (request.all && (related.length > 0 || planner.several.size > 0))
    throw refusal(['all'], 'I can tell whether there is such a row, but not whether all are such.');
  // "for which no exam was held" must not be read as having none, and one that was held.
  const isContradicted = ({ entity: other, operator, value }: (typeof related)[number]): boolean =>
    operator === 'equals' &&
    value === 0 &&
    (related.filter((one) => one.entity === other).length > 1 ||
      planner.plan.filters.some((one) => of.ownerOf(one.dimension) === other));
  if (related.some(isContradicted)) throw refusal([], APART);
  // "which vet has the most hours" wants a vet, not the most hours.
  if ((request.which || request.who) && !entity && dimensions.length === 0) throw refusal(['which']);
  const dates = [timeRange, ...dimensions.filter(({ grain }) => grain)].flatMap((one) => one?.dimension ?? []);
  const isCount = figures.every((figure) => typeOf(context, figure) === 'count');
  // "new customers in 2024" are those since then; their orders are something else.
  if (request.new && !(isCount && dates.length > 0 && dates.every((date) => of.ownerOf(date) === base.name)))
    throw refusal(['new'], `I can tell new ${base.many} only where they are counted in a period.`);
  const parts = Object.entries(planner.plan);
  const isSaid = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(parts.filter(([, value]) => isSaid(value))) as QueryPlan;
}

/** "in euros" must be what the columns of the figures are in. */
function checkUnit({ unit }: Request, figures: Figures, { lexicon }: of.PlanContext): void {
  for (const { entity, name = '', adhoc } of unit ? figures : []) {
    const { measure, metric } = lexicon.measures.get(name) ?? {};
    const sql = measure?.sql ?? metric?.sql ?? '';
    const columns = entity.dimensions.filter(
      (dimension) => adhoc?.dimension === of.full({ entity, dimension }) || sql.includes(dimension.sql),
    );
    const said = [...nameWords(name), adhoc?.unit ?? '', ...columns.flatMap(wordsOf)].map(stem);
    if (!said.some((word) => unit!.names.includes(word)))
      throw refusal([unit!.text], `I do not know whether that is in ${unit!.text}; leave the unit out.`);
  }
}

/** What is divided is a total, also where its average was asked for. */
function totalOf(figure: Figure, { lexicon }: of.PlanContext): Figure {
  const [only, more] = figure.mention.meanings.filter(({ kind }) => kind === 'measure');
  if (figure.fn === 'avg') return { ...figure, fn: 'sum' };
  if (more || only?.kind !== 'measure' || only.measure?.type !== 'avg') return figure;
  const isTotal = ({ entity, measure }: typeof only): boolean =>
    entity === only.entity && measure?.type === 'sum' && measure.sql === only.measure!.sql;
  const total = [...lexicon.measures.values()].find(isTotal);
  return total ? { ...figure, mention: { ...figure.mention, meanings: [total] } } : figure;
}

function addFigure({ plan }: of.Planner, { name, adhoc }: PlannedFigure): void {
  if (name !== undefined && !plan.measures?.includes(name)) plan.measures = [...(plan.measures ?? []), name];
  if (adhoc && !plan.adhocMeasures?.some((one) => one.name === adhoc.name))
    plan.adhocMeasures = [...(plan.adhocMeasures ?? []), adhoc];
  // What has no end yet takes no time.
  if (adhoc?.since) of.addFilter(plan, { dimension: adhoc.dimension, operator: 'is_not_null' });
}

type Figures = readonly PlannedFigure[];

function planFigures(planner: of.Planner, figures: Figures, { by, taken }: Shape, groups: readonly Group[]): void {
  const { request, plan, base } = planner;
  const { ranking, columns, conditions, share, shown } = request;
  if (shown) throw refusal(shown.map(({ text }) => text));
  if (share && of.entitiesOf(by).includes(base)) throw refusal([by!.text], 'I cannot tell what the share is of.');
  if (by && ranking && !ranking.isSorting && request.groups.length > 0)
    throw refusal([], 'I can rank over everything, but not within each group.');
  const extra = columns.slice(taken || (by && !request.subject) ? 1 : 0);
  if (extra.length > 0) throw refusal(extra.map(({ text }) => text));
  const isDated = request.periods.length > 0 || request.groups.some(({ grain }) => grain);
  if (figures.some(({ entity }) => entity !== base) && (conditions.length > 0 || isDated) && !request.per)
    throw refusal([], 'I cannot tell which of the figures the conditions belong to; ask for them one at a time.');
  for (const figure of figures) addFigure(planner, figure);
  const isAverage = figures.some((one) => typeOf(planner, one) === 'avg');
  // "average quantity per order item" over order items is the average itself.
  const split = groups.filter(({ mention, per }) => !(isAverage && per && of.entitiesOf(mention).includes(base)));
  for (const { mention, per } of split) {
    const [entity] = per ? of.entitiesOf(mention) : [];
    // "revenue per order" is of each order or an average: rows without a name cannot be meant one by one.
    const isOne = entity && (!isNamed(entity) || split.some((one) => !one.grain && one.mention !== mention));
    // "average consumption per customer": of each of hundreds, or of all?
    const isMany = isAverage && entity && entity !== base && (entity.model.rowCount ?? 0) > 100;
    if ((isMany || (isOne && !isAverage)) && !share && !ranking)
      throw refusal([], `I cannot tell whether you mean each of the ${entity.many} or an average over them.`);
  }
  const dimensions = (isGrain: boolean): PlanDimension[] => {
    const some = split.filter(({ grain }) => (grain !== undefined) === isGrain);
    return dimensionsOf(planner, some, figures);
  };
  // A condition may name the date that months are of, and compares the figures of the groups that are no date.
  plan.dimensions = dimensions(false);
  // "share of failed inspections": the condition is of the part, the period of both.
  const portion = of.emptyPlan();
  const whole = request.whole ?? 0;
  const ofPart = { ...request, conditions: conditions.slice(whole) };
  restrict(share ? { ...planner, request: ofPart, plan: portion } : planner);
  if (share && whole > 0) restrict({ ...planner, request: { ...request, conditions: conditions.slice(0, whole) } });
  const parts = [plan.dimensions, dimensions(true)];
  plan.dimensions = (split[0]?.grain ? parts.reverse() : parts).flat();
  applyPeriods(planner);
  if (request.per) divide(planner, figures, request.per.times);
  if (ranking) rankFigures(planner, figures, by);
  if (!share) return;
  const { dimensions: _, ...part } = portion;
  const [first, more] = Object.values(part).flat();
  if (more || (first && conditions.some(({ isPlace }) => isPlace && split.length > 0)))
    throw refusal(['share'], 'I cannot tell what the share is of; ask for the share of rows under one condition.');
  // Each group of rows has a condition on these wholly or not at all.
  const isOfGroup = ({ dimension: one }: { readonly dimension: string }): boolean =>
    of.ownerOf(one) !== base.name && plan.dimensions.some(({ dimension }) => of.ownerOf(dimension) === of.ownerOf(one));
  if (first && portion.filters.some(isOfGroup))
    throw refusal(['share'], 'I cannot tell what the share is of; ask for it without groups.');
  if (first) plan.portion = part;
  else if (plan.dimensions.length > 0) plan.share = true;
  else throw refusal(['share'], 'I cannot tell what the share is of; name it with "by".');
}

/** "cost per kilometre": the total of one by the total of the other. */
function divide(planner: of.Planner, figures: Figures, times = 1): void {
  const { request } = planner;
  const [first, second] = figures.map((figure) => {
    const type = typeOf(planner, figure);
    if (!/^(sum|count|count_distinct)$/.test(type) && (figure.adhoc || type !== 'ratio'))
      throw refusal([], 'I can divide totals only.');
    return figure.name ?? figure.adhoc!.name;
  });
  const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
  if (first === second) throw refusal([], 'Both parts of the ratio are the same figure.');
  const [counted, by] = figures.map(({ entity }) => entity);
  // Students per session: nobody says by which of their enrolments.
  // Prices of sales by the area of all houses, sold or not.
  const steps = of.distance(planner, counted!, by!);
  if (request.per?.fn === 'count' ? steps === undefined || (steps === 0 && isNamed(by!)) : steps !== 0)
    throw refusal([], `I cannot divide figures of ${counted!.many} by those of ${by!.many}.`);
  const name = `${last(first!)}_per_${times === 1 ? '' : `${times}_`}${last(second!).replace(/^total_/, '')}`;
  planner.plan.ratios = [{ name, of: first!, per: second!, ...(times !== 1 && { times }) }];
}

/** The dimensions of what the figures are split by, each once. */
function dimensionsOf(planner: of.Planner, groups: readonly Group[], figures: Figures): PlanDimension[] {
  const found = groups.flatMap(({ mention, grain, hint }) =>
    mention ? mentioned(planner, mention) : [ofCalendar(planner, grain!, hint)],
  );
  for (const { dimension } of found) {
    const owner = planner.lexicon.entities.get(of.ownerOf(dimension))!;
    if (figures.some(({ entity }) => of.distance(planner, entity, owner) === undefined) && !isNamed(owner))
      throw refusal([], `I cannot group by each of the ${owner.many}.`);
    for (const figure of figures)
      if (typeOf(planner, figure) === 'sum' && of.distance(planner, figure.entity, owner) === undefined)
        throw refusal([], `A sum over ${figure.entity.many} split by ${owner.many} would count some more than once.`);
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
    const role = of.roleOf(planner, item, mention.text);
    if (role) return namesOf(planner, role);
    const isAdded = item.entity.model.measures.some(({ type, sql }) => type === 'sum' && sql === item.dimension.sql);
    if (isAdded) throw refusal([mention.text], `I cannot group by the ${mention.text} of each row.`);
    return [{ dimension: of.full(item), ...(isTime(item.dimension) && { grain: 'day' as const }) }];
  }
  const entity = of.oneEntity(planner, mention.text, entities);
  of.checkWay(planner, { entity }, mention.text);
  return namesOf(planner, entity);
}

/** The names of rows; what belongs to none is left out, "students per company", but counts for shares. */
function namesOf({ plan, base, request }: of.Planner, entity: EntityEntry): PlanDimension[] {
  const key = keyOfRows(entity);
  if (key && entity !== base && !request.share)
    of.addFilter(plan, { dimension: of.full({ entity, dimension: key }), operator: 'is_not_null' });
  return labelOf(entity).map((dimension) => {
    const isKey = dimension.primary_key === true;
    return { dimension: of.full({ entity, dimension }), ...(key && !isKey && { identity: true }) };
  });
}

/** A part of the calendar, of the date that the question names or that stands for the rows. */
function ofCalendar(planner: of.Planner, grain: NonNullable<PlanDimension['grain']>, hint?: Mention): PlanDimension {
  const [period] = planner.request.periods;
  const said = hint ?? period?.hint;
  const date = said ? hintedDate(planner, said) : dateOf(planner, period ?? { text: '' });
  if (grain !== 'year' && isYear(date.dimension))
    throw refusal([grain], `I can group by ${of.labelOfDimension(date)}, not by a part of the year.`);
  return { dimension: of.full(date), ...(!isYear(date.dimension) && { grain }) };
}

/** "worst" is the lowest revenue, but the highest cost. */
function checkGood({ request, lexicon }: of.Planner, { name = '', adhoc }: PlannedFigure): void {
  const { objective } = lexicon.measures.get(name)?.metric ?? {};
  const isKnown =
    objective === 'maximize' ||
    (!objective && /revenue|sales|rating|score|profit|margin|income/i.test(adhoc?.dimension ?? name));
  if (request.ranking!.of === 'good' && !isKnown)
    throw refusal([], 'Say "highest" or "lowest": I cannot tell which is better.');
}

function rankFigures(planner: of.Planner, figures: Figures, by: Mention | undefined): void {
  const { request, base } = planner;
  const { groups, which, who, ranking } = request;
  const isAsked = request.figures.length > 0;
  // "the highest price" alone is the highest value there is; the highest total has something that it is ranked among.
  if (!by && /^(max|min)$/.test(figures[0]?.adhoc?.type ?? '') && !isAsked && groups.length === 0) {
    if ((ranking?.limit ?? 1) === 1) return;
    throw refusal([], 'Name the rows that have them, such as "the 3 most expensive …".');
  }
  const isOpen = !by && !isAsked && !ranking!.isSorting && ranking!.limit === undefined && !which && !who;
  if (isOpen || (isAsked && !ranking!.key && !ranking!.isSorting))
    throw refusal([], 'I cannot tell what is ranked by what; ask for "top … by …", or "… highest first".');
  const said = isAsked ? rankingFigure(request, true) : undefined;
  const key = said ? figureOf(planner, said, [base]) : figures[0]!;
  addFigure(planner, key);
  checkGood(planner, key);
  rankGroups(planner, key, by ?? groups[0]?.mention);
}
