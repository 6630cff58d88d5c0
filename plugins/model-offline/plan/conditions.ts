/** Turns what is said about rows into filters: values, comparisons, what is missing, what is related. */
import type { Condition, Mention } from '../parse/request.ts';
import type { ModelDimension } from '../words/layer.ts';
import { type EntityEntry, isTime, type Meaning, type MeaningOf } from '../words/lexicon.ts';
import { nameWords, stem } from '../words/stem.ts';
import { OPPOSITE } from '../words/vocabulary.ts';
import { periodFilters } from './dates.ts';
import { amountsOf, isIn, keyOfRows, numbersOf } from './entity-traits.ts';
import { dimensionIn, figureOf } from './figures.ts';
import { refusal } from './outcome.ts';
import * as names from './planner.ts';
import { primaryDates } from './time-dimension.ts';

const { asked, distance, full, spoken } = names;
type Planner = names.Planner;
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
export function planOf(planner: Planner, base: EntityEntry, conditions: readonly Condition[]): names.Plan {
  const plan = names.emptyPlan();
  applyConditions(
    { ...planner, request: { ...planner.request, figures: [], groups: [] }, plan, base, events: [] },
    conditions,
  );
  return plan;
}

const withoutJoint = ({ joined: _, ...one }: Condition): Condition => one;

/** Values of one attribute are alternatives, conditions on different ones hold together; what else is joined is unclear. */
function checkJoined(planner: Planner, run: readonly Condition[]): void {
  if (run.length < 2 || run.every(({ negated }) => negated)) return;
  const plans = run.map((one) => planOf(planner, planner.base, [withoutJoint(one)]));
  const columns = plans.map(({ filters, related, segments, excludedSegments }) => {
    const isValue = filters.length > 0 && related.length + segments.length + excludedSegments.length === 0;
    return isValue &&
      filters.every(({ operator, dimension }) => /^(equals|in)$/.test(operator) && dimension === filters[0]!.dimension)
      ? filters[0]!.dimension
      : undefined;
  });
  const isList = columns.every((name) => name !== undefined && name === columns[0]);
  const isSingle =
    isList && planner.lexicon.graph.distance(planner.base.name, names.ownerOf(columns[0]!)) !== undefined;
  const isOr = run.some(({ joined }) => joined === 'or');
  // "open and high or urgent": clear where each alternative is of one attribute.
  const isClear = run.every(
    ({ joined }, i) => i === 0 || (joined === 'or') === (columns[i] !== undefined && columns[i] === columns[i - 1]),
  );
  // "in Berlin and Austria" is a place, or none; "open and overdue" may be one or the other.
  const isSaid = run.every(({ type, isAdjective }) => type !== 'is' || isAdjective);
  const keys = plans.map(({ filters, related, segments }) =>
    [...filters.map(({ dimension }) => dimension), ...related.map(({ entity }) => entity), ...segments].join(),
  );
  const isBoth =
    !isOr &&
    new Set(keys).size === run.length &&
    (run.some(({ type }) => type !== 'is') || (isSaid && !columns.includes(undefined)));
  if (!(isList ? isSingle || isOr : isBoth || (isOr && isClear && run.some(({ joined }) => joined === 'and'))))
    throw refusal(
      run.map(({ mention }) => mention.text),
      'I cannot tell how these conditions go together; ask for one of them at a time.',
    );
}

/** Notes that a row may have several rows of an entity. */
function isSeveral(planner: Planner, entity: EntityEntry): boolean {
  const many = distance(planner, planner.base, entity) === undefined;
  if (many) planner.several.add(entity);
  return many;
}

/** None of the related rows is so. */
function none(planner: Planner, entity: EntityEntry, such: Pick<Partial<names.Plan>, 'filters' | 'segments'>): void {
  if (distance(planner, entity, planner.base) === undefined)
    throw refusal([], `I cannot exclude ${planner.base.many} by their ${entity.many}.`);
  planner.plan.related.push({ of: planner.base.name, entity: entity.name, operator: 'equals', value: 0, ...such });
}

function labelOfWay(way: Way): string {
  if (way.kind === 'value') return `${names.labelOfDimension(way)} is ${way.value}`;
  return `${spoken(way.kind === 'segment' ? way.segment.name : way.dimension.name)} ${way.entity.many}`;
}

/** A value, term, segment or yes/no attribute. */
function applyIs(planner: Planner, { mention, negated: said = false }: Condition): void {
  const { base, plan } = planner;
  const negated = said !== (mention.inverted === true);
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
  const related = ways.filter(({ entity }) => names.isRelated(planner, base, entity));
  const attributes = new Set(related.map((one) => (one.kind === 'segment' ? one.segment.name : one.dimension.name)));
  // Different attributes with the same value are different questions.
  const candidates = attributes.size > 1 ? names.best(related) : names.reachable(planner, related);
  if (candidates.length === 0) throw refusal([mention.text], `I cannot relate "${mention.text}" to ${base.many}.`);
  const labelled = candidates.map((value) => ({ value, label: labelOfWay(value) }));
  const way = asked(planner, `value:${mention.text}`, `What do you mean by "${mention.text}"?`, labelled);
  names.checkWay(planner, way, mention.text);
  const many = isSeveral(planner, way.entity);
  // "loans with unpaid fines" have one that is not paid, which is more than none that is.
  if (many && mention.inverted && (way.kind !== 'dimension' || said)) throw refusal([mention.text]);
  if (many && mention.inverted && way.kind === 'dimension') {
    names.addFilter(plan, { dimension: full(way), operator: 'equals', values: [false] });
    return;
  }
  if (way.kind === 'segment') {
    applySegment(planner, way.entity, `${way.entity.name}.${way.segment.name}`, negated);
    return;
  }
  const dimension = full(way);
  const values = [way.kind === 'value' ? way.value : many || !negated];
  if (negated && many) none(planner, way.entity, { filters: [{ dimension, operator: 'equals', values }] });
  else
    names.addFilter(plan, { dimension, operator: negated && way.kind === 'value' ? 'not_equals' : 'equals', values });
}

function applySegment(planner: Planner, entity: EntityEntry, name: string, negated: boolean): void {
  if (negated && isSeveral(planner, entity)) none(planner, entity, { segments: [name] });
  else (negated ? planner.plan.excludedSegments : planner.plan.segments).push(name);
}

function applyTerm(planner: Planner, { term }: MeaningOf<'term'>, negated: boolean): void {
  const { base, events } = planner;
  const { role, entity, conditions, name } = planner.readTerm(term, planner.chosen);
  if (role !== 'condition' || !entity || !names.isRelated(planner, base, entity))
    throw refusal([term.term], `I cannot relate "${term.term}" to ${base.many}.`);
  names.checkWay(planner, { entity }, term.term);
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
  const entity = isEntity ? names.entityOf(planner, mention) : undefined;
  const key = entity && typeof said === 'number' ? keyOfRows(entity) : undefined;
  if (isEntity && !key) throw refusal([String(said)], `I cannot tell which of the ${mention.text} "${said}" is.`);
  const item = key ? { entity: entity!, dimension: key } : names.dimensionOf(planner, mention);
  const { dimension } = item;
  const isOther =
    isTime(dimension) || dimension.type === 'boolean' || (dimension.type === 'number' && Number.isNaN(Number(said)));
  if (isOther) throw refusal([String(said)], `"${said}" is no value of ${names.labelOfDimension(item)}.`);
  isSeveral(planner, item.entity);
  const value = dimension.type === 'number' ? Number(said) : knownValue(dimension, String(said));
  names.addFilter(planner.plan, {
    dimension: full(item),
    operator: negated ? 'not_equals' : 'equals',
    values: [value],
  });
}

/** The value as the layer writes it; refuses one that the layer knows not to be there. */
function knownValue(dimension: ModelDimension, value: string): string {
  const key = (text: unknown): string => nameWords(String(text)).map(stem).join('');
  const samples = dimension.sample_values ?? [];
  const found = samples.filter((sample) => key(sample) === key(value));
  if (found.length === 1) return String(found[0]);
  if (dimension.unique_count === undefined || samples.length < dimension.unique_count) return value;
  throw refusal([value], `${spoken(dimension.name)} has no value "${value}"; it has ${samples.join(', ')}.`);
}

/** "over 500", "45 minutes": a number of the rows that is not named. */
function unnamedNumber(planner: Planner, { unit, of, mention: { text } }: Condition): names.Owned {
  const { base, request } = planner;
  // "nights by guest over 20" may be said of each guest, "orders of customers over 20" of either.
  const isOther = of
    ? !names.entitiesOf(of).includes(base)
    : request.groups.length > 0 || request.figures.some(({ fn }) => fn !== 'count');
  if (isOther) throw refusal([text], `I cannot tell what "${text}" is said of; put it right behind its noun.`);
  const found = unit === undefined ? amountsOf(base) : numbersOf(base).filter((one) => isIn(one, unit));
  if (found.length === 0) throw refusal([text], `I cannot tell which number of ${base.many} is meant with "${text}".`);
  const candidates = found.map((one) => ({ value: one, label: spoken(one.name) }));
  return {
    entity: base,
    dimension: asked(
      planner,
      `amount:${base.name}`,
      `Which number of ${base.many} is meant with "${text}"?`,
      candidates,
    ),
  };
}

function applyCompare(planner: Planner, condition: Condition): void {
  const { mention, fn, unit } = condition;
  const { base, plan } = planner;
  const [operator, value] = [condition.comparator!, condition.value as number];
  const isNamed = mention.meanings.length > 0;
  const numbers = fn === undefined ? numbersIn(planner, mention) : [];
  if (isNamed && numbers.length === 0) {
    // A figure of each group: "categories with revenue over 1000".
    const meanings = fn
      ? mention.meanings
      : mention.meanings.filter(({ kind }) => kind === 'measure' || kind === 'term');
    const isGrouped = plan.dimensions.length > 0 && (plan.measures ?? plan.adhocMeasures) !== undefined;
    const figure =
      isGrouped && meanings.length > 0
        ? figureOf(planner, { ...(fn && { fn }), mention: { ...mention, meanings } }, [base])
        : undefined;
    if (!figure || figure.conditions)
      throw refusal([mention.text], `I cannot compare the ${mention.text} of single ${base.many}.`);
    plan.measureFilters = [
      ...(plan.measureFilters ?? []),
      { measure: figure.name ?? figure.adhoc!.name, operator, value },
    ];
    return;
  }
  const item = isNamed
    ? names.dimensionOf(planner, { ...mention, meanings: numbers })
    : unnamedNumber(planner, condition);
  if (unit !== undefined && !isIn(item.dimension, unit))
    throw refusal([unit], `I do not know whether ${names.labelOfDimension(item)} is in ${unit}s; leave the unit out.`);
  // "accounts with more than 50 seats": of one subscription, or of all together.
  if (isSeveral(planner, item.entity))
    throw refusal(
      [mention.text],
      `One of the ${base.many} may have several ${item.entity.many}; ask about ${item.entity.many} instead.`,
    );
  names.addFilter(plan, { dimension: full(item), operator, values: [value] });
}

/** Numbers of each row that the mention names, where it names no figure over several rows of another entity. */
function numbersIn(planner: Planner, mention: Mention): MeaningOf<'dimension'>[] {
  const numbers = mention.meanings
    .filter((one) => one.kind === 'dimension')
    .filter(({ dimension }) => dimension.type === 'number');
  const own = numbers.filter(({ entity }) => distance(planner, planner.base, entity) !== undefined);
  return own.length > 0 || mention.meanings.some(({ kind }) => kind === 'measure') ? own : numbers;
}

function applyMissing(planner: Planner, { mention, negated, orZero }: Condition): void {
  const { base, plan } = planner;
  const item = names.dimensionOf(planner, mention);
  const { dimension } = item;
  const name = spoken(dimension.name);
  const [values] = planner.request.subject || planner.request.figures.length > 0 ? [] : planner.request.columns;
  if (values && !negated)
    throw refusal([mention.text], `I can look for rows without ${name}, not for each ${values.text}.`);
  if (isSeveral(planner, item.entity) && !negated) {
    none(planner, item.entity, { filters: [{ dimension: full(item), operator: 'is_not_null' }] });
    return;
  }
  const mayBeZero = orZero && dimension.type === 'number' && !((dimension.null_count ?? 0) > 0);
  const ways = [
    { value: false, label: `${name} is missing` },
    { value: true, label: `${name} is 0` },
  ];
  const isZero = mayBeZero && asked(planner, `zero:${full(item)}`, `What do you mean by no ${name}?`, ways);
  if (isTime(dimension) && negated && item.entity === base) {
    const [primary, more] = primaryDates(base);
    // "orders placed in Berlin": every row has its own first date.
    if (primary === dimension && !more) return;
    planner.events.push({ ...item, isCertain: true });
  }
  if (isZero) names.addFilter(plan, { dimension: full(item), operator: 'equals', values: [0] });
  else plan.filters.push({ dimension: full(item), operator: negated ? 'is_not_null' : 'is_null' });
}

/** "with more than 5 orders", "without orders", "with an open ticket". */
function applyRelated(planner: Planner, { mention, comparator, value, conditions = [] }: Condition): void {
  const { base, plan } = planner;
  const entity = names.entityOf(planner, mention);
  const bound = { operator: comparator!, value: value as number };
  const exists = comparator === 'greater_than' && value === 0;
  const isNone = comparator === 'equals' && value === 0;
  // What is said behind the related rows but is of the rows themselves: "customers without orders in Germany".
  const isOwn = (one: Condition): boolean => {
    const owners = one.mention.meanings.map((meaning) => (meaning.kind === 'term' ? undefined : meaning.entity));
    return (
      owners.length > 0 &&
      !owners.includes(undefined) &&
      !owners.includes(entity) &&
      owners.some((owner) => distance(planner, base, owner!) !== undefined)
    );
  };
  const inner = conditions.filter((one) => !isOwn(one));
  applyConditions(planner, conditions.filter(isOwn));
  const count = `${entity.name}.count`;
  if (plan.dimensions.length > 0 && plan.measures?.includes(count) && !exists) {
    applyConditions({ ...planner, base: entity }, inner);
    plan.measureFilters = [...(plan.measureFilters ?? []), { measure: count, ...bound }];
  } else if (entity === base && exists) applyConditions(planner, inner);
  else if (entity === base || distance(planner, entity, base) === undefined) {
    const key = keyOfRows(entity);
    if (
      distance(planner, base, entity) === undefined ||
      entity === base ||
      !key ||
      !(exists || (isNone && inner.length === 0))
    )
      throw refusal([mention.text], `I cannot count ${entity.many} for each of the ${base.many}.`);
    plan.filters.push({ dimension: `${entity.name}.${key.name}`, operator: isNone ? 'is_null' : 'is_not_null' });
    applyConditions(planner, inner);
  } else {
    planner.several.add(entity);
    const { filters, segments, excludedSegments, related } = planOf(planner, entity, inner);
    if (related.length > 0) throw refusal(inner.map((one) => one.mention.text));
    plan.related.push({ of: base.name, entity: entity.name, ...bound, filters, segments, excludedSegments });
  }
}

const APPLY: Readonly<Record<Condition['type'], (planner: Planner, condition: Condition) => void>> = {
  is: applyIs,
  equals: applyEquals,
  compare: applyCompare,
  missing: applyMissing,
  related: applyRelated,
  period: (planner, { period }) => planner.plan.filters.push(...periodFilters(planner, period!)),
};
