/** Decides which date a period is about, asks where several could be, and puts the periods into the plan. */
import type { Mention, Period } from '../parse/request.ts';
import { type ClosedRange, type DayRange, daysBetween, move, rangeText, unitOf } from '../words/calendar.ts';
import type { PlanFilter } from '../words/layer.ts';
import { type EntityEntry, isTime } from '../words/lexicon.ts';
import { birthOf } from './entity-traits.ts';
import { refusal } from './outcome.ts';
import {
  asked,
  dimensionOf,
  distance,
  entitiesOf,
  full,
  isRelated,
  labelOfDimension,
  type Owned,
  type Planner,
} from './planner.ts';
import { primaryDates } from './time-dimension.ts';

const datesOf = (entity: EntityEntry): Owned[] => primaryDates(entity).map((dimension) => ({ entity, dimension }));
/** Those at which a row may have happened: not a birthday. */
const eventsOf = (entity: EntityEntry): Owned[] =>
  datesOf(entity).filter(({ dimension }) => dimension !== birthOf(entity));

const oneDate = (planner: Planner, key: string, about: string, dates: readonly Owned[]): Owned => {
  const candidates = dates.map((value) => ({ value, label: labelOfDimension(value) }));
  return asked(planner, `date:${key}`, `Which date ${about}?`, candidates);
};

/** The date that stands for the rows of an entity: its own, else that of what each row belongs to. */
export function primaryDate(planner: Planner, entity = planner.base): Owned {
  const parents = [...planner.lexicon.entities.values()]
    .map((parent) => ({ steps: distance(planner, entity, parent) ?? 99, dates: datesOf(parent) }))
    .filter(({ steps, dates }) => steps < 99 && dates.length > 0);
  const fewest = Math.min(...parents.map(({ steps }) => steps));
  if (parents.length === 0) throw refusal([], `${entity.many} have no date.`);
  return oneDate(
    planner,
    entity.name,
    `of ${entity.many} do you mean`,
    parents.filter(({ steps }) => steps === fewest).flatMap(({ dates }) => dates),
  );
}

/** The date that a hint names: by its own name, or the one that stands for an entity. */
export function hintedDate(planner: Planner, hint: Mention): Owned {
  const rank = (kind: string): number =>
    Math.max(-1, ...hint.meanings.filter((one) => one.kind === kind).map((one) => one.rank));
  if (rank('dimension') >= rank('entity')) return dimensionOf(planner, hint, ({ dimension }) => isTime(dimension));
  const [entity] = entitiesOf(hint).filter((one) => distance(planner, planner.base, one) !== undefined);
  if (!entity || datesOf(entity).length === 0)
    throw refusal([hint.text], `There is no one date of "${hint.text}" for each of the ${planner.base.many}.`);
  return primaryDate(planner, entity);
}

/** The date a period is about: the one it was said of, that of a noun or condition beside it, or the rows' own. */
export function dateOf(planner: Planner, { hint, of, text }: Pick<Period, 'text' | 'hint' | 'of'>): Owned {
  if (hint) return hintedDate(planner, hint);
  const { base, request, events, several } = planner;
  const own = datesOf(base);
  const either = (others: readonly Owned[]): Owned =>
    oneDate(planner, `of ${text}`, `is ${text ? `"${text}" about` : 'meant'}`, [...own, ...others]);
  const [noun] = entitiesOf(of).filter(
    (one) => one !== base && distance(planner, base, one) !== undefined && eventsOf(one).length > 0,
  );
  const [grouped] = request.groups.flatMap((group) => (group.hint ? [hintedDate(planner, group.hint)] : []));
  const named = noun && primaryDate(planner, noun);
  if (named) return grouped && full(grouped) === full(named) ? named : either([named]);
  if (grouped) return grouped.entity === base ? grouped : either([grouped]);
  const [event] = events;
  if (event?.isCertain) return event;
  const far = entitiesOf(of).filter(
    (one) => one !== base && distance(planner, base, one) === undefined && isRelated(planner, base, one),
  );
  const related = [...new Set([...several, ...far])].flatMap(eventsOf);
  return event || related.length > 0 ? either([...(event ? [event] : []), ...related]) : primaryDate(planner);
}

/** The range of a period; asks which year a bare month is of. */
function rangeOf(planner: Planner, { phrase, text }: Period): DayRange {
  if (phrase.kind === 'range') return phrase.range;
  if (phrase.kind === 'relative') throw refusal([text]);
  const candidates = phrase.options.map((range) => ({ value: range, label: rangeText(range) }));
  return asked(planner, `time:${text}`, `Which period do you mean by "${text}"?`, candidates);
}

/** A period as filters, beside the one that is the plan's own. */
export function periodFilters(planner: Planner, period: Period): PlanFilter[] {
  const dimension = full(dateOf(planner, period));
  const { from, to } = rangeOf(planner, period);
  return [
    ...(from === undefined ? [] : [{ dimension, operator: 'greater_or_equal' as const, values: [from] }]),
    ...(to === undefined ? [] : [{ dimension, operator: 'less_than' as const, values: [to] }]),
  ];
}

export function applyPeriods(planner: Planner): void {
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
  if (distance(planner, base, date.entity) !== undefined)
    plan.timeRange = { dimension: full(date), ...rangeOf(planner, first) };
  // "patients who visited in March": those with such a row.
  else
    plan.related.push({
      of: base.name,
      entity: date.entity.name,
      operator: 'greater_than',
      value: 0,
      filters: periodFilters(planner, first),
    });
  if (second) plan.filters.push(...periodFilters(planner, second));
}

function closed(planner: Planner, period: Period): ClosedRange {
  const { from, to } = rangeOf(planner, period);
  if (from === undefined || to === undefined)
    throw refusal([period.text], `A comparison needs periods with a beginning and an end; "${period.text}" is open.`);
  return { from, to };
}

/** "this month vs previous month", "2025 compared to 2024". */
function comparePeriods(planner: Planner, first: Period, second: Period | undefined): void {
  const { plan } = planner;
  if (!second)
    throw refusal([first.text], `Name the period to compare "${first.text}" with, such as "vs previous month".`);
  if (plan.dimensions.some(({ grain }) => grain !== undefined))
    throw refusal([], 'I can compare two periods, not a series of them.');
  let main = closed(planner, first);
  const unit = second.phrase.kind === 'relative' ? second.phrase.unit : undefined;
  const step = unit === 'period' ? unitOf(main) : unit;
  if (unit && !step) throw refusal([second.text], `Name the period to compare "${first.text}" with.`);
  let other = step ? { from: move(main.from, step, -1), to: move(main.to, step, -1) } : closed(planner, second);
  if (!step && full(dateOf(planner, second)) !== full(dateOf(planner, first))) throw refusal([second.text]);
  if (daysBetween(other.from, other.to) > 1.5 * daysBetween(main.from, main.to)) {
    const same = { from: move(main.from, 'year', -1), to: move(main.to, 'year', -1) };
    const candidates = [same, other].map((value) => ({ value, label: rangeText(value) }));
    other = asked(planner, `against:${second.text}`, `Compare with which part of "${second.text}"?`, candidates);
  }
  // The change is from the earlier to the later one.
  if (other.from > main.from) [main, other] = [other, main];
  if (main.from < other.to)
    throw refusal(
      [first.text],
      `"${first.text}" overlaps with the period that it would be compared with; name a shorter period.`,
    );
  plan.timeRange = { dimension: full(dateOf(planner, first)), ...main };
  plan.comparison = other;
}
