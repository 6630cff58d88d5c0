/** Conditions on rows and on what is related to them. */
import type { ModelDimension } from '../semantic-layer/model.ts';
import { best, nearest, uniqueBy } from './choosing.ts';
import { flip, isExistence, knownValue, labelOfWay, sameDimensionValues, withoutOwner } from './condition-rules.ts';
import type { Condition, Mention, Related } from './draft.ts';
import { amountsOf, labelOf, numbersOf } from './entity-traits.ts';
import { type Closeness, type EntityEntry, identity, isTime, type Meaning, type MeaningOf } from './lexicon.ts';
import { choose, Refuse } from './outcome.ts';
import { FigureResolver } from './resolve-figures.ts';
import { type Dimension, full, spoken } from './resolver-base.ts';
import { primaryDates } from './time-dimension.ts';
import { nameWords, stem } from './words.ts';

export class ConditionResolver extends FigureResolver {
  protected checkOr(conditions: readonly Condition[]): void {
    for (let i = 0; i < conditions.length; i++) {
      const condition = conditions[i]!;
      if (condition.type === 'related') this.checkOr(condition.conditions);
      if (!condition.or) continue;
      const before = conditions[i - 1];
      const here =
        condition.type === 'is'
          ? this.valueDimensions(condition.mention)
          : condition.type === 'equals'
            ? [this.equalsName(condition.mention)]
            : [];
      const there =
        before?.type === 'is'
          ? this.valueDimensions(before.mention)
          : before?.type === 'equals'
            ? [this.equalsName(before.mention)]
            : [];
      if (!here.some((name) => there.includes(name)))
        throw new Refuse(['or'], 'I can only combine values of the same kind with "or".');
    }
  }

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

  protected condition(condition: Condition): void {
    switch (condition.type) {
      case 'is':
        this.is(condition.mention, condition.negated, condition.apart);
        return;
      case 'equals':
        this.equals(condition);
        return;
      case 'compare':
        this.compare(condition);
        return;
      case 'null':
        this.null(condition);
        return;
      case 'time':
        this.extraTime(condition.time);
        return;
      case 'related':
        this.relatedRows(condition);
        return;
    }
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
    if (candidates.length === 0)
      throw new Refuse([mention.text], `I cannot relate "${mention.text}" to the rest of the question.`);
    const way = choose(
      this.context.chosen,
      `value:${mention.text.toLowerCase()}`,
      `What do you mean by "${mention.text}"?`,
      uniqueBy(candidates, identity).map((item) => ({ value: item, label: labelOfWay(item) })),
    );
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

  protected compare(condition: Extract<Condition, { type: 'compare' }>): void {
    const { mention, comparator, value } = condition;
    if (mention === undefined) {
      const { unit } = condition;
      const amounts =
        unit === undefined
          ? amountsOf(this.base!)
          : numbersOf(this.base!).filter((item) =>
              nameWords(`${item.name} ${item.description ?? ''}`)
                .map(stem)
                .includes(unit),
            );
      if (amounts.length === 0) throw new Refuse([unit === undefined ? condition.text : `${condition.text} ${unit}`]);
      const dimension = choose(
        this.context.chosen,
        `amount:${this.base!.name}`,
        `Which figure of ${this.base!.many} is meant with ${condition.text}?`,
        amounts.map((item) => ({ value: item, label: spoken(item.name) })),
      );
      this.filter({ dimension: `${this.base!.name}.${dimension.name}`, operator: comparator, values: [value] });
      return;
    }
    const dimensions = this.dimensionCandidates(mention).filter((item) => item.dimension.type === 'number');
    const measures = mention.meanings.filter((meaning) => meaning.kind === 'measure');
    const grouped =
      (this.plan.dimensions ?? []).length > 0 && (this.plan.measures ?? this.plan.adhocMeasures) !== undefined;
    const isFigure =
      measures.length > 0 &&
      (dimensions.length === 0 ||
        (grouped &&
          !this.isOfRow(mention, condition.ofRow) &&
          best(mention.meanings).some((meaning) => meaning.kind === 'measure')));
    if (isFigure) {
      const figure = this.figure({ mention: { ...mention, meanings: measures } });
      if (grouped) {
        this.plan.measureFilters = [
          ...(this.plan.measureFilters ?? []),
          { measure: figure.name!, operator: comparator, value },
        ];
        return;
      }
      this.plan.related = [
        ...(this.plan.related ?? []),
        { of: this.base!.name, entity: figure.entity.name, measure: figure.name!, operator: comparator, value },
      ];
      return;
    }
    if (dimensions.length === 0) throw new Refuse([mention.text], `"${mention.text}" is not a number.`);
    const item = choose(
      this.context.chosen,
      `dimension:${mention.text.toLowerCase()}`,
      `Which "${mention.text}" do you mean?`,
      dimensions.map((d) => ({ value: d, label: `${spoken(d.dimension.name)} of ${d.entity.many}` })),
    );
    this.filter({ dimension: full(item), operator: comparator, values: [value] });
  }

  protected null(condition: Extract<Condition, { type: 'null' }>): void {
    const item = this.dimension(condition.mention);
    const isZero = condition.orZero && item.dimension.type === 'number' && !(item.dimension.null_count ?? 0);
    const name = spoken(item.dimension.name);
    const way = isZero
      ? choose(this.context.chosen, `zero:${full(item)}`, `What do you mean by no ${name}?`, [
          { value: 'missing', label: `${name} is missing` },
          { value: 'zero', label: `${name} is 0` },
        ])
      : 'missing';
    if (way === 'zero') {
      this.filter({ dimension: full(item), operator: 'equals', values: [0] });
      return;
    }
    const primary = primaryDates(this.base!);
    // "orders placed in Berlin": every row has its own first date.
    if (
      isTime(item.dimension) &&
      condition.negated &&
      item.entity === this.base &&
      primary.length === 1 &&
      primary[0] === item.dimension
    )
      return;
    if (isTime(item.dimension) && condition.negated && item.entity === this.base)
      this.events.push({ ...item, isCertain: true });
    this.filter({ dimension: full(item), operator: condition.negated ? 'is_not_null' : 'is_null' });
  }

  /** A condition that only says that a date is there is about that date: "churned accounts in 2025". */
  protected eventOf(entity: EntityEntry, sql: string | undefined): void {
    const name = /^\s*\{?(\w+)\}?\s+is\s+not\s+null\s*$/i.exec(sql ?? '')?.[1];
    const dimension = entity.dimensions.find((item) => isTime(item) && (item.name === name || item.sql === name));
    if (dimension && entity === this.base) this.events.push({ entity, dimension, isCertain: true });
  }

  protected portion(portion: readonly Condition[]): void {
    this.checkOr(portion);
    const scope = new ConditionResolver({ ...this.draft, wants: [], conditions: [], groups: [] }, this.context);
    scope.base = this.base;
    for (const condition of portion) {
      if (condition.type === 'time') this.condition(condition);
      else scope.condition(condition);
    }
    const { filters, segments, excludedSegments, related, without } = scope.plan;
    if (without) throw new Refuse(['without']);
    this.plan.portion = {
      ...(filters.length > 0 && { filters }),
      ...(segments.length > 0 && { segments }),
      ...(excludedSegments.length > 0 && { excludedSegments }),
      ...(related && { related }),
    };
  }

  /** Entities that conditions on related rows are about. */
  protected readonly relatedEntities: EntityEntry[] = [];

  protected qualifiers(): void {
    for (const mention of this.draft.qualifiers) {
      const entities = mention.meanings.filter((meaning) => meaning.kind === 'entity');
      const from = [this.base!, ...this.relatedEntities];
      if (!entities.some((meaning) => from.some((entity) => this.distance(entity, meaning.entity) !== undefined)))
        throw new Refuse([mention.text]);
    }
  }

  protected relatedRows(condition: Related): void {
    const named = condition.mention.meanings.flatMap(
      (meaning): { entity: EntityEntry; kind: Meaning['kind']; rank: Closeness; dimension?: ModelDimension }[] => {
        if (meaning.kind !== 'term') return meaning.kind === 'measure' || meaning.kind === 'value' ? [] : [meaning];
        const reading = this.context.readTerm(meaning.term, this.context.chosen);
        return reading.role === 'condition' ? [{ entity: reading.entity, kind: 'term', rank: 3 }] : [];
      },
    );
    const base = this.base!;
    const entity = choose(
      this.context.chosen,
      `entity:${condition.mention.text}`,
      `What do you mean by "${condition.mention.text}"?`,
      uniqueBy(best(named), (item) => item.entity.name).map((item) => ({
        value: item.entity,
        label: item.entity.name,
      })),
    );
    const owner = this.owner(condition);
    if (owner !== base) {
      this.inner(withoutOwner(condition), owner);
      return;
    }
    this.relatedEntities.push(entity);
    const absent = condition.comparator === 'equals' && condition.value === 0;
    if (entity === base && absent && condition.conditions.length === 0 && named[0]?.kind === 'dimension') {
      this.filter({ dimension: `${entity.name}.${named[0].dimension!.name}`, operator: 'is_null' });
      return;
    }
    if (
      entity === base &&
      (this.plan.dimensions ?? []).length > 0 &&
      this.plan.measures?.includes(`${entity.name}.count`) &&
      !isExistence(condition)
    ) {
      this.numeric(condition, entity);
      return;
    }
    if (entity === base) {
      if (!absent && isExistence(condition)) for (const inner of condition.conditions) this.condition(inner);
      else if (this.draft.wants.length === 0) this.numeric(condition, entity);
      else throw new Refuse([condition.mention.text]);
      return;
    }
    if (!this.related(base, entity))
      throw new Refuse([condition.mention.text], `I cannot relate ${entity.many} to ${base.many}.`);
    const toMany = this.distance(base, entity) === undefined;
    if (absent) {
      if (this.distance(entity, base) !== undefined) {
        this.numeric(condition, entity);
        return;
      }
      const key = entity.dimensions.find((dimension) => dimension.primary_key === true);
      if (!toMany && key && condition.conditions.length === 0) {
        this.filter({ dimension: `${entity.name}.${key.name}`, operator: 'is_null' });
        return;
      }
      if (!toMany || this.plan.without !== undefined) throw new Refuse([condition.mention.text]);
      if (this.plan.filters.some((filter) => filter.dimension.startsWith(`${entity.name}.`)))
        throw new Refuse([condition.mention.text]);
      this.plan.without = [entity.name];
      for (const inner of condition.conditions) this.inner(inner, entity);
      return;
    }
    if (isExistence(condition)) {
      if (condition.conditions.length === 0 && toMany) {
        const key = entity.dimensions.find((dimension) => dimension.primary_key === true) ?? entity.dimensions[0];
        if (!key) throw new Refuse([condition.mention.text]);
        this.filter({ dimension: `${entity.name}.${key.name}`, operator: 'is_not_null' });
      }
      for (const inner of condition.conditions) this.inner(inner, entity);
      return;
    }
    this.numeric(condition, entity);
  }

  /** The entity whose related rows are meant: the head's, or the one named last. */
  protected owner(condition: Related): EntityEntry {
    const named = best((condition.of?.meanings ?? []).filter((meaning) => meaning.kind === 'entity')).map(
      (meaning) => meaning.entity,
    );
    const [owner] = named.filter((entity) => this.distance(this.base!, entity) !== undefined);
    return owner ?? this.base!;
  }

  /** What is said after related rows but is about the row itself: "customers without orders in Germany". */
  protected isAboutBase(condition: Condition, entity: EntityEntry): boolean {
    if (condition.type === 'time' || condition.type === 'related') return false;
    const meanings = condition.mention?.meanings ?? [];
    const owners = meanings.flatMap((meaning) =>
      meaning.kind === 'term' || meaning.kind === 'measure' ? [] : [meaning.entity],
    );
    return (
      owners.length > 0 &&
      !owners.includes(entity) &&
      owners.some((owner) => this.distance(this.base!, owner) !== undefined)
    );
  }

  /** "more than 5 orders": over groups a condition on their count, else a condition on each row's related rows. */
  protected numeric(related: Related, entity: EntityEntry): void {
    const outer = related.conditions.filter((inner) => this.isAboutBase(inner, entity));
    for (const item of outer) this.condition(item);
    const condition = { ...related, conditions: related.conditions.filter((inner) => !outer.includes(inner)) };
    const count = `${entity.name}.count`;
    if ((this.plan.dimensions ?? []).length > 0 && this.plan.measures?.includes(count)) {
      for (const inner of condition.conditions) this.inner(inner, entity);
      this.plan.measureFilters = [
        ...(this.plan.measureFilters ?? []),
        { measure: count, operator: condition.comparator, value: condition.value },
      ];
      return;
    }
    if (this.distance(entity, this.base!) === undefined)
      throw new Refuse([related.mention.text], `I cannot count ${entity.many} for each of the ${this.base!.many}.`);
    const scope = new ConditionResolver({ ...this.draft, wants: [], conditions: [], groups: [] }, this.context);
    scope.base = entity;
    for (const inner of condition.conditions) scope.inner(inner, entity);
    const { filters, segments, excludedSegments } = scope.plan;
    this.plan.related = [
      ...(this.plan.related ?? []),
      {
        of: this.base!.name,
        entity: entity.name,
        operator: condition.comparator,
        value: condition.value,
        ...(filters.length > 0 && { filters }),
        ...(segments.length > 0 && { segments }),
        ...(excludedSegments.length > 0 && { excludedSegments }),
      },
    ];
  }

  /** A condition said of related rows: read from their side. */
  protected inner(condition: Condition, entity: EntityEntry): void {
    const outer = this.base;
    this.base = entity;
    try {
      this.condition(condition);
    } finally {
      this.base = outer;
    }
  }
}
