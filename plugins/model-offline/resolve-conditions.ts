import type { Condition } from './draft.ts';
import { enumerationOf, isNamedTogether, type Way } from './enumeration.ts';
import { Refuse } from './outcome.ts';
import { RelatedResolver } from './resolve-related.ts';

export class ConditionResolver extends RelatedResolver {
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

  /** All conditions; those that are named together decide together whether all or one of them must hold. */
  protected apply(conditions: readonly Condition[]): void {
    for (let i = 0; i < conditions.length; ) {
      const run = [conditions[i]!];
      while (conditions[i + run.length] && isNamedTogether(conditions[i + run.length]!))
        run.push(conditions[i + run.length]!);
      if (run.length > 1) this.enumeration(run);
      else this.condition(run[0]!);
      i += run.length;
    }
  }

  protected enumeration(run: readonly Condition[]): void {
    const isOr = run.some((condition) => condition.or);
    const isNegated = run.some((condition) => 'negated' in condition && condition.negated);
    const all = (): void => {
      for (const condition of run) this.condition(condition);
    };
    if (isNegated) {
      if (isOr) this.checkOr(run);
      all();
      return;
    }
    const ways = run.map((condition) => this.alone(condition));
    const named = enumerationOf(ways, run, this.context.lexicon);
    const entity = this.context.lexicon.entities.get(named.entity ?? '');
    const isOne = entity !== undefined && this.distance(this.base!, entity) !== undefined;
    if (named.isSameDimension && !isOr && !isOne) {
      // "orders with electronics and books": a row of each.
      if (!entity || this.distance(entity, this.base!) === undefined) throw new Refuse(['and']);
      const each = ways.map((way) => ({
        of: this.base!.name,
        entity: entity.name,
        operator: 'greater_than' as const,
        value: 0,
        filters: way!.filters,
      }));
      this.plan.related = [...(this.plan.related ?? []), ...each];
      return;
    }
    if (named.isSameDimension || (!isOr && !named.isUnion)) {
      all();
      return;
    }
    if (!isOne) throw new Refuse([isOr ? 'or' : 'and'], 'I can only combine conditions on the same rows with "or".');
    this.plan.anyOf = [
      ...(this.plan.anyOf ?? []),
      ways.map((way) => ({
        ...(way!.filters.length > 0 && { filters: way!.filters }),
        ...(way!.segments.length > 0 && { segments: way!.segments }),
      })),
    ];
  }

  /** What one condition comes to by itself; `undefined` where that is more than filters and segments. */
  protected alone(condition: Condition): Way | undefined {
    const scope = this.scope();
    scope.base = this.base;
    scope.condition(condition);
    const { filters, segments, ...more } = scope.plan;
    const isPlain =
      more.excludedSegments.length === 0 && !more.related && !more.without && !more.measureFilters && !more.anyOf;
    return isPlain && filters.length + segments.length > 0 ? { filters, segments } : undefined;
  }

  protected condition(condition: Condition): void {
    switch (condition.type) {
      case 'is':
        this.is(condition.mention, condition.negated !== (condition.mention.inverted === true), condition.apart);
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

  protected portion(portion: readonly Condition[]): void {
    this.checkOr(portion);
    const scope = this.scope();
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

  protected scope(): ConditionResolver {
    const scope = new ConditionResolver({ ...this.draft, wants: [], conditions: [], groups: [] }, this.context);
    scope.base = this.base;
    return scope;
  }
}
