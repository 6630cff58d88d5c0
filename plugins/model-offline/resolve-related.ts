/** Conditions on what is related to a row. */
import type { ModelDimension } from '../semantic-layer/index.ts';
import { best, uniqueBy } from './choosing.ts';
import { isExistence, withoutOwner } from './condition-rules.ts';
import type { Condition, Related } from './draft.ts';
import type { Closeness, EntityEntry, Meaning } from './lexicon.ts';
import { choose, Refuse } from './outcome.ts';
import { AmountResolver } from './resolve-amounts.ts';

export abstract class RelatedResolver extends AmountResolver {
  /** A plan of its own for some of the conditions. */
  protected abstract scope(): RelatedResolver;

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
    const joined = condition.conditions.findIndex(
      (item) => item.type === 'is' && item.and !== undefined && !item.negated,
    );
    if (joined > 0 && isExistence(condition) && this.distance(base, entity) === undefined) {
      // "patients with emergency and vaccination visits": some of each.
      const run = condition.conditions.filter(
        (item, i) => i === joined - 1 || (item.type === 'is' && item.and !== undefined),
      );
      const others = condition.conditions.filter((item) => !run.includes(item));
      for (const one of run) {
        const { and: _, ...alone } = one as Extract<Condition, { type: 'is' }>;
        this.relatedRows({ ...condition, apart: true, conditions: [...others, alone] });
      }
      return;
    }
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
    if (isExistence(condition) && !condition.apart) {
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
    const scope = this.scope();
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
