/** Turns what is said about rows into filters: values, comparisons, what is missing, what is related. */
import type { Condition, Mention } from '../parse/request.ts';
import type { ModelDimension } from '../words/layer.ts';
import { type EntityEntry, isTime, type Meaning, type MeaningOf } from '../words/lexicon.ts';
import { nameWords, stem } from '../words/stem.ts';
import { OPPOSITE } from '../words/vocabulary.ts';
import { periodFilters } from './dates.ts';
import { dimensionIn, figureOf } from './figures.ts';
import { refusal } from './outcome.ts';
import * as of from './planner.ts';
import { amountsOf, isIn, keyOfRows, numbersOf, primaryDates } from './traits.ts';

type Planner = of.Planner;
type Way = MeaningOf<'value'> | MeaningOf<'segment'> | MeaningOf<'dimension'>;

/** Applies the conditions; those joined by "and" or "or" are read together. */
export function applyConditions(planner: Planner, conditions: readonly Condition[]): void {
  for (let at = 0; at < conditions.length; ) {
    let end = at + 1;
    while (conditions[end]?.joined !== undefined) end++;
    const run = conditions.slice(at, end);
    checkJoined(planner, run);
    for (const one of run) APPLY[one.type](planner, one);
    at = end;
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
  const columns = plans.map(({ filters: [filter, more], related, segments, excludedSegments }) => {
    const isValue = !more && related.length + segments.length + excludedSegments.length === 0;
    return isValue && /^(equals|in)$/.test(filter?.operator ?? '') ? filter!.dimension : undefined;
  });
  const isOr = run.some(({ joined }) => joined === 'or');
  const [column] = columns;
  const isList = column !== undefined && columns.every((name) => name === column);
  const isSingle = () => planner.lexicon.graph.distance(planner.base.name, of.ownerOf(column!)) !== undefined;
  // "in Berlin and Austria" is a place, or none; "open and overdue" may be one or the other.
  const keys = plans.map(({ filters, related, segments }) =>
    [...filters.map(({ dimension }) => dimension), ...related.map(({ entity }) => entity), ...segments].join(),
  );
  const isBoth =
    !isOr &&
    new Set(keys).size === run.length &&
    (run.some(({ type }) => type !== 'is') ||
      (run.every(({ isAdjective }) => isAdjective) && !columns.includes(undefined)));
  if (isList ? isOr || isSingle() : isBoth) return;
  const words = run.map(({ mention }) => mention.text);
  throw refusal(words, 'I cannot tell how these conditions go together; ask for one of them at a time.');
}

/** Notes that a row may have several rows of an entity. */
function isSeveral(planner: Planner, entity: EntityEntry): boolean {
  const many = of.distance(planner, planner.base, entity) === undefined;
  if (many) planner.several.add(entity);
  return many;
}

/** None of the related rows is so. */
function none(planner: Planner, entity: EntityEntry, such: Pick<Partial<of.Plan>, 'filters' | 'segments'>): void {
  if (of.distance(planner, entity, planner.base) === undefined)
    throw refusal([], `I cannot exclude ${planner.base.many} by their ${entity.many}.`);
  planner.plan.related.push({ of: planner.base.name, entity: entity.name, operator: 'equals', value: 0, ...such });
}

const labelOfWay = (way: Way): string =>
  way.kind === 'value'
    ? `${of.labelOfDimension(way)} is ${way.value}`
    : `${of.spoken(way.kind === 'segment' ? way.segment.name : way.dimension.name)} ${way.entity.many}`;

/** A value, term, segment or yes/no attribute. */
function applyIs(planner: Planner, { mention, negated: said = false }: Condition): void {
  const { base, plan } = planner;
  const { text, inverted = false } = mention;
  const negated = said !== inverted;
  const isEvent = (one: Meaning): boolean => one.kind === 'dimension' && isTime(one.dimension);
  const ways = mention.meanings.filter(
    (one): one is Way => /^(value|segment|dimension)$/.test(one.kind) && !isEvent(one),
  );
  const term = mention.meanings.find((one) => one.kind === 'term');
  if (term && ways.every(({ rank }) => rank <= term.rank)) {
    applyTerm(planner, term, negated);
    return;
  }
  for (const one of mention.meanings)
    if (one.kind === 'dimension' && isEvent(one) && one.entity === base && !negated)
      planner.events.push({ ...one, isCertain: false });
  const related = ways.filter(({ entity }) => of.isRelated(planner, base, entity));
  const attributes = new Set(related.map((one) => (one.kind === 'segment' ? one.segment.name : one.dimension.name)));
  // Different attributes with the same value are different questions.
  const candidates = attributes.size > 1 ? of.best(related) : of.reachable(planner, related);
  if (candidates.length === 0) throw refusal([text], `I cannot relate "${text}" to ${base.many}.`);
  const way = of.asked<Way>(planner, `value:${text}`, `What do you mean by "${text}"?`, candidates, labelOfWay);
  of.checkWay(planner, way, text);
  const many = isSeveral(planner, way.entity);
  if (way.kind === 'segment') {
    if (many && inverted) throw refusal([text]);
    applySegment(planner, way.entity, `${way.entity.name}.${way.segment.name}`, negated);
    return;
  }
  const dimension = of.full(way);
  // "loans with unpaid fines" have one that is not paid, which is more than none that is.
  if (many && inverted && (way.kind === 'value' || said)) throw refusal([text]);
  const isOwnNo = many && inverted;
  const values = [way.kind === 'value' ? way.value : isOwnNo ? false : many || !negated];
  const operator = negated && way.kind === 'value' ? 'not_equals' : 'equals';
  if (negated && many && !isOwnNo) none(planner, way.entity, { filters: [{ dimension, operator: 'equals', values }] });
  else of.addFilter(plan, { dimension, operator, values });
}

function applySegment(planner: Planner, entity: EntityEntry, name: string, negated: boolean): void {
  if (negated && isSeveral(planner, entity)) none(planner, entity, { segments: [name] });
  else (negated ? planner.plan.excludedSegments : planner.plan.segments).push(name);
}

function applyTerm(planner: Planner, { term }: MeaningOf<'term'>, negated: boolean): void {
  const { base, events } = planner;
  const { role, entity, conditions, name } = planner.readTerm(term, planner.chosen);
  if (role !== 'condition' || !entity || !of.isRelated(planner, base, entity))
    throw refusal([term.term], `I cannot relate "${term.term}" to ${base.many}.`);
  of.checkWay(planner, { entity }, term.term);
  const many = isSeveral(planner, entity);
  if (!conditions) {
    applySegment(planner, entity, name ?? term.term, negated);
    const date = dimensionIn(entity, /^\s*(\{?\w+\}?)\s+is\s+not\s+null\s*$/i.exec(term.sql ?? '')?.[1]);
    if (date && isTime(date) && entity === base && !negated) events.push({ entity, dimension: date, isCertain: true });
    return;
  }
  const turned: readonly (Condition | undefined)[] = negated ? conditions.map(opposite) : conditions;
  const filters = negated ? planOf(planner, base, conditions).filters.map(({ dimension }) => dimension) : [];
  if (negated && (many || turned.includes(undefined) || new Set(filters).size !== 1))
    throw refusal([term.term], `I cannot exclude "${term.term}".`);
  applyConditions(planner, turned as Condition[]);
}

/** The same condition said the other way round. */
function opposite(one: Condition): Condition | undefined {
  if (one.type === 'compare') return { ...one, comparator: OPPOSITE[one.comparator!] };
  return /^(period|related)$/.test(one.type) ? undefined : { ...one, negated: !one.negated };
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
function knownValue(dimension: ModelDimension, value: string): string {
  const key = (text: unknown): string => nameWords(String(text)).map(stem).join('');
  const samples = dimension.sample_values ?? [];
  const found = samples.filter((sample) => key(sample) === key(value));
  if (found.length === 1) return String(found[0]);
  if (dimension.unique_count === undefined || samples.length < dimension.unique_count) return value;
  throw refusal([value], `${of.spoken(dimension.name)} has no value "${value}"; it has ${samples.join(', ')}.`);
}

/** "over 500", "45 minutes": a number of the rows that is not named. */
function unnamedNumber(planner: Planner, { unit, of: noun, mention: { text } }: Condition): of.Owned {
  const { base: entity, request } = planner;
  // "nights by guest over 20" may be said of each guest, "orders of customers over 20" of either.
  const isOther = noun
    ? !of.entitiesOf(noun).includes(entity)
    : request.groups.length > 0 || request.figures.some(({ fn }) => fn !== 'count');
  if (isOther) throw refusal([text], `I cannot tell what "${text}" is said of; put it right behind its noun.`);
  const found = unit === undefined ? amountsOf(entity) : numbersOf(entity).filter((one) => isIn(one, unit));
  const question = `Which number of ${entity.many} is meant with "${text}"?`;
  const dimension = of.asked(planner, `amount:${entity.name}`, question, found, ({ name }) => of.spoken(name));
  return { entity, dimension };
}

function applyCompare(planner: Planner, condition: Condition): void {
  const { mention, fn, unit } = condition;
  const { base, plan } = planner;
  const [operator, value] = [condition.comparator!, condition.value as number];
  const isNamed = mention.meanings.length > 0;
  const numbers = fn === undefined ? numbersIn(planner, mention) : [];
  if (isNamed && numbers.length === 0) {
    // A figure of each group: "categories with revenue over 1000".
    const meanings = mention.meanings.filter(({ kind }) => fn || kind === 'measure' || kind === 'term');
    const isGrouped = plan.dimensions.length > 0 && (plan.measures ?? plan.adhocMeasures) !== undefined;
    const named = { ...(fn && { fn }), mention: { ...mention, meanings } };
    const figure = isGrouped && meanings.length > 0 ? figureOf(planner, named, [base]) : undefined;
    if (!figure || figure.conditions)
      throw refusal([mention.text], `I cannot compare the ${mention.text} of single ${base.many}.`);
    const measure = figure.name ?? figure.adhoc!.name;
    plan.measureFilters = [...(plan.measureFilters ?? []), { measure, operator, value }];
    return;
  }
  const item = isNamed ? of.dimensionOf(planner, { ...mention, meanings: numbers }) : unnamedNumber(planner, condition);
  if (unit !== undefined && !isIn(item.dimension, unit))
    throw refusal([unit], `I do not know whether ${of.labelOfDimension(item)} is in ${unit}s; leave the unit out.`);
  // "accounts with more than 50 seats": of one subscription, or of all together.
  if (isSeveral(planner, item.entity))
    throw refusal(
      [mention.text],
      `One of the ${base.many} may have several ${item.entity.many}; ask about ${item.entity.many} instead.`,
    );
  of.addFilter(plan, { dimension: of.full(item), operator, values: [value] });
}

/** Numbers of each row that the mention names, where it names no figure over several rows of another entity. */
function numbersIn(planner: Planner, mention: Mention): readonly MeaningOf<'dimension'>[] {
  const numbers = mention.meanings
    .filter((one) => one.kind === 'dimension')
    .filter(({ dimension }) => dimension.type === 'number');
  const own = numbers.filter(({ entity }) => of.distance(planner, planner.base, entity) !== undefined);
  return own.length > 0 || mention.meanings.some(({ kind }) => kind === 'measure') ? own : numbers;
}

function applyMissing(planner: Planner, { mention, negated, orZero }: Condition): void {
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
    // "orders placed in Berlin": every row has its own first date.
    if (primary === dimension && !more) return;
    planner.events.push({ ...item, isCertain: true });
  }
  const mayBeZero = orZero && dimension.type === 'number' && !((dimension.null_count ?? 0) > 0);
  const ways = ['missing', '0'];
  const way = mayBeZero
    ? of.asked(planner, `zero:${name}`, `What do you mean by no ${name}?`, ways, (one) => `${name} is ${one}`)
    : '';
  if (way === '0') of.addFilter(plan, { dimension: of.full(item), operator: 'equals', values: [0] });
  else plan.filters.push({ dimension: of.full(item), operator: negated ? 'is_not_null' : 'is_null' });
}

/** "with more than 5 orders", "without orders", "with an open ticket". */
function applyRelated(planner: Planner, { mention, comparator, value, conditions = [] }: Condition): void {
  const { base, plan } = planner;
  const entity = of.oneEntity(planner, mention.text, of.entitiesOf(mention));
  const bound = { operator: comparator!, value: value as number };
  const exists = comparator === 'greater_than' && value === 0;
  const isNone = comparator === 'equals' && value === 0;
  // What is said behind the related rows but is of the rows themselves: "customers without orders in Germany".
  const isOwn = (one: Condition): boolean => {
    const owners = one.mention.meanings.map((meaning) => (meaning.kind === 'term' ? entity : meaning.entity));
    const isNear = (owner: EntityEntry): boolean => of.distance(planner, base, owner) !== undefined;
    return !owners.includes(entity) && owners.some(isNear);
  };
  const inner = conditions.filter((one) => !isOwn(one));
  applyConditions(planner, conditions.filter(isOwn));
  const count = `${entity.name}.count`;
  const isToOne = entity !== base && of.distance(planner, base, entity) !== undefined;
  const key = keyOfRows(entity);
  if (plan.dimensions.length > 0 && plan.measures?.includes(count) && !exists) {
    applyConditions({ ...planner, base: entity }, inner);
    plan.measureFilters = [...(plan.measureFilters ?? []), { measure: count, ...bound }];
  } else if (entity === base && exists) applyConditions(planner, inner);
  else if (entity !== base && of.distance(planner, entity, base) !== undefined) {
    planner.several.add(entity);
    const { filters, segments, excludedSegments, related } = planOf(planner, entity, inner);
    if (related.length > 0) throw refusal(inner.map((one) => one.mention.text));
    plan.related.push({ of: base.name, entity: entity.name, ...bound, filters, segments, excludedSegments });
  } else if (isToOne && key && (exists || (isNone && inner.length === 0))) {
    plan.filters.push({ dimension: `${entity.name}.${key.name}`, operator: isNone ? 'is_null' : 'is_not_null' });
    applyConditions(planner, inner);
  } else throw refusal([mention.text], `I cannot count ${entity.many} for each of the ${base.many}.`);
}

const APPLY: Readonly<Record<Condition['type'], (planner: Planner, condition: Condition) => void>> = {
  is: applyIs,
  equals: applyEquals,
  compare: applyCompare,
  missing: applyMissing,
  related: applyRelated,
  period: (planner, { period }) => planner.plan.filters.push(...periodFilters(planner, period!)),
};
