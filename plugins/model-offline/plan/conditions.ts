/** Turns what is said about rows into filters: values, comparisons, what is missing, what is related. */
import { type Condition, type Mention, unnamed } from '../parse/request.ts';
import type { ModelDimension } from '../words/layer.ts';
import { type EntityEntry, isPeople, isTime, type Meaning, type MeaningOf } from '../words/lexicon.ts';
import { nameWords, stem } from '../words/words.ts';
import { periodFilters } from './dates.ts';
import { figureOf } from './figures.ts';
import { APART, refusal } from './outcome.ts';
import * as of from './planner.ts';
import { readTerm } from './terms.ts';
import { columnsFor, isIn, isOver, isStatus, keyOfRows, labelOf, mayLack, primaryDates, spanOf } from './traits.ts';

type Planner = of.Planner;
type Way = MeaningOf<'value'> | MeaningOf<'segment'> | MeaningOf<'dimension'>;

/** Applies the conditions; those joined by "and" or "or" are read together. */
export function applyConditions(planner: Planner, conditions: readonly Condition[]): void {
  // "hired since 2020 or external", "bookings and cancellations": only conditions go together.
  if (conditions[0]?.joined) throw refusal([conditions[0].mention.text], APART);
  for (const [at, one] of conditions.entries()) {
    const end = conditions.findIndex(({ joined }, i) => i > at && joined === undefined);
    if (one.joined === undefined) checkJoined(planner, conditions.slice(at, end < 0 ? undefined : end));
    APPLY[one.type](planner, one);
  }
}

/** A separate plan for some conditions, over the rows of an entity. */
export function planOf(planner: Planner, base: EntityEntry, conditions: readonly Condition[]): of.Plan {
  const plan = of.emptyPlan();
  const request = { ...planner.request, figures: [], groups: [] };
  applyConditions({ ...planner, request, plan, base, events: [] }, conditions);
  return plan;
}

/** Values of one attribute are alternatives, conditions on different ones hold together; what else is joined is unclear. */
function checkJoined(planner: Planner, run: readonly Condition[]): void {
  if (run.length < 2 || run.every(({ negated }) => negated)) return;
  const plans = run.map(({ joined: _, ...one }) => planOf(planner, planner.base, [one]));
  // What each is about; only values of one attribute can be alternatives.
  const subjects = plans.map(({ filters, related, segments }) =>
    [...filters.map(({ dimension }) => dimension), ...related.map(({ entity }) => entity), ...segments].join(),
  );
  const isValue = plans.map(({ filters: [first, more] }) => !more && /^(equals|in)$/.test(first?.operator ?? ''));
  const isOr = run.some(({ joined }) => joined === 'or');
  const isList = !isValue.includes(false) && new Set(subjects).size === 1;
  const isSingle = () => planner.lexicon.graph.distance(planner.base.name, of.ownerOf(subjects[0]!)) !== undefined;
  // "in Berlin and Austria" is a place, or none; "open and overdue" may be one or the other.
  const isSaid =
    run.some(({ type }) => type !== 'is') || (!isValue.includes(false) && run.every((one) => one.isAdjective));
  // "booked and delivered" is one after the other.
  const isAfter = run.some(({ mention, isAdjective }) =>
    mention.meanings.some((one) => one.kind === 'value' && !isAdjective && isStatus(one.dimension)),
  );
  if (isList ? isOr || (isSingle() && !isAfter) : !isOr && isSaid && new Set(subjects).size === run.length) return;
  const words = run.map(({ mention }) => mention.text);
  throw refusal(words, APART);
}

function isSeveral(planner: Planner, entity: EntityEntry): boolean {
  const many = of.distance(planner, planner.base, entity) === undefined;
  if (many) planner.several.add(entity);
  return many;
}

function none(planner: Planner, entity: EntityEntry, such: Pick<Partial<of.Plan>, 'filters' | 'segments'>): void {
  if (of.distance(planner, entity, planner.base) === undefined)
    throw refusal([], `I cannot exclude ${planner.base.many} by their ${entity.many}.`);
  planner.plan.related.push({ of: planner.base.name, entity: entity.name, operator: 'equals', value: 0, ...such });
}

/** Whether the segment has just this value. */
const isSameAs = (value: Way, way: Way): boolean =>
  way.kind === 'segment' &&
  value.kind === 'value' &&
  way.entity === value.entity &&
  way.segment.sql.replace(/\s*=\s*/, '=') === `${value.dimension.sql}='${value.value}'`;

/** What columns of other rows tell of their state, which is none of these. */
const isStateColumn = (dimension: ModelDimension): boolean =>
  isStatus(dimension) || /(shift|level|grade|skill|priority|prio|severity|stage|phase)$/i.test(dimension.name);

const labelOfWay = (way: Way): string =>
  way.kind === 'value'
    ? `${of.labelOfDimension(way)} is ${way.value}`
    : `${of.spoken(way.kind === 'segment' ? way.segment.name : way.dimension.name)} ${way.entity.many}`;

const FINISHED = /^(complet|clos|resolv|solv|finish|end|deliver|return|expir|terminat)(e|ed|es|s|ing)?$/i;
/** What may have come about some time after rows began. */
const ENDED = /^((cancell?|laps|reject|withdraw|churn)(e|ed|es|s|n|ing)?|lost|left)(?= |$)/i;

/** A value, term, segment or yes/no attribute. */
function applyIs(
  planner: Planner,
  { mention, negated = false, isPrefix, isPlace, isNext, isAdjective, isOfFigure, isSaid }: Condition,
): void {
  const { base, plan } = planner;
  const { text, meanings } = mention;
  const isEvent = (one: Meaning): one is MeaningOf<'dimension'> => one.kind === 'dimension' && isTime(one.dimension);
  const all = meanings.filter((one): one is Way => /^(value|segment|dimension)$/.test(one.kind) && !isEvent(one));
  const term = meanings.find((one) => one.kind === 'term');
  // "completed in May" may be begun then, or ended.
  const isDated = negated || meanings.some((one) => isEvent(one) && one.entity === base);
  const { until } = isDated ? {} : spanOf(base);
  if (until && (FINISHED.test(text) || (ENDED.test(text) && isOver(until))))
    planner.events.push({ entity: base, dimension: until, isCertain: false });
  if (term && all.every(({ rank }) => rank <= term.rank)) {
    applyTerm(planner, term, negated);
    return;
  }
  const events = negated ? [] : meanings.filter(isEvent).filter(({ entity }) => entity === base);
  planner.events.push(...events.map((one) => ({ ...one, isCertain: false })));
  const related = all.filter(({ entity }) => of.isRelated(planner, base, entity));
  const attributes = new Set(related.map((one) => (one.kind === 'segment' ? one.segment.name : one.dimension.name)));
  // What the rows have themselves is meant, unless something named beside them has it too; else different attributes
  // with the same value are different questions.
  const named = namedRows(planner);
  const near = related.filter(({ entity, rank }) => rank >= 2 && (entity === base || named.includes(entity)));
  const isOwn = new Set(near.map(({ entity }) => entity)).size === 1;
  const candidates = isOwn || attributes.size > 1 ? of.best(isOwn ? near : related) : of.reachable(planner, related);
  if (candidates.length === 0) throw refusal([text], `I cannot relate "${text}" to ${base.many}.`);
  // A segment that says no more than the value is no second meaning.
  const ways = candidates.filter((one) => !candidates.some((other) => isSameAs(other, one)));
  const way = of.asked<Way>(planner, `value:${text}`, `What do you mean by "${text}"?`, ways, labelOfWay);
  of.checkWay(planner, way, text);
  checkOwner(planner, way, text);
  const many = isSeveral(planner, way.entity);
  // "owners in York" are not those who have been to a clinic there, "paperless billing" not those with such complaints,
  // "spa revenue" not that of all bookings with one.
  const isFlag = isAdjective && way.kind !== 'value' && way.entity !== base;
  // "late orders" are not those of the late shift.
  const isOfOthers =
    way.entity !== base && 'dimension' in way && isStateColumn(way.dimension) && (isAdjective || isSaid);
  if (((many && (isPlace || isNext || isOfFigure)) || isFlag || isOfOthers) && !named.includes(way.entity))
    throw refusal([text], `I know "${text}" as ${way.entity.many}, not of ${base.many}.`);
  if (way.kind === 'segment') {
    applySegment(planner, way.entity, `${way.entity.name}.${way.segment.name}`, negated);
    return;
  }
  const dimension = of.full(way);
  const isNone = negated && many && !isPrefix;
  // "never ordered" where that is one of the states of an order
  if (isNone && way.kind === 'value' && isStatus(way.dimension))
    throw refusal([text], `Say whether the ${base.many} have no ${way.entity.many}, or none that is ${way.value}.`);
  const values = [way.kind === 'value' ? way.value : isNone || !negated];
  const operator = negated && way.kind === 'value' ? 'not_equals' : 'equals';
  if (isNone) none(planner, way.entity, { filters: [{ dimension, operator: 'equals', values }] });
  else of.addFilter(plan, { dimension, operator, values });
}

const namedRows = ({ request }: Planner): EntityEntry[] => [request.subject, ...request.beside].flatMap(of.entitiesOf);

/** Refuses a value known of another entity only than the one named with it, which may have it too: "clinics in London". */
function checkOwner(planner: Planner, way: Way, text: string): void {
  const { base } = planner;
  const named = namedRows(planner);
  if (way.kind !== 'value' || way.entity === base || named.includes(way.entity)) return;
  const { name } = way.dimension;
  // "shipments from Hamburg" of customers there, where the cities of depots are not all known
  const isOpen = ({ sample_values: samples = [], unique_count: count = 0 }: ModelDimension): boolean =>
    samples.length === 0 || samples.length < count;
  const isNear = (one: EntityEntry, own: ModelDimension): boolean =>
    named.includes(one) ? one !== base : isOpen(own) && of.distance(planner, base, one) !== undefined;
  const mayHave = (one: EntityEntry): boolean =>
    one !== way.entity &&
    one.dimensions.some((own) => own.name === name && isNear(one, own) && !labelOf(one).includes(own));
  const other = [...planner.lexicon.entities.values()].find(mayHave);
  if (other) throw refusal([text], `I know "${text}" as ${of.labelOfDimension(way)}, not of ${other.many}.`);
}

function applySegment(planner: Planner, entity: EntityEntry, name: string, negated: boolean): void {
  if (negated && isSeveral(planner, entity)) none(planner, entity, { segments: [name] });
  else (negated ? planner.plan.excludedSegments : planner.plan.segments).push(name);
}

function applyTerm(planner: Planner, { term }: MeaningOf<'term'>, negated: boolean): void {
  const { base, events } = planner;
  const { role, entity, name, conditions } = readTerm(planner, term);
  if (role !== 'condition' || !entity || !of.isRelated(planner, base, entity))
    throw refusal([term.term], `I cannot relate "${term.term}" to ${base.many}.`);
  of.checkWay(planner, { entity }, term.term);
  isSeveral(planner, entity);
  if (conditions) {
    if (negated || entity !== base)
      throw refusal([term.term], `I cannot apply "${term.term}" (${term.definition}) to ${base.many}.`);
    applyConditions({ ...planner, define: undefined, events: [] }, conditions);
    return;
  }
  applySegment(planner, entity, name ?? term.term, negated);
  const column = /^\s*\{?(\w+)\}?\s+is\s+not\s+null\s*$/i.exec(term.sql ?? '')?.[1];
  const date = entity.dimensions.find((one) => isTime(one) && [one.sql, one.name].includes(column ?? ''));
  if (date && entity === base && !negated) events.push({ entity, dimension: date, isCertain: true });
}

function applyEquals(planner: Planner, { mention, value: said = '', negated }: Condition): void {
  const isEntity = !mention.meanings.some(({ kind }) => kind === 'dimension');
  const entity = isEntity ? of.oneEntity(planner, mention.text, of.entitiesOf(mention)) : undefined;
  const key = entity && typeof said === 'number' ? keyOfRows(entity) : undefined;
  if (isEntity && !key) throw refusal([String(said)], `I cannot tell which of the ${mention.text} "${said}" is.`);
  const item = key ? { entity: entity!, dimension: key } : of.dimensionOf(planner, mention);
  const { dimension } = item;
  const isNumber = dimension.type === 'number';
  if (isTime(dimension) || dimension.type === 'boolean' || (isNumber && Number.isNaN(Number(said))))
    throw refusal([String(said)], `"${said}" is no value of ${of.labelOfDimension(item)}.`);
  isSeveral(planner, item.entity);
  const values = [isNumber ? Number(said) : knownValue(dimension, String(said))];
  of.addFilter(planner.plan, { dimension: of.full(item), operator: negated ? 'not_equals' : 'equals', values });
}

/** The value as the layer writes it; refuses one that the layer knows not to be there. */
function knownValue({ name, sample_values: samples = [], unique_count: count }: ModelDimension, value: string): string {
  const key = (text: unknown): string => nameWords(String(text)).map(stem).join('');
  const found = samples.find((sample) => key(sample) === key(value));
  if (found !== undefined || count === undefined || samples.length < count) return String(found ?? value);
  throw refusal([value], `${of.spoken(name)} has no value "${value}"; it has ${samples.join(', ')}.`);
}

/** The numbers of a row that "orders over 500" or "films longer than 90 minutes" may compare. */
function bareNumber(planner: Planner, { mention, unit, of: by, value }: Condition): Mention {
  const entity = of.oneEntity(planner, mention.text, of.entitiesOf(mention));
  // "customers over 100": of what is anyone's guess.
  const isOpen = !by && !unit && (entity.model.type === 'dimension' || isPeople(entity));
  const columns = !isOpen ? columnsFor(entity, by) : isPeople(entity) ? [] : columnsFor(entity, 'money');
  const fitting = columns.filter((one) => !unit || isIn(one, unit));
  const text = `${value}${unit ? ` ${unit}s` : ''}`;
  if (fitting.length === 0) throw refusal([text], `I cannot tell which number of ${entity.many} that is.`);
  return { ...unnamed(text), meanings: fitting.map((one) => ({ kind: 'dimension', entity, dimension: one, rank: 3 })) };
}

function applyCompare(planner: Planner, condition: Condition): void {
  const { base, plan } = planner;
  const { comparator: operator, value, unit } = condition;
  const isBare = condition.mention.meanings.every(({ kind }) => kind === 'entity');
  const isTimed = isBare && of.entitiesOf(condition.mention)[0] === base && /^(minute|hour|day)$/.test(unit ?? '');
  const { since, until } = isTimed ? spanOf(base) : {};
  // "took more than 4 days", where no column is called so.
  if (since && until && !columnsFor(base, 'length').some((one) => isIn(one, unit!))) {
    const [dimension, start] = [until, since].map((one) => of.full({ entity: base, dimension: one }));
    const compared = { operator: operator!, values: [value!], unit: `${unit as 'day'}s` as const };
    plan.filters.push({ dimension: dimension!, since: start!, ...compared });
    return;
  }
  const mention = isBare ? bareNumber(planner, condition) : condition.mention;
  // Numbers of each row, where the name is none of a figure over several rows of another entity.
  const isNumber = ({ dimension }: of.Owned): boolean => dimension.type === 'number';
  const numbers = mention.meanings.filter((one) => one.kind === 'dimension').filter(isNumber);
  const own = numbers.filter(({ entity }) => of.distance(planner, base, entity) !== undefined);
  const meanings = own.length > 0 || mention.meanings.some(({ kind }) => kind === 'measure') ? own : numbers;
  if (meanings.length === 0)
    throw refusal([mention.text], `I cannot compare the ${mention.text} of single ${base.many}.`);
  const item = of.dimensionOf(planner, { ...mention, meanings });
  const { many } = item.entity;
  if (unit && !isIn(item.dimension, unit))
    throw refusal([unit], `I do not know whether ${of.labelOfDimension(item)} is in ${unit}s; leave the unit out.`);
  // "accounts with more than 50 seats": of one subscription, or of all together.
  if (isSeveral(planner, item.entity))
    throw refusal([mention.text], `One of the ${base.many} may have several ${many}; ask about ${many} instead.`);
  of.addFilter(plan, { dimension: of.full(item), operator: operator!, values: [value!] });
}

/** Dates that may lie ahead. */
const PLANNED = /(^|_)(expir\w*|due|valid|ends?|until|deadline|planned|scheduled|promised|expected|target|next)(_|$)/;

function applyMissing(planner: Planner, { mention, negated, orZero, isWith }: Condition): void {
  const { base, plan, request } = planner;
  const item = of.dimensionOf(planner, mention);
  const { dimension } = item;
  const name = of.spoken(dimension.name);
  const [values] = request.subject || request.figures.length > 0 ? [] : request.columns;
  if (values && !negated)
    throw refusal([mention.text], `I can look for rows without ${name}, not for each ${values.text}.`);
  if (isSeveral(planner, item.entity) && !negated) {
    none(planner, item.entity, { filters: [{ dimension: of.full(item), operator: 'is_not_null' }] });
    return;
  }
  if (isTime(dimension) && negated && item.entity === base) {
    const [primary, more] = primaryDates(base);
    // "orders placed in Berlin": every row has its own first date, unless some are known not to, "pets that died".
    if (primary === dimension && !more && !mayLack(dimension)) return;
    planner.events.push({ ...item, isCertain: true });
    // "expired" is more than to have a date for that.
    if (!isWith && PLANNED.test(dimension.name)) throw refusal([mention.text], `I do not know when ${name} is past.`);
  }
  const isKey = item.entity.joinColumns.has(dimension.name.toLowerCase());
  if (orZero && dimension.type === 'number' && !isKey && !mayLack(dimension))
    throw refusal([mention.text], `No ${name} may be a missing one or 0; ask for "${name} 0" where you mean that.`);
  const isNumber = isWith && dimension.type === 'number' && !isKey;
  if (isNumber && mayLack(dimension) === undefined)
    throw refusal([mention.text], `Say above which number the ${name} must be.`);
  if (isNumber && !mayLack(dimension))
    plan.filters.push({ dimension: of.full(item), operator: 'greater_than', values: [0] });
  else plan.filters.push({ dimension: of.full(item), operator: negated ? 'is_not_null' : 'is_null' });
}

/** The one column by which rows belong to one of another entity: "requests without a technician". */
function parentKey({ base }: Planner, { model }: EntityEntry): ModelDimension | undefined {
  const [join, more] = base.model.joins.filter(
    ({ target, relationship, on }) => target === model.name && relationship.endsWith('to_one') && on.length === 1,
  );
  const from = more ? undefined : join?.on[0]?.from;
  return base.dimensions.find(({ name, sql }) => from !== undefined && [name, sql.replaceAll('"', '')].includes(from));
}

/** "with more than 5 orders", "without orders", "with an open ticket". */
function applyRelated(planner: Planner, { mention, comparator, value, conditions = [] }: Condition): void {
  const { base, plan } = planner;
  const entity = of.oneEntity(planner, mention.text, of.entitiesOf(mention));
  const bound = { operator: comparator!, value: value as number };
  const exists = comparator === 'greater_than' && value === 0;
  // What is said behind the related rows but is of the rows themselves: "customers without orders in Germany".
  const isOwn = (one: Condition): boolean => {
    const owners = one.mention.meanings.map((meaning) => (meaning.kind === 'term' ? entity : meaning.entity));
    const isOther = !one.isAdjective && !owners.includes(entity);
    return isOther && owners.some((owner) => of.distance(planner, base, owner) !== undefined);
  };
  const inner = conditions.filter((one) => !isOwn(one));
  applyConditions(planner, conditions.filter(isOwn));
  const count = `${entity.name}.count`;
  if (plan.dimensions.length > 0 && plan.measures?.includes(count) && !exists) {
    applyConditions({ ...planner, base: entity }, inner);
    plan.measureFilters = [...(plan.measureFilters ?? []), { measure: count, ...bound }];
  } else if (entity === base && exists) applyConditions(planner, inner);
  else if (value === 0 && comparator === 'equals' && inner.length === 0 && parentKey(planner, entity))
    plan.filters.push({ dimension: `${base.name}.${parentKey(planner, entity)!.name}`, operator: 'is_null' });
  else if (entity !== base && of.distance(planner, entity, base) !== undefined) {
    planner.several.add(entity);
    const { filters, segments, excludedSegments, related } = planOf(
      { ...planner, request: { ...planner.request, subject: mention, beside: [] } },
      entity,
      inner,
    );
    if (related.length > 0) throw refusal(inner.map((one) => one.mention.text));
    plan.related.push({ of: base.name, entity: entity.name, ...bound, filters, segments, excludedSegments });
  } else throw refusal([mention.text], `I cannot count ${entity.many} for each of the ${base.many}.`);
}

/** A figure over the related rows of each row, or of each group: "customers with revenue above 1000". */
function applyFigure(planner: Planner, { mention, figure, comparator, value, conditions = [] }: Condition): void {
  const { base, plan } = planner;
  const isOf = (entity: EntityEntry): boolean => of.distance(planner, entity, base) !== undefined;
  const found = figureOf(planner, figure!, [base], isOf);
  const bound = { operator: comparator!, value: value as number };
  const made = plan.adhocMeasures?.some(({ name }) => name === found.adhoc?.name) ? found.adhoc?.name : undefined;
  const grouped = plan.measures?.find((name) => name === found.name) ?? made;
  const counted = of.entitiesOf(planner.request.subject ?? planner.request.figures[0]?.mention);
  // A figure over no rows is no figure, but would be less than any.
  const isEach = isOf(found.entity) && found.entity !== base && counted.includes(base);
  const isGroup = grouped !== undefined && plan.dimensions.length > 0;
  if (!isGroup && (!found.name || !isEach || comparator!.startsWith('less')))
    throw refusal([mention.text], `I cannot compare the ${mention.text} of single ${base.many}.`);
  if (isGroup) {
    applyConditions(planner, conditions);
    plan.measureFilters = [...(plan.measureFilters ?? []), { measure: grouped, ...bound }];
    return;
  }
  const { filters } = planOf(planner, found.entity, conditions);
  plan.related.push({ of: base.name, entity: found.entity.name, measure: found.name!, ...bound, filters });
}

/** Two numbers or two dates of a row. */
function applyThan(planner: Planner, { mention, than, comparator: operator }: Condition): void {
  const first = of.dimensionOf(planner, mention);
  const isLike = (one: of.Owned): boolean =>
    one.entity === first.entity && isTime(one.dimension) === isTime(first.dimension);
  const second = of.dimensionOf(planner, than!, isLike);
  if (isSeveral(planner, first.entity) || second.dimension === first.dimension) throw refusal([than!.text]);
  planner.plan.filters.push({ dimension: of.full(first), operator: operator!, than: of.full(second) });
}

const APPLY: Readonly<Record<Condition['type'], (planner: Planner, condition: Condition) => void>> = {
  is: applyIs,
  equals: applyEquals,
  compare: applyCompare,
  figure: applyFigure,
  than: applyThan,
  missing: applyMissing,
  related: applyRelated,
  period: (planner, { period }) => planner.plan.filters.push(...periodFilters(planner, period!)),
};
