/** Turns a request into a query plan: every name gets its one meaning, or the reader asks. */
import type { QueryPlan } from '../../semantic-query/index.ts';
import type { Condition, Figure, Group, Mention, Request } from '../parse/request.ts';
import type { PlanDimension } from '../words/layer.ts';
import { type EntityEntry, isTime, isYear } from '../words/lexicon.ts';
import { applyPeriods, dateOf, hintedDate } from './dates.ts';
import { conditionEntities, figureOf, type PlannedFigure, typeOf } from './figures.ts';
import { refusal } from './outcome.ts';
import * as of from './planner.ts';
import { isRowRanking, rankGroups, rankingFigure } from './ranking.ts';
import { planRows, restrict } from './rows.ts';
import { isAmount, isFilled, isPeople, keyOfRows, labelOf } from './traits.ts';

const NOT_CLEAR = 'I could not tell what you want to see.';

/** The plan of a request. Throws how the reading ended otherwise (`outcomeOf`). */
export function planRequest(given: Request, context: of.PlanContext): QueryPlan {
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
  const asked = per
    ? [...shape.figures.map((one) => totalOf(one, context)), { fn: per.fn, mention: per.mention }]
    : shape.figures;
  if (per && (asked.length !== 2 || request.ranking || request.share))
    throw refusal([per.mention.text], 'I can divide one figure by another.');
  const figures = asked.map((figure) => figureOf(context, figure, near, canSplit));
  const base = figures[0]?.entity ?? baseOf(request, context);
  const planner = { ...context, request, base, plan: of.emptyPlan(), events: [], several: new Set<EntityEntry>() };
  if (figures.length > 0) planFigures(planner, figures, shape, groups);
  else planRows(planner);
  const { timeRange, dimensions } = planner.plan;
  const dates = [timeRange, ...dimensions.filter(({ grain }) => grain)].flatMap((one) => one?.dimension ?? []);
  const isCount = figures.every((figure) => typeOf(context, figure) === 'count');
  // "new customers in 2024" are those since then; their orders are something else.
  if (request.new && !(isCount && dates.length > 0 && dates.every((date) => of.ownerOf(date) === base.name)))
    throw refusal(['new'], `I can tell new ${base.many} only where they are counted in a period.`);
  const parts = Object.entries(planner.plan);
  const isSaid = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(parts.filter(([, value]) => isSaid(value))) as QueryPlan;
}

/** What values that are compared are of: "students or seniors" by membership. */
function comparedIn({ conditions }: Request, { subject, figures }: Request): Group[] {
  const [first] = conditions.filter(({ type }, at) => {
    const joined = conditions[at + 1]?.joined;
    return type === 'is' && (joined === 'or' || (joined && (subject ?? figures[0])));
  });
  const values = (first?.mention.meanings ?? []).filter((one) => one.kind === 'value');
  if (!first || values.length === 0) throw refusal([], 'I cannot tell what to compare with what.');
  return [{ mention: { ...first.mention, meanings: values.map((one) => ({ ...one, kind: 'dimension' as const })) } }];
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

const rowsOf = (entity: EntityEntry, plural = true): Mention => {
  const meaning = { kind: 'entity', entity, rank: 3 } as const;
  return { text: entity.many, plural, meanings: [meaning] };
};
const ownersOf = (mention: Mention | undefined): EntityEntry[] =>
  (mention?.meanings ?? []).flatMap((one) => (one.kind === 'term' ? [] : [one.entity]));

/** A condition used as a noun, a date, or "who" stands for the rows it is of. */
function withSubject(request: Request, context: of.PlanContext): Request {
  const { subject, figures, columns, ranking, conditions, groups, periods } = request;
  if (subject && of.entitiesOf(subject).length > 0) return request;
  const ranked = ranking?.key?.mention;
  if (request.who && !subject && columns.length === 0 && ranked) {
    const people = [...context.lexicon.entities.values()].filter(isPeople);
    // "who spent the most": those nearest to the revenue.
    const revenue = (context.lexicon.phrases.get('revenue') ?? []).filter((one) => one.kind === 'measure');
    const owners = ranked.meanings.length > 0 ? ownersOf(ranked) : revenue.map(({ entity }) => entity);
    const steps = (one: EntityEntry) => owners.map((owner) => of.distance(context, owner, one) ?? 99);
    const nearest = Math.min(98, ...people.flatMap(steps));
    const isJoined = (one: EntityEntry): boolean =>
      steps(one).some((count) => (ranked.meanings.length > 0 ? count < 99 : count === nearest));
    return { ...request, subject: rowsOf(of.oneEntity(context, 'who', people.filter(isJoined)), false) };
  }
  const isAmountOnly = figures.every(({ mention }) => mention.meanings.length === 0);
  if (!subject && (!isAmountOnly || columns.length > 0 || ranked)) return request;
  const noun = subject ?? conditions.find(({ type }) => /^(is|equals)$/.test(type))?.mention;
  // "signups per month": rows of what the date is of.
  const hint = [...periods, ...groups].find((one) => one.hint)?.hint;
  const owners = noun ? [...conditionEntities(context, noun)] : [];
  const found = owners.length > 0 ? owners : hint ? ownersOf({ ...hint, meanings: of.best(hint.meanings) }) : [];
  if (found.length === 0) return request;
  return { ...request, subject: rowsOf(of.oneEntity(context, (noun ?? hint)!.text, found), subject?.plural) };
}

/** "open bills with number and due date": columns to show, where every row has the first of them. */
function withShown(request: Request): Request {
  const isNever = ({ mention }: Condition): boolean =>
    of.best(mention.meanings).some((one) => one.kind === 'dimension' && isFilled(one.dimension));
  const given = request.conditions.filter(({ isWith }) => isWith);
  if (request.figures.length > 0 || request.counting || !given.some(isNever)) return request;
  const conditions = request.conditions.filter(({ isWith }) => !isWith);
  return { ...request, conditions, shown: [...given.map(({ mention }) => mention), ...(request.shown ?? [])] };
}

/** What is measured. `by`: the ranked or listed thing, by which it is split too. `taken`: it is of the first column. */
type Shape = { readonly figures: readonly Figure[]; readonly by?: Mention | undefined; readonly taken?: boolean };

function shapeOf(request: Request, context: of.PlanContext): Shape {
  const { figures, subject, columns, ranking, groups, conditions, listing, counting } = request;
  const [entity] = of.entitiesOf(subject);
  const thing = subject ?? columns[0];
  if (figures.length > 0) {
    const counts = figures.every(({ mention }) => mention.meanings.some((one) => subject?.meanings.includes(one)));
    return { figures, by: !counts && (listing || (columns.length > 0 && ranking)) ? thing : undefined };
  }
  if (isRowRanking(context, request)) return { figures: [] };
  if (ranking) {
    const key = rankingFigure(request, thing !== undefined || groups.length > 0);
    if (key) return { figures: [key], by: thing };
    if (thing && /^(count|often)$/.test(ranking.of ?? '')) {
      const [value] = columns;
      if (!value && ranking.of === 'count')
        throw refusal([thing.text], `Name what is common, such as "most common … of ${thing.text}".`);
      if (!value) return { figures: [{ fn: 'count', mention: rowsOf(childOf(context, thing)) }], by: thing };
      const owner = of.oneEntity(context, thing.text, subject ? of.entitiesOf(subject) : ownersOf(value));
      return { figures: [{ fn: 'count', mention: rowsOf(owner) }], by: value, taken: true };
    }
    const named = thing ? ` ${thing.text}` : '';
    if (!thing || !ranking.isSorting)
      throw refusal([], `I cannot tell by what to rank${named}; say it with "by", such as "by number of …".`);
  }
  const count: Figure[] = subject ? [{ fn: 'count', mention: subject }] : [];
  if (request.share || groups.length > 0 || (counting && entity)) {
    // "share of generation" is of what was generated, not of rows.
    if (entity && !counting && !subject!.plural && /(ion|ance|ing|ment)$/i.test(subject!.text))
      throw refusal([subject!.text], `Say whether you mean the number of ${entity.many} or one of their figures.`);
    if (entity) return { figures: count };
    if (!thing?.meanings.some(isAmount)) throw refusal([], NOT_CLEAR);
    // "booking fees by channel": all of them, unless the word may be of one.
    const isSum = thing.plural && /(fee|cost|charge|expense|payment|hour)s$/i.test(thing.text);
    const label = (fn: string): string => `${fn === 'sum' ? 'total' : 'average'} ${thing.text}`;
    const both = ['sum', 'avg'] as const;
    const fn = isSum ? 'sum' : of.asked(context, `fn:${thing.text}`, 'Which figure do you mean?', both, label);
    return { figures: [{ fn, mention: thing }], taken: true };
  }
  // "cities with an average rent over 1200"
  const bounded = conditions.find(({ type }) => type === 'figure')?.figure;
  if (bounded && thing) return { figures: [bounded], by: thing, taken: true };
  // "customers with at least 5 orders" shows how many; rows without any are listed.
  const numeric = conditions.filter(({ type, comparator, value }) => {
    const holdsForNone = comparator?.startsWith('less') || comparator === 'not_equals' || value === 0;
    return type === 'related' && !(value === 0 && comparator === 'greater_than') && (!subject || !holdsForNone);
  });
  if (numeric.length === 1 && thing) return { figures: [{ fn: 'count', mention: numeric[0]!.mention }], by: thing };
  const isBare = entity && !listing && !request.which && !ranking && columns.length === 0;
  return { figures: isBare && countsByDefault(request, entity) ? count : [] };
}

/** What belongs to the rows that are "popular" or "performed most often", where each of it belongs to one of them. */
function childOf(context: of.PlanContext, thing: Mention): EntityEntry {
  const parents = of.entitiesOf(thing);
  const children = [...context.lexicon.entities.values()].filter((one) =>
    parents.some((parent) => of.distance(context, one, parent) === 1),
  );
  const question = `Which ${thing.text} has the most of what?`;
  return of.asked(context, `most:${thing.text}`, question, children, ({ many }) => many);
}

/** A bare "visits last week" asks how many, a bare "customers in Berlin" which. */
function countsByDefault({ conditions, periods }: Request, { model }: EntityEntry): boolean {
  if (conditions.some(({ type }) => type !== 'is')) return false;
  const isDated = periods.some(({ hint }) => hint);
  if (periods.some(({ text }) => /^(upcoming|future)/i.test(text))) return false;
  return model.type === 'fact' || (!isDated && (periods.length > 0 || conditions.length === 0));
}

function baseOf({ subject, columns }: Request, context: of.PlanContext): EntityEntry {
  if (subject) return of.oneEntity(context, subject.text, of.entitiesOf(subject));
  const [column] = columns;
  if (!column) throw refusal([], NOT_CLEAR);
  const found = ownersOf({ ...column, meanings: of.best(column.meanings.filter(({ kind }) => kind === 'dimension')) });
  const shared = of.prefer(found, (entity) =>
    columns.every(({ meanings }) => meanings.some((one) => one.kind === 'dimension' && one.entity === entity)),
  );
  const label = ({ many }: EntityEntry): string => `${column.text} of ${many}`;
  return of.asked(context, `dimension:${column.text}`, `Which "${column.text}" do you mean?`, shared, label);
}

function addFigure({ plan }: of.Planner, { name, adhoc }: PlannedFigure): void {
  if (name !== undefined && !plan.measures?.includes(name)) plan.measures = [...(plan.measures ?? []), name];
  if (adhoc && !plan.adhocMeasures?.some((one) => one.name === adhoc.name))
    plan.adhocMeasures = [...(plan.adhocMeasures ?? []), adhoc];
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
  if (figures.some(({ entity }) => entity !== base) && conditions.length > 0 && !request.per)
    throw refusal([], 'I cannot tell which of the figures the conditions belong to; ask for them one at a time.');
  for (const figure of figures) addFigure(planner, figure);
  const isAverage = figures.some((one) => typeOf(planner, one) === 'avg');
  // "average quantity per order item" over order items is the average itself.
  const split = groups.filter(({ mention, per }) => !(isAverage && per && of.entitiesOf(mention).includes(base)));
  for (const { mention, per } of split) {
    const [entity] = per ? of.entitiesOf(mention) : [];
    // "revenue per order" is of each order or an average: rows without a name cannot be meant one by one.
    const isOne =
      entity &&
      (labelOf(entity).every((one) => one.primary_key) || split.some((one) => !one.grain && one.mention !== mention));
    if (isOne && !isAverage && !share && !ranking)
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
  restrict(share ? { ...planner, plan: portion } : planner);
  const parts = [plan.dimensions, dimensions(true)];
  plan.dimensions = (split[0]?.grain ? parts.reverse() : parts).flat();
  if (!share) ofRowsOnly(planner);
  applyPeriods(planner);
  if (request.per) divide(planner, figures, request.per.times);
  if (ranking) rankFigures(planner, figures, by);
  if (!share) return;
  const { dimensions: _, ...part } = portion;
  const [first, more] = Object.values(part).flat();
  if (more || (first && conditions.some(({ isPlace }) => isPlace && split.length > 0)))
    throw refusal(['share'], 'I cannot tell what the share is of; ask for the share of rows under one condition.');
  if (first) plan.portion = part;
  else if (plan.dimensions.length > 0) plan.share = true;
  else throw refusal(['share'], 'I cannot tell what the share is of; name it with "by".');
}

/** "students per company" leaves out those without one. */
function ofRowsOnly({ plan, base, lexicon }: of.Planner): void {
  for (const { dimension, identity } of plan.dimensions) {
    const owner = lexicon.entities.get(of.ownerOf(dimension))!;
    const key = identity && owner !== base && keyOfRows(owner);
    if (key) of.addFilter(plan, { dimension: of.full({ entity: owner, dimension: key }), operator: 'is_not_null' });
  }
}

/** "cost per kilometre": the total of one by the total of the other. */
function divide(planner: of.Planner, figures: Figures, times = 1): void {
  const [first, second] = figures.map((figure) => {
    const type = typeOf(planner, figure);
    if (!/^(sum|count|count_distinct)$/.test(type) && (figure.adhoc || type !== 'ratio'))
      throw refusal([], 'I can divide totals only.');
    return figure.name ?? figure.adhoc!.name;
  });
  const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
  if (first === second) throw refusal([], 'Both parts of the ratio are the same figure.');
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
    const role = /\b(id|key|code)s?$/i.test(mention.text) ? undefined : joinOf(planner, item);
    if (role) {
      if (planner.plan.joinPath) throw refusal([mention.text], 'I can group by one such role at a time.');
      planner.plan.joinPath = [role.name];
      return namesOf(role.entity);
    }
    return [{ dimension: of.full(item), ...(isTime(item.dimension) && { grain: 'day' as const }) }];
  }
  const entity = of.oneEntity(planner, mention.text, entities);
  of.checkWay(planner, { entity }, mention.text);
  return namesOf(entity);
}

function namesOf(entity: EntityEntry): PlanDimension[] {
  const hasKey = keyOfRows(entity) !== undefined;
  return labelOf(entity).map((dimension) => {
    const isKey = dimension.primary_key === true;
    return { dimension: of.full({ entity, dimension }), ...(hasKey && !isKey && { identity: true }) };
  });
}

/** The join by a column, and what it leads to: "by home station" of `home_station_id`. */
function joinOf({ lexicon }: of.Planner, { entity, dimension }: of.Owned) {
  const found = entity.model.joins.find(
    ({ relationship, on: [pair, more] }) =>
      relationship.endsWith('to_one') && !more && [dimension.name, dimension.sql].includes(pair?.from ?? ''),
  );
  const target = found && lexicon.entities.get(found.target);
  return found && target && { name: `${entity.name}.${found.name}`, entity: target };
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

function rankFigures(planner: of.Planner, figures: Figures, by: Mention | undefined): void {
  const { request, base } = planner;
  const { groups, which, who, ranking } = request;
  const isAsked = request.figures.length > 0;
  // "the highest price" alone is the highest value there is; the highest total has something that it is ranked among.
  if (!by && /^(max|min)$/.test(figures[0]?.adhoc?.type ?? '') && !isAsked && groups.length === 0) return;
  const isOpen = !by && !isAsked && !ranking!.isSorting && ranking!.limit === undefined && !which && !who;
  if (isOpen || (isAsked && !ranking!.key && !ranking!.isSorting))
    throw refusal([], 'I cannot tell what is ranked by what; ask for "top … by …", or "… highest first".');
  const said = isAsked ? rankingFigure(request, true) : undefined;
  const key = said ? figureOf(planner, said, [base]) : figures[0]!;
  addFigure(planner, key);
  rankGroups(planner, key, by ?? groups[0]?.mention);
}
