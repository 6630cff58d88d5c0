import type { Draft, Mention } from './draft.ts';
import { ageOf, isPersonal } from './entity-traits.ts';
import { isCounted } from './figure-rules.ts';
import type { EntityEntry } from './lexicon.ts';
import { Refuse } from './outcome.ts';
import { NestedResolver } from './resolve-nested.ts';
import { type Dimension, type Figure, full, spoken } from './resolver-base.ts';

export class RankingResolver extends NestedResolver {
  protected ranking(): void {
    const { rank, head } = this.draft;
    if (!rank || this.draft.when) return;
    const grouped = (this.plan.measures ?? this.plan.adhocMeasures) !== undefined;
    if (!grouped) {
      this.rowRanking(rank);
      return;
    }
    const want = this.rankKey();
    const key = want && this.figure(want);
    if (key) {
      const known =
        key.name !== undefined
          ? this.plan.measures?.includes(key.name)
          : this.plan.adhocMeasures?.some((item) => item.name === key.adhoc!.name);
      if (!known) this.addFigure(key);
    }
    const alone =
      this.draft.wants.length === 0 && rank.limit === undefined && !this.draft.head && key?.adhoc !== undefined;
    // "the highest price" alone is the highest value there is.
    if (alone) return;
    if ((this.plan.dimensions ?? []).length === 0) throw new Refuse([], 'I cannot tell what is ranked.');
    const ranked = head ?? this.draft.columns[0];
    if (ranked && !isCounted(this.draft, ranked) && this.draft.groups.length > 0)
      throw new Refuse([], 'I can rank over everything, but not within each group.');
    if (!want && rank.of !== undefined && rank.of !== 'count')
      throw new Refuse([], 'I cannot tell what decides the order.');
    this.checkFewest(rank, key);
    if (!rank.isSorting) this.rankOnlyGroups();
    const by = key?.name ?? key?.adhoc?.name ?? this.plan.measures?.[0] ?? this.plan.adhocMeasures![0]!.name;
    this.plan.orderBy = [{ by, direction: rank.direction }];
    const limit =
      rank.limit ??
      (rank.isSorting
        ? undefined
        : this.asksForOne(head ?? this.draft.columns[0])
          ? 1
          : this.draft.listing && rank.key
            ? undefined
            : 10);
    if (limit !== undefined) this.plan.limit = limit;
  }

  /** Rows without a value for the group are no winner: they are left out, which the filter says. */
  protected rankOnlyGroups(): void {
    for (const { dimension, identity } of this.plan.dimensions ?? []) {
      const at = dimension.lastIndexOf('.');
      const owner = this.context.lexicon.entities.get(dimension.slice(0, at));
      const key = identity === true ? owner?.dimensions.find((item) => item.primary_key === true) : undefined;
      const name = key ? `${dimension.slice(0, at)}.${key.name}` : dimension;
      const isGiven =
        this.plan.timeRange?.dimension === name ||
        this.plan.filters.some(
          (filter) => filter.dimension === name && !/^(not_equals|not_in|is_null)$/.test(filter.operator),
        );
      if (!isGiven) this.filter({ dimension: name, operator: 'is_not_null' });
    }
  }

  /** Rows without any come first of all, and a count over groups does not see them. */
  protected checkFewest(rank: NonNullable<Draft['rank']>, key: Figure | undefined): void {
    const name = key ? key.name : this.plan.measures?.[0];
    const group = this.plan.dimensions?.[0];
    const owner =
      group && this.context.lexicon.entities.get(group.dimension.slice(0, group.dimension.lastIndexOf('.')));
    if (rank.direction === 'desc' || rank.isSorting || group?.identity !== true || owner === this.base || !owner)
      return;
    if (name?.endsWith('.count') || this.context.lexicon.measures.get(name ?? '')?.measure?.type === 'count')
      throw new Refuse(
        [],
        `${owner.many} without any ${this.base!.many} would come first, and I cannot rank them together with the others; ask which ${owner.many} have no ${this.base!.many}, or for the number of ${this.base!.many} by ${owner.one}.`,
      );
  }

  protected byAge(entity: EntityEntry): Dimension {
    const age = ageOf(entity);
    if (age) return { entity, dimension: age.dimension };
    const date = this.primaryDate(entity);
    if (!isPersonal(entity)) return date;
    throw new Refuse(
      [],
      `I do not know the age of ${entity.many}; ask for the first or the last by ${spoken(date.dimension.name)}.`,
    );
  }

  protected asksForOne(head: Mention | undefined): boolean {
    if (head) return !head.plural;
    const group = this.draft.groups.at(-1);
    return group !== undefined && (!('mention' in group) || !group.mention.plural);
  }

  protected rowRanking(rank: NonNullable<Draft['rank']>): void {
    if (rank.isLimit) {
      this.plan.limit = rank.limit!;
      return;
    }
    const base = this.base!;
    const by = rank.key
      ? this.dimension(rank.key.mention)
      : rank.of === 'time'
        ? this.primaryDate(base)
        : rank.of === 'age'
          ? this.byAge(base)
          : this.rankedBy(rank.of === 'count' ? undefined : rank.of);
    const isAge = rank.of === 'age' && !rank.key && ageOf(base)?.isAge === true;
    const direction = isAge ? (rank.direction === 'asc' ? 'desc' : 'asc') : rank.direction;
    this.plan.orderBy = [{ by: full(by), direction }];
    const limit = rank.limit ?? (rank.isSorting ? undefined : this.draft.head?.plural ? 10 : 1);
    if (limit !== undefined) this.plan.limit = limit;
    if (limit !== undefined && !this.plan.filters.some((filter) => filter.dimension === full(by)))
      this.filter({ dimension: full(by), operator: 'is_not_null' });
  }
}
