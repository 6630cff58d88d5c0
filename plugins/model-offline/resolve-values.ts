import { nearest, uniqueBy } from './choosing.ts';
import { flip, knownValue, labelOfWay, sameDimensionValues } from './condition-rules.ts';
import type { Condition, Mention } from './draft.ts';
import { labelOf } from './entity-traits.ts';
import { type EntityEntry, identity, isTime, type Meaning, type MeaningOf } from './lexicon.ts';
import { choose, Refuse } from './outcome.ts';
import { checkWay, meant } from './places.ts';
import { WantResolver } from './resolve-wants.ts';
import { type Dimension, full, spoken } from './resolver-base.ts';

export abstract class ValueResolver extends WantResolver {
  /** Places any condition. */
  protected abstract condition(condition: Condition): void;

  protected equalsName(mention: Mention): string {
    return mention.meanings.some((meaning) => meaning.kind === 'dimension')
      ? full(this.dimension({ ...mention, meanings: mention.meanings.filter((m) => m.kind === 'dimension') }))
      : mention.text;
  }

  protected valueDimensions(mention: Mention): string[] {
    return mention.meanings.flatMap((meaning) =>
      meaning.kind === 'value' && this.related(this.base, meaning.entity)
        ? [`${meaning.entity.name}.${meaning.dimension.name}`]
        : [],
    );
  }

  /** A value, term, segment or yes/no dimension. */
  protected is(mention: Mention, negated: boolean, apart = false): void {
    const term = mention.meanings.find((meaning) => meaning.kind === 'term');
    if (term) {
      this.termCondition(term, negated);
      return;
    }
    const base = this.base!;
    const isEvent = (meaning: Meaning): boolean =>
      !negated && meaning.kind === 'dimension' && isTime(meaning.dimension) && mention.meanings.length > 1;
    const ways = mention.meanings.filter(
      (meaning) =>
        (meaning.kind === 'value' || meaning.kind === 'segment' || meaning.kind === 'dimension') && !isEvent(meaning),
    ) as (MeaningOf<'value'> | MeaningOf<'segment'> | MeaningOf<'dimension'>)[];
    for (const meaning of mention.meanings)
      if (meaning.kind === 'dimension' && isEvent(meaning) && meaning.entity === base)
        this.events.push({ entity: base, dimension: meaning.dimension, isCertain: false });
    let candidates = nearest(
      ways,
      (meaning) => this.distance(base, meaning.entity),
      (meaning) => this.related(base, meaning.entity),
    );
    // Different attributes that hold the same value are different questions; the same attribute is taken nearest.
    const names = new Set(
      ways
        .filter((item) => this.related(base, item.entity))
        .map((item) => (item.kind === 'segment' ? '' : item.dimension.name)),
    );
    if (names.size > 1) candidates = ways.filter((item) => this.related(base, item.entity));
    else {
      const direct = ways.filter((item) => item.kind !== 'dimension' || !isTime(item.dimension));
      candidates = meant(direct, base, this.draft, this.context.lexicon.graph) ?? candidates;
    }
    if (candidates.length === 0)
      throw new Refuse([mention.text], `I cannot relate "${mention.text}" to the rest of the question.`);
    const way = choose(
      this.context.chosen,
      `value:${mention.text.toLowerCase()}`,
      `What do you mean by "${mention.text}"?`,
      uniqueBy(candidates, identity).map((item) => ({ value: item, label: labelOfWay(item) })),
    );
    checkWay(way, base, this.draft, this.context.lexicon.graph, mention.text);
    if (negated && this.distance(base, way.entity) === undefined) {
      this.none(way);
      return;
    }
    const name = way.kind === 'value' ? `${way.entity.name}.${way.dimension.name}` : '';
    // Two values side by side are not one or the other.
    if (
      apart &&
      way.kind === 'value' &&
      this.plan.filters.some(
        (item) => item.dimension === name && /^(equals|in)$/.test(item.operator) && !item.values?.includes(way.value),
      )
    )
      throw new Refuse(
        [mention.text],
        `I cannot tell how "${mention.text}" goes with the other ${spoken(way.dimension.name)}.`,
      );
    if (way.kind === 'value') {
      this.filter({
        dimension: `${way.entity.name}.${way.dimension.name}`,
        operator: negated ? 'not_equals' : 'equals',
        values: [way.value],
      });
    } else if (way.kind === 'dimension' && isTime(way.dimension))
      this.filter({ dimension: full(way), operator: negated ? 'is_null' : 'is_not_null' });
    else if (way.kind === 'segment')
      (negated ? this.plan.excludedSegments : this.plan.segments).push(`${way.entity.name}.${way.segment.name}`);
    else this.filter({ dimension: `${way.entity.name}.${way.dimension.name}`, operator: 'equals', values: [!negated] });
  }

  /** "orders without a Cookbook": none of the related rows is so. */
  protected none(way: MeaningOf<'value'> | MeaningOf<'segment'> | MeaningOf<'dimension'>): void {
    const base = this.base!;
    if (this.distance(way.entity, base) === undefined)
      throw new Refuse([way.kind === 'value' ? way.value : way.kind], `I cannot exclude by ${way.entity.many} here.`);
    const condition =
      way.kind === 'segment'
        ? { segments: [`${way.entity.name}.${way.segment.name}`] }
        : {
            filters: [
              {
                dimension: `${way.entity.name}.${way.dimension.name}`,
                operator: 'equals' as const,
                values: [way.kind === 'value' ? way.value : true],
              },
            ],
          };
    this.plan.related = [
      ...(this.plan.related ?? []),
      { of: base.name, entity: way.entity.name, operator: 'equals', value: 0, ...condition },
    ];
  }

  protected termCondition(meaning: MeaningOf<'term'>, negated: boolean): void {
    const reading = this.context.readTerm(meaning.term, this.context.chosen);
    if (reading.role !== 'condition')
      throw new Refuse([meaning.term.term], `"${meaning.term.term}" is not something rows can be chosen by.`);
    if (!this.related(this.base, reading.entity))
      throw new Refuse([meaning.term.term], `I cannot relate "${meaning.term.term}" to the rest of the question.`);
    if ('segment' in reading) {
      (negated ? this.plan.excludedSegments : this.plan.segments).push(reading.segment);
      if (!negated) this.eventOf(reading.entity, meaning.term.sql);
      return;
    }
    if (negated && reading.conditions.length > 1 && !sameDimensionValues(reading.conditions))
      throw new Refuse(
        [meaning.term.term],
        `I cannot exclude "${meaning.term.term}", which is several conditions at once.`,
      );
    for (const condition of reading.conditions) this.condition(negated ? flip(condition) : condition);
  }

  protected equals(condition: Extract<Condition, { type: 'equals' }>): void {
    const { mention, negated } = condition;
    const entity = mention.meanings.find((meaning) => meaning.kind === 'entity');
    const dimension =
      entity?.kind === 'entity' && !mention.meanings.some((m) => m.kind === 'dimension')
        ? this.identityOf(entity.entity, condition.value)
        : this.dimension(mention);
    let { value } = condition;
    if (isTime(dimension.dimension) || dimension.dimension.type === 'boolean') throw new Refuse([String(value)]);
    if (dimension.dimension.type === 'number' && typeof value === 'string') {
      if (value.trim() === '' || Number.isNaN(Number(value)))
        throw new Refuse([value], `"${value}" is not a number, which ${spoken(dimension.dimension.name)} is.`);
      value = Number(value);
    }
    if (dimension.dimension.type === 'string') {
      value = knownValue(dimension.dimension, String(value)) ?? String(value);
      const samples = dimension.dimension.sample_values ?? [];
      const complete =
        dimension.dimension.unique_count !== undefined && samples.length >= dimension.dimension.unique_count;
      if (complete && !samples.includes(value))
        throw new Refuse(
          [String(value)],
          `${spoken(dimension.dimension.name)} has no value "${value}"; it has ${samples.join(', ')}.`,
        );
    }
    this.filter({ dimension: full(dimension), operator: negated ? 'not_equals' : 'equals', values: [value] });
  }

  /** What one row of the entity is called by: its number, or its name. */
  protected identityOf(entity: EntityEntry, value: string | number): Dimension {
    const keys = entity.dimensions.filter((dimension) => dimension.primary_key === true);
    const dimension =
      typeof value === 'number'
        ? keys.length === 1
          ? keys[0]
          : undefined
        : labelOf(entity).find((item) => item.primary_key !== true && item.type === 'string');
    if (!dimension) throw new Refuse([String(value)]);
    return { entity, dimension };
  }

  /** A condition that only says that a date is there is about that date: "churned accounts in 2025". */
  protected eventOf(entity: EntityEntry, sql: string | undefined): void {
    const name = /^\s*\{?(\w+)\}?\s+is\s+not\s+null\s*$/i.exec(sql ?? '')?.[1];
    const dimension = entity.dimensions.find((item) => isTime(item) && (item.name === name || item.sql === name));
    if (dimension && entity === this.base) this.events.push({ entity, dimension, isCertain: true });
  }
}
