/** The plan under construction, and how names become dimensions of it. */
import type { ModelDimension } from '../semantic-layer/index.ts';
import type { PlanFilter, QueryPlan } from '../semantic-query/index.ts';
import { type DayRange, rangeText } from './calendar.ts';
import { best, nearest } from './choosing.ts';
import { mergeable } from './condition-rules.ts';
import type { Condition, Draft, Mention, TimeMention } from './draft.ts';
import { amountsOf, numbersCalled } from './entity-traits.ts';
import { isEntity } from './figure-rules.ts';
import { type Closeness, type EntityEntry, isTime, isYear, type Lexicon } from './lexicon.ts';
import { choose, Refuse } from './outcome.ts';
import { checkWay, meant } from './places.ts';
import type { ReadTerm } from './terms.ts';
import { eventDates, primaryDates } from './time-dimension.ts';
import { nameWords } from './words.ts';

export interface ResolveContext {
  readonly lexicon: Lexicon;
  /** Answers to earlier questions back, by place. */
  readonly chosen: ReadonlyMap<string, number>;
  readonly now: Date;
  readonly readTerm: ReadTerm;
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export type Plan = Mutable<QueryPlan> & { filters: PlanFilter[]; segments: string[]; excludedSegments: string[] };

export interface Dimension {
  readonly rank?: Closeness;
  readonly entity: EntityEntry;
  readonly dimension: ModelDimension;
}

export interface Figure {
  readonly entity: EntityEntry;
  /** `entity.measure`, metric id or `entity.count`; unset for an aggregate made on the spot. */
  readonly name?: string;
  readonly adhoc?: NonNullable<QueryPlan['adhocMeasures']>[number];
  readonly conditions?: readonly Condition[];
}

export const full = (item: Dimension): string => `${item.entity.name}.${item.dimension.name}`;

export const spoken = (name: string): string => nameWords(name).join(' ');

export class ResolverBase {
  protected readonly draft: Draft;
  protected readonly context: ResolveContext;
  protected readonly plan: Plan = { filters: [], segments: [], excludedSegments: [] };
  /** Conditions still to place, with those that a term or figure brings along. */
  protected base: EntityEntry | undefined;

  constructor(draft: Draft, context: ResolveContext) {
    this.draft = draft;
    this.context = context;
  }

  /** Dates that a condition is about; certain where the condition is only that there is one. */
  protected events: (Dimension & { readonly isCertain: boolean })[] = [];

  protected distance(from: EntityEntry, to: EntityEntry): number | undefined {
    return this.context.lexicon.graph.distance(from.name, to.name);
  }

  protected related(base: EntityEntry | undefined, entity: EntityEntry): boolean {
    return base === undefined || this.context.lexicon.graph.bridges(base.name, entity.name).length > 0;
  }

  /** The meanings that are dimensions, those nearest to `base` and most directly named. */
  protected dimensionCandidates(mention: Mention, base = this.base): Dimension[] {
    const found = mention.meanings.filter((meaning) => meaning.kind === 'dimension');
    const direct = found.filter((meaning) => meaning.rank >= 2 && !isTime(meaning.dimension));
    const chosen = base && meant(direct, base, this.draft, this.context.lexicon.graph);
    if (chosen) return chosen;
    return nearest(
      found,
      (meaning) => (base ? this.distance(base, meaning.entity) : 0),
      (meaning) => this.related(base, meaning.entity),
    );
  }

  protected dimension(mention: Mention, base = this.base): Dimension {
    // "the value" of a row is its amount.
    const amounts =
      mention.meanings.length === 0 && base
        ? amountsOf(base).map((dimension): Dimension => ({ entity: base, dimension }))
        : undefined;
    const candidates = amounts ?? this.dimensionCandidates(mention, base);
    if (candidates.length === 0)
      throw new Refuse([mention.text], `I cannot relate "${mention.text}" to the rest of the question.`);
    const item = choose(
      this.context.chosen,
      `dimension:${mention.text.toLowerCase()}`,
      `Which "${mention.text}" do you mean?`,
      candidates.map((value) => ({ value, label: `${spoken(value.dimension.name)} of ${value.entity.many}` })),
    );
    if (base) checkWay(item, base, this.draft, this.context.lexicon.graph, mention.text);
    return item;
  }

  protected headEntity(head: Mention): EntityEntry {
    const entities = head.meanings.filter((meaning) => meaning.kind === 'entity');
    if (entities.length > 0) {
      return choose(
        this.context.chosen,
        `entity:${head.text}`,
        `What do you mean by "${head.text}"?`,
        best(entities).map((item) => ({ value: item.entity, label: item.entity.name })),
      );
    }
    return this.dimension(head).entity;
  }

  protected headEntityOrNone(): EntityEntry | undefined {
    const head = this.draft.head;
    return head && isEntity(head) ? this.headEntity(head) : undefined;
  }

  protected entityMention(entity: EntityEntry): Mention {
    return { text: entity.many, plural: true, meanings: [{ kind: 'entity', entity, rank: 3 }] };
  }

  protected filter(filter: PlanFilter): void {
    const same = this.plan.filters.find((item) => item.dimension === filter.dimension && mergeable(item, filter));
    if (!same) {
      this.plan.filters.push(filter);
      return;
    }
    const values = [...new Set([...(same.values ?? []), ...(filter.values ?? [])])];
    const negated = filter.operator === 'not_equals' || filter.operator === 'not_in';
    const operator = values.length === 1 ? (negated ? 'not_equals' : 'equals') : negated ? 'not_in' : 'in';
    this.plan.filters[this.plan.filters.indexOf(same)] = { ...same, operator, values };
  }

  protected primaryDate(entity: EntityEntry): Dimension {
    const own = primaryDates(entity);
    if (own.length > 0) {
      const dimension = choose(
        this.context.chosen,
        `date:${entity.name}`,
        `Which date of ${entity.many} do you mean?`,
        own.map((item) => ({ value: item, label: spoken(item.name) })),
      );
      return { entity, dimension };
    }
    const parents = [...this.context.lexicon.entities.values()]
      .map((parent) => ({ parent, steps: this.distance(entity, parent), dates: primaryDates(parent) }))
      .filter((item) => item.steps !== undefined && item.dates.length > 0)
      .sort((a, b) => a.steps! - b.steps!);
    const near = parents.filter((item) => item.steps === parents[0]!.steps);
    if (near.length === 0) throw new Refuse([], `${entity.many} have no date.`);
    const options = near.flatMap((item) => item.dates.map((dimension) => ({ entity: item.parent, dimension })));
    return choose(
      this.context.chosen,
      `date:${entity.name}`,
      `Which date do you mean?`,
      options.map((item) => ({ value: item, label: `${spoken(item.dimension.name)} of ${item.entity.many}` })),
    );
  }

  protected dateOf(time: TimeMention): Dimension {
    const hints = this.draft.groups.flatMap((group) => ('grain' in group && group.hint ? [group.hint] : []));
    if (time.hint) return this.hinted(time.hint);
    const grouped = hints[0] && this.hinted(hints[0]);
    const named = (time.of && this.dateOfNoun(time.of)) ?? grouped;
    if (named) return time.of && grouped && full(named) === full(grouped) ? named : this.eitherDate(named, time);
    const [event] = this.events;
    if (event?.isCertain) return event;
    if (!event) return this.primaryDate(this.base!);
    // "cancelled subscriptions in 2025": cancelled then, or begun then and cancelled since.
    const usual = this.primaryDate(this.base!);
    return choose(
      this.context.chosen,
      `event:${event.dimension.name}`,
      `Which date of ${this.base!.many} do you mean?`,
      [event, usual].map((value) => ({ value, label: spoken(value.dimension.name) })),
    );
  }

  /** The date that a part of the calendar is said to be of: by its own name, or the one that stands for an entity. */
  protected hinted(hint: Mention): Dimension {
    const rank = (meanings: readonly { readonly rank: number }[]): number =>
      Math.max(0, ...meanings.map((meaning) => meaning.rank));
    const named = hint.meanings.filter((meaning) => meaning.kind === 'dimension');
    const entities = best(hint.meanings.filter((meaning) => meaning.kind === 'entity'));
    if (entities.length === 0 || rank(named) >= rank(entities)) return this.dimension({ ...hint, meanings: named });
    const near = entities.filter(({ entity }) => this.distance(this.base!, entity) !== undefined);
    if (near.length === 0)
      throw new Refuse([hint.text], `There is no one date of "${hint.text}" for each of the ${this.base!.many}.`);
    const entity = choose(
      this.context.chosen,
      `entity:${hint.text}`,
      `What do you mean by "${hint.text}"?`,
      near.map((item) => ({ value: item.entity, label: item.entity.name })),
    );
    if (primaryDates(entity).length === 0) throw new Refuse([hint.text], `${entity.many} have no date.`);
    const date = this.primaryDate(entity);
    checkWay(date, this.base!, this.draft, this.context.lexicon.graph, hint.text);
    return date;
  }

  /** The date of the noun right before a time, where it is of another entity with a date. */
  protected dateOfNoun(noun: Mention): Dimension | undefined {
    const near = best(noun.meanings.filter((meaning) => meaning.kind === 'entity')).filter(
      ({ entity }) =>
        entity !== this.base && this.distance(this.base!, entity) !== undefined && eventDates(entity).length > 0,
    );
    return near.length > 0 ? this.hinted({ ...noun, meanings: near }) : undefined;
  }

  /** "invoices of admissions in 2024": billed then, or admitted then. */
  protected eitherDate(named: Dimension, time: TimeMention): Dimension {
    const own = primaryDates(this.base!);
    if (named.entity === this.base || own.length === 0) return named;
    return choose(
      this.context.chosen,
      `either:${time.text.toLowerCase()}`,
      `Which date is "${time.text}" about?`,
      [...own.map((dimension) => ({ entity: this.base!, dimension })), named].map((value) => ({
        value,
        label: `${spoken(value.dimension.name)} of ${value.entity.many}`,
      })),
    );
  }

  /** A period of a year that is a number: whole years only. */
  protected yearRange(dimension: string, range: DayRange, text: string): void {
    const year = (day: string | undefined): number | undefined => {
      if (day === undefined) return undefined;
      if (!day.endsWith('-01-01')) throw new Refuse([text], `${spoken(dimension.split('.').at(-1)!)} is a year only.`);
      return Number(day.slice(0, 4));
    };
    const from = year(range.from);
    const to = year(range.to);
    if (from !== undefined && to === from + 1) {
      this.plan.filters.push({ dimension, operator: 'equals', values: [from] });
      return;
    }
    if (from !== undefined) this.plan.filters.push({ dimension, operator: 'greater_or_equal', values: [from] });
    if (to !== undefined) this.plan.filters.push({ dimension, operator: 'less_than', values: [to] });
  }

  protected range(time: TimeMention): DayRange {
    if (time.phrase.kind === 'range') return time.phrase.range;
    if (time.phrase.kind === 'relative') throw new Refuse([time.text]);
    return choose(
      this.context.chosen,
      `time:${time.text.toLowerCase()}`,
      `Which period do you mean by "${time.text}"?`,
      time.phrase.options.map((range) => ({ value: range, label: rangeText(range) })),
    );
  }

  protected extraTime(time: TimeMention): void {
    const date = this.dateOf(time);
    const dimension = full(date);
    if (isYear(date.dimension)) {
      this.yearRange(dimension, this.range(time), time.text);
      return;
    }
    const { from, to } = this.range(time);
    if (from !== undefined) this.plan.filters.push({ dimension, operator: 'greater_or_equal', values: [from] });
    if (to !== undefined) this.plan.filters.push({ dimension, operator: 'less_than', values: [to] });
  }

  /** Rows with an amount of their own are ranked by it: "the 5 largest orders". */
  protected ranksRows(head: Mention): boolean {
    if (!isEntity(head)) return false;
    return Array.isArray(this.draft.rank?.of) || amountsOf(this.headEntity(head)).length === 1;
  }

  /** The figure that decides "largest", "most expensive" and the like. */
  protected rankedBy(words: readonly string[] | undefined): Dimension {
    const base = this.base!;
    const fitting = words ? numbersCalled(base, words) : amountsOf(base);
    if (fitting.length === 0) throw new Refuse([], `I cannot tell by what to rank ${base.many}.`);
    const dimension = choose(
      this.context.chosen,
      `rank:${base.name}`,
      `By what should ${base.many} be ranked?`,
      fitting.map((item) => ({ value: item, label: spoken(item.name) })),
    );
    return { entity: base, dimension };
  }

  /** "visits with a duration over 30": a number of each row of the head, not a figure over several. */
  protected isOfRow(mention: Mention, said: boolean | undefined): boolean {
    const head =
      this.draft.head?.meanings.flatMap((meaning) => (meaning.kind === 'entity' ? [meaning.entity] : [])) ?? [];
    return mention.meanings.some((meaning) => meaning.kind === 'dimension' && (said || head.includes(meaning.entity)));
  }
}
