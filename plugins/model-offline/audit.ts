/**
 * The last check before a plan is answered: everything the message named must show in the plan. Reading a sentence may
 * go wrong in many ways; leaving out what was said must not be one of them.
 */
import type { QueryPlan } from '../semantic-query/index.ts';
import type { Condition, Draft, Mention } from './draft.ts';
import { isPersonal } from './entity-traits.ts';
import { type Evidence, evidenceOf } from './evidence.ts';
import { isTime, type Lexicon, type Meaning } from './lexicon.ts';
import type { Item } from './link.ts';
import { isNamed } from './mentions.ts';
import type { ReadTerm } from './terms.ts';
import { eventDates } from './time-dimension.ts';

export interface Audited {
  readonly items: readonly Item[];
  readonly draft: Draft;
  readonly plan: QueryPlan;
  readonly lexicon: Lexicon;
  readonly readTerm: ReadTerm;
  readonly chosen: ReadonlyMap<string, number>;
  /** The message goes on from the question before. */
  readonly continues: boolean;
}

/** Texts of the items that the plan does not show. */
export function unrepresented(audited: Audited): string[] {
  return new Audit(audited).run();
}

const first = (item: Item | undefined): string => item?.tokens[0]?.word ?? '';
/** After these a noun may only repeat whose rows they are: "orders of customers", "orders did customers place". */
const WHOSE = new Set(['of', 'from', 'for', 'did', 'do', 'does', 'our', 'have']);
const CLAUSE = new Set(['which', 'that', 'whose', 'with', 'without', 'when']);

class Audit {
  readonly #items: readonly Item[];
  readonly #plan: QueryPlan;
  readonly #shown: Evidence;
  readonly #audited: Audited;

  constructor(audited: Audited) {
    this.#audited = audited;
    this.#items = audited.items;
    this.#plan = audited.plan;
    this.#shown = evidenceOf(audited.plan, audited.lexicon);
  }

  run(): string[] {
    const missing = this.#items.filter((item) => !this.#isShown(item)).map((item) => item.text);
    return missing;
  }

  #isShown(item: Item): boolean {
    switch (item.kind) {
      case 'names':
        return this.#isNamed(item);
      case 'quoted':
        return item.meanings.length === 0 || this.#isNamed(item);
      case 'number':
        return this.#shown.numbers.has(item.number!) || this.#shownAsText(item) || this.#isBoundOfOne(item);
      case 'time':
        return this.#isPeriod(item);
      case 'operator':
        return this.#isApplied(item);
      default:
        return true;
    }
  }

  #shownAsText = (item: Item): boolean => [...this.#shown.values].some((value) => value.endsWith(`=${item.number}`));

  /** "at least one order" is an order that there is. */
  #isBoundOfOne(item: Item): boolean {
    return (item.number === 1 || item.number === 0) && (this.#shown.comparisons.has('null') || this.#shown.isNegative);
  }

  #isNamed(item: Item): boolean {
    if (item.meanings.some((meaning) => this.#means(meaning))) return true;
    const before = this.#before(item);
    const isDate = before?.meanings.some((meaning) => meaning.kind === 'dimension' && isTime(meaning.dimension));
    if (item.rooted && item.meanings.some((meaning) => meaning.kind === 'entity' && this.#joins(meaning.entity.name)))
      return true;
    if (before && (before.rooted || isDate) && this.#isObject(item, before)) return true;
    return (
      item.meanings.some((meaning) => meaning.kind === 'entity') &&
      WHOSE.has(first(before)) &&
      !this.#isConditioned(item) &&
      !this.#isDated(item, before!) &&
      item.index > 0
    );
  }

  /** "patients visited Northgate": the visits stand between what is shown. */
  #joins(name: string): boolean {
    const { graph } = this.#audited.lexicon;
    const reached = [...this.#shown.entities].filter((other) => graph.distance(name, other) !== undefined);
    return reached.length > 1;
  }

  /** "never borrowed a book": every loan is of one. */
  #isObject(item: Item, verb: Item): boolean {
    const { graph } = this.#audited.lexicon;
    const of = (one: Item): string[] =>
      one.meanings.flatMap((meaning) =>
        meaning.kind === 'entity' || (meaning.kind === 'dimension' && isTime(meaning.dimension))
          ? [meaning.entity.name]
          : [],
      );
    return (
      !this.#isConditioned(item) &&
      of(verb).some(
        (from) => this.#shown.entities.has(from) && of(item).some((to) => graph.distance(from, to) !== undefined),
      )
    );
  }

  /** What is said right after the noun is said of it: "visits of doctors in York". */
  #isConditioned(item: Item): boolean {
    for (const next of this.#items.slice(item.index + 1)) {
      if (next.kind === 'filler') continue;
      return (
        (isNamed(next) && next.meanings.some((meaning) => meaning.kind === 'value' || meaning.kind === 'term')) ||
        CLAUSE.has(next.operator?.op ?? '')
      );
    }
    return false;
  }

  /** "month of admission", "of admissions in 2024": the time is of the noun, unless the user chose otherwise. */
  #isDated(item: Item, before: Item): boolean {
    if (this.#items[before.index - 1]?.operator?.op === 'grain') return true;
    const next = this.#items.slice(item.index + 1).find((other) => other.kind !== 'filler');
    const time = [before, next].find((other) => other?.kind === 'time');
    const hasDate = item.meanings.some((meaning) => meaning.kind === 'entity' && eventDates(meaning.entity).length > 0);
    return time !== undefined && hasDate && !this.#audited.chosen.has(`either:${time.text.toLowerCase()}`);
  }

  #before(item: Item): Item | undefined {
    let at = item.index - 1;
    while (['the', 'a', 'an', 'all', 'each'].includes(first(this.#items[at])) || this.#isValue(this.#items[at])) at--;
    return this.#items[at];
  }

  #isValue = (item: Item | undefined): boolean =>
    item?.kind === 'names' && item.meanings.some((meaning) => meaning.kind === 'value');

  #means(meaning: Meaning): boolean {
    const { entities, dimensions, measures, segments, values } = this.#shown;
    switch (meaning.kind) {
      case 'entity':
        return entities.has(meaning.entity.name);
      case 'dimension':
        return (
          dimensions.has(`${meaning.entity.name}.${meaning.dimension.name}`) ||
          this.#isMeasured(meaning) ||
          this.#isVerb(meaning)
        );
      case 'measure':
        return measures.has(meaning.name) || dimensions.has(`${meaning.entity.name}.${meaning.measure?.sql}`);
      case 'segment':
        return segments.has(`${meaning.entity.name}.${meaning.segment.name}`);
      case 'value':
        return values.has(`${meaning.entity.name}.${meaning.dimension.name}=${meaning.value}`);
      case 'term':
        return this.#isTerm(meaning);
    }
  }

  /** "average fee": a measure made of the dimension. */
  #isMeasured(meaning: Meaning & { kind: 'dimension' }): boolean {
    const names = [meaning.dimension.name, meaning.dimension.sql];
    return [...this.#shown.measures].some((name) => {
      const found = this.#audited.lexicon.measures.get(name);
      const sql = found?.measure?.sql;
      return (
        found?.entity === meaning.entity && sql !== undefined && names.some((own) => sql === own || sql === `{${own}}`)
      );
    });
  }

  /** "customers who placed an order": the date says that it happened, as the noun does. */
  #isVerb = (meaning: Meaning & { kind: 'dimension' }): boolean =>
    isTime(meaning.dimension) && this.#shown.days.size === 0 && this.#shown.entities.has(meaning.entity.name);

  #isTerm(meaning: Meaning & { kind: 'term' }): boolean {
    const reading = this.#audited.readTerm(meaning.term, this.#audited.chosen);
    if (reading.role === 'dimension') return this.#means(reading.meaning);
    if (reading.role === 'measure')
      return 'name' in reading ? this.#shown.measures.has(reading.name) : this.#mentions(reading.want.mention);
    return 'segment' in reading
      ? this.#shown.segments.has(reading.segment)
      : reading.conditions.every((condition) => this.#holds(condition));
  }

  #mentions = (mention: Mention): boolean =>
    mention.meanings.length === 0 || mention.meanings.some((meaning) => this.#means(meaning));

  #holds(condition: Condition): boolean {
    if (condition.type === 'time') return this.#shown.days.size > 0;
    return condition.mention === undefined || this.#mentions(condition.mention);
  }

  #isPeriod(item: Item): boolean {
    const phrase = item.time!;
    if (phrase.kind === 'relative') return this.#plan.comparison !== undefined;
    const options = phrase.kind === 'range' ? [phrase.range] : phrase.options;
    return options.some(({ from, to }) =>
      [from, to].some((end) => end !== undefined && [...this.#shown.days].some((day) => day.startsWith(end))),
    );
  }

  #isApplied(item: Item): boolean {
    const operator = item.operator!;
    const { comparisons, isNegative } = this.#shown;
    const plan = this.#plan;
    const aggregates = [
      ...(plan.adhocMeasures ?? []).map((one) => one.type as string),
      ...(plan.measures ?? []).map((name) => this.#audited.lexicon.measures.get(name)?.measure?.type ?? 'metric'),
      ...(plan.over ? [plan.over.aggregate as string] : []),
    ];
    const named = item.meanings.some((meaning) => this.#means(meaning));
    if (named) return true;
    if (first(item) === 'who' && this.#isOpening(item) && !this.#audited.continues && !this.#namesSomeone())
      return false;
    switch (operator.op) {
      case 'not':
      case 'without':
        return isNegative || this.#isFlipped();
      case 'comparator':
        if (this.#isFlipped()) return comparisons.size > 0;
        if (operator.comparator.startsWith('greater'))
          return comparisons.has('greater') || comparisons.has('null') || plan.timeRange !== undefined;
        if (operator.comparator.startsWith('less'))
          return comparisons.has('less') || isNegative || plan.timeRange !== undefined;
        return comparisons.has('equal');
      case 'between':
        return first(item) === 'from' || comparisons.has('greater') || this.#shown.days.size > 0;
      case 'rank':
        return (
          (plan.orderBy ?? []).length > 0 ||
          plan.over !== undefined ||
          aggregates.includes('min') ||
          aggregates.includes('max')
        );
      case 'sort':
      case 'direction':
        return (plan.orderBy ?? []).length > 0;
      case 'aggregate':
        return (
          operator.fn === 'count' ||
          operator.fn === 'sum' ||
          operator.fn === 'count_distinct' ||
          aggregates.includes(operator.fn) ||
          aggregates.includes('metric') ||
          this.#comparedBy(operator.fn)
        );
      case 'share':
        return plan.share === true || plan.portion !== undefined || aggregates.includes('metric');
      case 'change':
      case 'change-by':
        return plan.comparison !== undefined;
      case 'versus':
        return plan.comparison !== undefined || this.#shown.isEither || (plan.dimensions ?? []).length > 0;
      case 'grain':
        return (
          operator.grouping !== true ||
          (plan.dimensions ?? []).some((one) => one.grain === operator.grain || one.grain === undefined)
        );
      case 'null':
        return comparisons.has('null');
      case 'or':
        return this.#shown.isEither || isNegative;
      case 'group':
      case 'each':
        return (plan.dimensions ?? []).length > 0 || plan.over !== undefined || (plan.measures ?? []).length > 0;
      case 'same':
      case 'instead':
        return this.#audited.continues;
      case 'only':
        return item.index === 0 || this.#audited.continues || !this.#isOfSeveral();
      default:
        return true;
    }
  }

  /** The question begins with it: "who", not "customers who". */
  #isOpening = (item: Item): boolean => this.#items.slice(0, item.index).every((other) => other.kind === 'filler');

  /** "doctors with an average fee over 100": the figure is in a condition. */
  #comparedBy(fn: string): boolean {
    const filtered = [
      ...(this.#plan.measureFilters ?? []).map((one) => one.measure),
      ...(this.#plan.related ?? []).flatMap((one) => (one.measure ? [one.measure] : [])),
    ];
    return filtered.some((name) => this.#audited.lexicon.measures.get(name)?.measure?.type === fn);
  }

  /** A negation turns a comparison round: "not above 5". */
  #isFlipped = (): boolean =>
    this.#items.some((item) => item.operator?.op === 'not' || item.operator?.op === 'without') &&
    this.#shown.comparisons.size > 0 &&
    this.#items.some((item) => item.operator?.op === 'comparator');

  /** A condition on related rows, of which a row may have several: "only" would be said of all of them. */
  #isOfSeveral(): boolean {
    const { lexicon } = this.#audited;
    const base = this.#plan.entity ?? this.#plan.measures?.[0]?.split('.')[0];
    return (this.#plan.filters ?? []).some((filter) => {
      const owner = filter.dimension.slice(0, filter.dimension.lastIndexOf('.'));
      return base !== undefined && lexicon.graph.distance(base, owner) === undefined;
    });
  }

  /** "who" is answered by people with a name, not by a figure alone. */
  #namesSomeone(): boolean {
    const { entities } = this.#audited.lexicon;
    const person = (name: string): boolean => {
      const entity = entities.get(name);
      return entity !== undefined && isPersonal(entity);
    };
    const { entity } = this.#plan;
    if (entity !== undefined)
      return person(entity) || ((this.#plan.orderBy ?? []).length > 0 && entities.get(entity)?.model.type !== 'fact');
    return (this.#plan.dimensions ?? []).some(
      (one) => one.identity === true && person(one.dimension.slice(0, one.dimension.lastIndexOf('.'))),
    );
  }
}
