/** Periods and comparisons of periods. */
import { type ClosedRange, type DayRange, daysBetween, rangeText, unitOf } from './calendar.ts';
import type { TimeMention } from './draft.ts';
import { isYear } from './lexicon.ts';
import { choose, Refuse } from './outcome.ts';
import { closed, earlier, intersect } from './period-rules.ts';
import { ConditionResolver } from './resolve-conditions.ts';
import { full } from './resolver-base.ts';
import { primaryDates } from './time-dimension.ts';

const GRAINS = ['day', 'week', 'month', 'quarter', 'year'];

export class TimeResolver extends ConditionResolver {
  /** "revenue of Berlin vs Munich": the dimension that both values are of. */
  protected comparedDimension(): string | undefined {
    const values = this.draft.conditions.filter((item) => item.type === 'is' && !item.negated);
    if (values.length < 2) return undefined;
    const names = values.map((item) => (item.type === 'is' ? this.valueDimensions(item.mention) : []));
    const shared = names[0]!.filter((name) => names.every((other) => other.includes(name)));
    return shared.length === 1 ? shared[0] : undefined;
  }

  protected time(): void {
    const { times, versus, against } = this.draft;
    const [first, second, ...more] = times;
    if (more.length > 0) throw new Refuse([more[0]!.text]);
    if (versus !== undefined && this.comparedDimension() === undefined) {
      this.comparison(first, second ?? against);
      return;
    }
    if (against) throw new Refuse([against.text]);
    if (!first) return;
    const date = this.dateOf(first);
    if (isYear(date.dimension) && !second) {
      this.yearRange(full(date), this.range(first), first.text);
      return;
    }
    const dimension = full(this.dateOf(first));
    if (second?.joined) {
      this.together(first, second);
      return;
    }
    let range = this.range(first);
    if (second) {
      const other = this.range(second);
      const otherDate = full(this.dateOf(second));
      if (otherDate !== dimension) {
        this.setTime(dimension, range, () => this.extraTime(second));
        return;
      }
      const joined = intersect(range, other);
      if (!joined) throw new Refuse([second.text], `I cannot put "${first.text}" and "${second.text}" together.`);
      range = joined;
    }
    this.setTime(dimension, range);
  }

  /** "in 2024 and 2025": both as one, or one figure for each. */
  protected together(first: TimeMention, second: TimeMention): void {
    const later = closed(this.range(second), second);
    const options = first.phrase.kind === 'choice' ? first.phrase.options : [this.range(first)];
    const earlierOne = options.find((range) => range.to === later.from);
    const unit = unitOf(later);
    if (earlierOne?.from === undefined || unit === undefined)
      throw new Refuse([second.text], `I cannot put "${first.text}" and "${second.text}" together.`);
    const dimension = full(this.dateOf(first));
    const grouped = (this.plan.dimensions ?? []).some((item) => item.grain !== undefined);
    const way =
      grouped || this.plan.measures === undefined
        ? 'one'
        : choose(this.context.chosen, 'together', `One figure for both, or one for each ${unit}?`, [
            { value: 'one', label: 'one figure for both together' },
            { value: 'each', label: `one figure for each ${unit}` },
          ]);
    if (way === 'each') this.plan.dimensions = [...(this.plan.dimensions ?? []), { dimension, grain: unit }];
    this.setTime(dimension, { from: earlierOne.from, to: later.to });
  }

  protected setTime(dimension: string, range: DayRange, more?: () => void): void {
    this.plan.timeRange = { dimension, ...range };
    more?.();
  }

  /** "new customers in May" are those of that date; without a time nothing says how new. */
  protected new(): void {
    const own = primaryDates(this.base!);
    const timed = this.plan.timeRange !== undefined || this.draft.groups.some((group) => 'grain' in group);
    if (
      !timed ||
      own.length !== 1 ||
      (this.plan.timeRange && this.plan.timeRange.dimension !== full({ entity: this.base!, dimension: own[0]! }))
    )
      throw new Refuse(['new']);
  }

  protected comparison(first: TimeMention | undefined, second: TimeMention | undefined): void {
    const { versus } = this.draft;
    if (this.draft.groups.some((group) => 'grain' in group))
      throw new Refuse([], 'I can compare two periods, not a series of them.');
    const ends = first?.phrase.kind === 'range' ? first.phrase.ends : undefined;
    let main: ClosedRange | undefined;
    let other: ClosedRange | undefined;
    if (!first) throw new Refuse([], 'Name the period to compare, such as "this month vs previous month".');
    if (ends && !second) [other, main] = ends;
    else main = closed(this.range(first), first);
    const dimension = full(this.dateOf(first));
    if (second && second.phrase.kind !== 'relative') {
      other = closed(this.range(second), second);
      if (daysBetween(other.from, other.to) > 1.5 * daysBetween(main.from, main.to)) {
        const same = earlier(main, 'year');
        other = choose(
          this.context.chosen,
          `against:${second.text.toLowerCase()}`,
          `Compare with which part of "${second.text}"?`,
          [same, other].map((range) => ({ value: range, label: rangeText(range) })),
        );
      }
      // Between two named periods the change is from the earlier to the later one.
      if (other.from > main.from) [main, other] = [other, main];
    } else if (!other) {
      const unit =
        second?.phrase.kind === 'relative'
          ? second.phrase.unit
          : versus === 'change' || versus === 'named'
            ? 'period'
            : versus!;
      const whole = unitOf(main);
      if (unit !== 'period' && whole !== undefined && GRAINS.indexOf(unit) < GRAINS.indexOf(whole))
        throw new Refuse([], `I can compare two periods, but not each ${unit} of a ${whole} with the one before.`);
      other = earlier(main, unit);
    }
    if (other.from < main.to && main.from < other.to)
      throw new Refuse(
        [first.text],
        `"${first.text}" overlaps with the period that it would be compared with; name a shorter period.`,
      );
    this.plan.timeRange = { dimension, from: main.from, to: main.to };
    this.plan.comparison = { from: other.from, to: other.to };
  }
}
