/** Decides which date a period is about, asks where several could be, and puts the periods into the plan. */
import type { Mention, Period } from '../parse/request.ts';
import { type ClosedRange, type DayRange, daysBetween, move, rangeText, unitOf } from '../words/calendar.ts';
import type { PlanFilter } from '../words/layer.ts';
import { type EntityEntry, isTime, isYear } from '../words/lexicon.ts';
import { refusal } from './outcome.ts';
import * as of from './planner.ts';
import { birthOf, primaryDates } from './traits.ts';

const datesOf = (entity: EntityEntry): of.Owned[] => primaryDates(entity).map((dimension) => ({ entity, dimension }));
/** Those at which a row may have happened: not a birthday. */
const eventsOf = (entity: EntityEntry): of.Owned[] =>
  datesOf(entity).filter(({ dimension }) => dimension !== birthOf(entity));

const oneDate = (planner: of.Planner, key: string, about: string, dates: readonly of.Owned[]): of.Owned =>
  of.asked(planner, `date:${key}`, `Which date ${about}?`, dates, of.labelOfDimension);

/** The date that stands for the rows of an entity: its own, else that of what each row belongs to. */
export function primaryDate(planner: of.Planner, entity = planner.base): of.Owned {
  const parents = [...planner.lexicon.entities.values()]
    .map((parent) => ({ steps: of.distance(planner, entity, parent) ?? 99, dates: datesOf(parent) }))
    .filter(({ steps, dates }) => steps < 99 && dates.length > 0);
  if (parents.length === 0) throw refusal([], `${entity.many} have no date.`);
  const fewest = Math.min(...parents.map(({ steps }) => steps));
  const nearest = parents.filter(({ steps }) => steps === fewest).flatMap(({ dates }) => dates);
  return oneDate(planner, entity.name, `of ${entity.many} do you mean`, nearest);
}

/** The date that a hint names: by its own name, or the one that stands for an entity. */
export function hintedDate(planner: of.Planner, hint: Mention): of.Owned {
  const rank = (kind: string): number =>
    Math.max(-1, ...hint.meanings.filter((one) => one.kind === kind).map((one) => one.rank));
  if (rank('dimension') >= rank('entity'))
    return of.dimensionOf(planner, hint, ({ dimension }) => isTime(dimension) || isYear(dimension));
  const [entity] = of.entitiesOf(hint).filter((one) => of.distance(planner, planner.base, one) !== undefined);
  if (!entity || datesOf(entity).length === 0)
    throw refusal([hint.text], `There is no one date of "${hint.text}" for each of the ${planner.base.many}.`);
  return primaryDate(planner, entity);
}

/** The date a period is about: the one it was said of, that of a noun or condition beside it, or the rows' own. */
export function dateOf(planner: of.Planner, { hint, of: noun, text }: Pick<Period, 'text' | 'hint' | 'of'>): of.Owned {
  if (hint) return hintedDate(planner, hint);
  const { base, request, events, several } = planner;
  const either = (others: readonly of.Owned[]): of.Owned =>
    oneDate(planner, `of ${text}`, `is ${text ? `"${text}" about` : 'meant'}`, [...datesOf(base), ...others]);
  const others = of.entitiesOf(noun).filter((one) => one !== base);
  const beside = others.find((one) => of.distance(planner, base, one) !== undefined && eventsOf(one).length > 0);
  const named = beside && primaryDate(planner, beside);
  const [grouped] = request.groups.flatMap((group) => (group.hint ? [hintedDate(planner, group.hint)] : []));
  if (named) return grouped && of.full(grouped) === of.full(named) ? named : either([named]);
  if (grouped) return grouped.entity === base ? grouped : either([grouped]);
  const [event] = events;
  if (event?.isCertain) return event;
  const far = others.filter((one) => of.distance(planner, base, one) === undefined && of.isRelated(planner, base, one));
  const related = [...new Set([...several, ...far])].flatMap(eventsOf);
  return event || related.length > 0 ? either([...(event ? [event] : []), ...related]) : primaryDate(planner);
}

/** The range of a period; asks which year a bare month is of. */
function rangeOf(planner: of.Planner, { phrase, text }: Period): DayRange {
  return of.asked(planner, `time:${text}`, `Which period do you mean by "${text}"?`, phrase.options, rangeText);
}

/** A range as filters; a number that is a year is compared with whole years only. */
function rangeFilters(item: of.Owned, { from, to }: DayRange): PlanFilter[] {
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

/** A period as filters, beside the one that is the plan's own. */
export const periodFilters = (planner: of.Planner, period: Period): PlanFilter[] =>
  rangeFilters(dateOf(planner, period), rangeOf(planner, period));

export function applyPeriods(planner: of.Planner): void {
  const { plan, request, base } = planner;
  const [first, second, third] = request.periods;
  if (!first) return;
  if (third) throw refusal([third.text], 'I can read two periods at most.');
  const comparesValues = plan.filters.some(
    (one) => one.operator === 'in' && plan.dimensions.some(({ dimension }) => dimension === one.dimension),
  );
  if (request.compared && !comparesValues) {
    comparePeriods(planner, first, second);
    return;
  }
  if (second?.joined)
    throw refusal(
      [second.text],
      `I cannot tell whether "${first.text}" and "${second.text}" are asked for together or apart; ask for one at a time.`,
    );
  const date = dateOf(planner, first);
  if (of.distance(planner, base, date.entity) === undefined) {
    // "patients who visited in March": those with such a row.
    const filters = periodFilters(planner, first);
    plan.related.push({ of: base.name, entity: date.entity.name, operator: 'greater_than', value: 0, filters });
  } else if (isYear(date.dimension)) plan.filters.push(...periodFilters(planner, first));
  else plan.timeRange = { dimension: of.full(date), ...rangeOf(planner, first) };
  if (second) plan.filters.push(...periodFilters(planner, second));
}

/** "this month vs previous month", "2025 compared to 2024". */
function comparePeriods(planner: of.Planner, first: Period, second: Period | undefined): void {
  const { plan } = planner;
  if (!second || plan.dimensions.some(({ grain }) => grain !== undefined))
    throw refusal([first.text], 'I can compare two periods, such as "2025 vs 2024", but not a series of them.');
  const closed = (period: Period): ClosedRange => {
    const { from, to } = rangeOf(planner, period);
    if (from !== undefined && to !== undefined) return { from, to };
    throw refusal([period.text], `A comparison needs periods with a beginning and an end; "${period.text}" is open.`);
  };
  const date = dateOf(planner, first);
  let main = closed(first);
  const { relative } = second.phrase;
  const step = relative === 'period' ? unitOf(main) : relative;
  let other = step ? { from: move(main.from, step, -1), to: move(main.to, step, -1) } : closed(second);
  if ((relative && !step) || of.full(dateOf(planner, second)) !== of.full(date) || isYear(date.dimension))
    throw refusal([second.text]);
  if (daysBetween(other.from, other.to) > 1.5 * daysBetween(main.from, main.to)) {
    const same = { from: move(main.from, 'year', -1), to: move(main.to, 'year', -1) };
    const question = `Compare with which part of "${second.text}"?`;
    other = of.asked(planner, `against:${second.text}`, question, [same, other], rangeText);
  }
  // The change is from the earlier to the later one.
  if (other.from > main.from) [main, other] = [other, main];
  if (main.from < other.to)
    throw refusal([first.text], `"${first.text}" overlaps with the period to compare it with; name a shorter period.`);
  plan.timeRange = { dimension: of.full(date), ...main };
  plan.comparison = other;
}
