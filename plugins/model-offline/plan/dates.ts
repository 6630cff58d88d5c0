/** Decides which date a period is about, asks where several could be, and puts the periods into the plan. */
import type { Mention, Period } from '../parse/request.ts';
import { type ClosedRange, type DayRange, rangeText } from '../words/calendar.ts';
import type { ModelDimension, PlanFilter } from '../words/layer.ts';
import { type EntityEntry, isPeople, isTime, isYear } from '../words/lexicon.ts';
import { refusal } from './outcome.ts';
import * as of from './planner.ts';
import { isOver, primaryDates } from './traits.ts';

const datesIn = (entity: EntityEntry, fits: (one: ModelDimension) => boolean): of.Owned[] =>
  entity.dimensions.filter((one) => isTime(one) && fits(one)).map((dimension) => ({ entity, dimension }));
const datesOf = (entity: EntityEntry): of.Owned[] => primaryDates(entity).map((dimension) => ({ entity, dimension }));

const oneDate = (planner: of.Planner, key: string, about: string, dates: readonly of.Owned[]): of.Owned =>
  of.asked(planner, `date:${key}`, `Which date ${about}?`, dates, of.labelOfDimension);

/** The date that stands for the rows of an entity: its own, else that of what each row belongs to. */
export function primaryDate(planner: of.Planner, entity = planner.base): of.Owned {
  const parents = [...planner.lexicon.entities.values()]
    .map((parent) => ({ parent, steps: of.distance(planner, entity, parent) ?? 99 }))
    .map(({ parent, steps }) => ({ steps, dates: steps < 99 ? datesOf(parent) : [] }))
    .filter(({ dates }) => dates.length > 0);
  const isOpen = datesOf(entity).length === 0 && entity.dimensions.some(isTime);
  if (isOpen || parents.length === 0) throw refusal([], `${entity.many} have no date that stands for them.`);
  const fewest = Math.min(...parents.map(({ steps }) => steps));
  const nearest = parents.filter(({ steps }) => steps === fewest).flatMap(({ dates }) => dates);
  return oneDate(planner, entity.name, `of ${entity.many} do you mean`, nearest);
}

/** The date that a hint names: by its own name, or the one that stands for an entity. */
export function hintedDate(planner: of.Planner, hint: Mention): of.Owned {
  const said = of.best(hint.meanings.filter(({ kind }) => kind === 'entity' || kind === 'dimension'));
  const [first] = of.prefer(said, (one) => one.kind !== 'term' && one.entity === planner.base);
  // A date that only a verb names is one of the rows: nobody says "fines by month of return" of their loans.
  if (first?.kind === 'dimension' && (first.rank > 0 || first.entity === planner.base))
    return of.dimensionOf(planner, hint, ({ dimension }) => isTime(dimension) || isYear(dimension));
  const [entity] = of.entitiesOf(hint).filter((one) => of.distance(planner, planner.base, one) !== undefined);
  if (entity && datesOf(entity).length > 0) return primaryDate(planner, entity);
  throw refusal([hint.text], `There is no one date of "${hint.text}" for each of the ${planner.base.many}.`);
}

/** Dates that the figures are made of: "late orders" compare one with another. */
function measuredDates({ plan, base, lexicon }: of.Planner): of.Owned[] {
  const found = (plan.measures ?? []).flatMap((name) => lexicon.measures.get(name) ?? []);
  const sql = found.flatMap(({ measure, metric }) => [measure?.sql, metric?.sql, ...(metric?.dimensions ?? [])]);
  const words = new Set(sql.join(' ').match(/\w+/g));
  return datesIn(base, (one) => words.has(one.sql));
}

/** Dates that reach into the periods asked for, which the rows' own date, as far as it is known, does not. */
function aheadOf({ base, request }: of.Planner, [own, more]: readonly of.Owned[]): of.Owned[] {
  const from = request.periods.flatMap(({ phrase }) => phrase.flatMap((one) => one.from ?? [])).sort()[0];
  const last = own?.dimension.range?.[1];
  if (more || from === undefined || last === undefined || String(last).slice(0, 10) >= from) return [];
  const isAhead = (one: ModelDimension): boolean => String(one.range?.[1] ?? '').slice(0, 10) >= from;
  return datesIn(base, isAhead);
}

/** The date a period is about: the one it was said of, that of a noun or condition beside it, or the rows' own. */
export function dateOf(
  planner: of.Planner,
  { hint, of: noun, text, verb }: Pick<Period, 'text' | 'hint' | 'of' | 'verb'>,
): of.Owned {
  if (hint) return hintedDate(planner, hint);
  const { base, request, events, several } = planner;
  const either = (others: readonly of.Owned[]): of.Owned =>
    oneDate(planner, `of ${text}`, `is ${text ? `"${text}" about` : 'meant'}`, [...datesOf(base), ...others]);
  const others = of.entitiesOf(noun).filter((one) => one !== base && of.isRelated(planner, base, one));
  const isNear = (one: EntityEntry): boolean => of.distance(planner, base, one) !== undefined;
  // What facts are of has dates of its own, but "bookings of customers in 2024" were booked then.
  const isFact = base.model.type === 'fact' && datesOf(base).length > 0;
  const hasOwn = (one: EntityEntry): boolean => datesOf(one).length > 0 && !(isFact && one.model.type === 'dimension');
  const beside = others.find((one) => isNear(one) && hasOwn(one));
  const named = beside && primaryDate(planner, beside);
  const [grouped] = request.groups.flatMap((group) => (group.hint ? [hintedDate(planner, group.hint)] : []));
  if (named) return grouped && of.full(grouped) === of.full(named) ? named : either([named]);
  if (grouped) return grouped.entity === base ? grouped : either([grouped]);
  const [event] = events;
  if (event?.isCertain) return event;
  // "volunteers who worked in 2024" did not join then.
  if (verb === 'everyday' && base.model.type !== 'fact')
    throw refusal([text], `Say which date of ${base.many} that is about.`);
  const own = datesOf(base);
  const ahead = aheadOf(planner, own);
  if (ahead.length > 0) return either(ahead);
  // "students we had in 2024" did not all begin then.
  const isStanding = (base.model.type === 'dimension' || isPeople(base)) && base.dimensions.some(isOver);
  if (isStanding && !request.new && text && request.periods.every(({ phrase: [range] }) => range?.from && range.to))
    throw refusal([text], `Say which date of ${base.many} that is about.`);
  const said = verb === 'done' ? datesIn(base, isOver) : measuredDates(planner);
  if (own.length === 1 && said.some(({ dimension }) => dimension !== own[0]!.dimension)) return either(said);
  const related = [...new Set([...several, ...others.filter((one) => !isNear(one))])].flatMap(datesOf);
  return event || related.length > 0 ? either([...(event ? [event] : []), ...related]) : primaryDate(planner);
}

/** The range of a period; asks which year a bare month is of. */
const rangeOf = (planner: of.Planner, { phrase, text }: Period): DayRange =>
  of.asked(planner, `time:${text}`, `Which period do you mean by "${text}"?`, phrase, rangeText);

/** A period as filters, beside the one that is the plan's own; a number that is a year is compared with whole years. */
export function periodFilters(planner: of.Planner, period: Period): PlanFilter[] {
  const item = dateOf(planner, period);
  const { from, to } = rangeOf(planner, period);
  const boundOf = (day: string): string | number => {
    if (!isYear(item.dimension)) return day;
    if (day.endsWith('-01-01')) return Number(day.slice(0, 4));
    throw refusal([], `The ${of.labelOfDimension(item)} is a year; name whole years.`);
  };
  const dimension = of.full(item);
  return [
    ...(from === undefined ? [] : [{ dimension, operator: 'greater_or_equal' as const, values: [boundOf(from)] }]),
    ...(to === undefined ? [] : [{ dimension, operator: 'less_than' as const, values: [boundOf(to)] }]),
  ];
}

export function applyPeriods(planner: of.Planner): void {
  const { plan, request, base } = planner;
  const [first, second, third] = request.periods;
  if (!first) return;
  const date = dateOf(planner, first);
  const [begin, end] = request.periods.map((one) => rangeOf(planner, one));
  if (request.compare && second && !third && begin!.from && begin!.to && end!.from && end!.to) {
    if (begin!.from === end!.from) throw refusal([second.text], 'Both periods are the same.');
    const [earlier, later] = begin!.from < end!.from ? [begin!, end!] : [end!, begin!];
    plan.timeRange = { dimension: of.full(date), ...later };
    plan.comparison = earlier as ClosedRange;
    return;
  }
  const isApart = begin!.to && end?.from && begin!.to <= end.from;
  const isBefore = end?.to && begin!.from && end.to <= begin!.from;
  if (second?.joined || third || isApart || isBefore)
    throw refusal([(third ?? second!).text], 'I cannot tell how these periods go together; ask for one at a time.');
  if (of.distance(planner, base, date.entity) === undefined) {
    // "patients who visited in March": those with such a row.
    const filters = periodFilters(planner, first);
    plan.related.push({ of: base.name, entity: date.entity.name, operator: 'greater_than', value: 0, filters });
  } else if (isYear(date.dimension)) plan.filters.push(...periodFilters(planner, first));
  else plan.timeRange = { dimension: of.full(date), ...rangeOf(planner, first) };
  if (second) plan.filters.push(...periodFilters(planner, second));
}
