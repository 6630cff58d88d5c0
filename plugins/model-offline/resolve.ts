/** A draft to a plan: every name gets its one meaning, or the reader asks. */
import type { QueryPlan } from '../semantic-query/index.ts';
import { best } from './choosing.ts';
import type { Draft, Mention } from './draft.ts';
import { hasKey, isBirth, isPersonal, labelOf } from './entity-traits.ts';
import { isEntity } from './figure-rules.ts';
import { type EntityEntry, isTime, isYear, type Meaning } from './lexicon.ts';
import { choose, Refuse } from './outcome.ts';
import { RankingResolver } from './resolve-ranking.ts';
import { type Figure, full, type Mutable, type ResolveContext, spoken } from './resolver-base.ts';

export type { ResolveContext } from './resolver-base.ts';

/** The plan of a draft. Throws `Ask` or `Refuse`. */
export function resolve(draft: Draft, context: ResolveContext): QueryPlan {
  return new Resolver(withHead(draft, context), context).run();
}

/** A condition used as a noun, or standing alone with a group, is of an entity: that is what is asked for. */
function withHead(draft: Draft, context: ResolveContext): Draft {
  if (draft.who && !draft.head && draft.wants.length === 0 && draft.rank?.key) return withSomebody(draft, context);
  if (draft.head || draft.wants.length > 0 || draft.columns.length > 0 || draft.rank?.key) return draft;
  const condition = draft.conditions.find((item) => item.type === 'is');
  const noun =
    draft.noun ??
    (condition?.type === 'is' && (draft.groups.length > 0 || draft.listing) ? condition.mention : undefined);
  const hinted =
    draft.times[0]?.hint ?? draft.groups.flatMap((group) => ('hint' in group && group.hint ? [group.hint] : []))[0];
  if (!noun && hinted && draft.conditions.every((item) => item.type === 'is')) {
    // "signups per month": rows of what the date is of.
    const meanings = hinted.meanings.flatMap((meaning): Meaning[] =>
      meaning.kind === 'dimension' || meaning.kind === 'entity'
        ? [{ kind: 'entity', entity: meaning.entity, rank: 3 }]
        : [],
    );
    return { ...draft, head: { text: hinted.text, plural: true, meanings } };
  }
  if (!noun) return draft;
  const entities = noun.meanings.flatMap((meaning) => {
    if (meaning.kind !== 'term') return meaning.kind === 'measure' ? [] : [meaning.entity];
    const reading = context.readTerm(meaning.term, context.chosen);
    return reading.role === 'condition' ? [reading.entity] : [];
  });
  const meanings = [...new Set(entities)].map((entity): Meaning => ({ kind: 'entity', entity, rank: 3 }));
  return meanings.length > 0 ? { ...draft, head: { text: noun.text, plural: true, meanings } } : draft;
}

/** "who has the most orders", "who has the highest rate": whoever the ranked figure leads to. */
function withSomebody(draft: Draft, context: ResolveContext): Draft {
  const { entities, graph } = context.lexicon;
  const owners = best(draft.rank!.key!.mention.meanings).flatMap((meaning) =>
    meaning.kind === 'term' ? [] : [meaning.entity],
  );
  const isSomebody = (entity: EntityEntry): boolean => entity.model.type !== 'fact' && isPersonal(entity);
  const own = owners.filter(isSomebody);
  // "who has the highest charge": of each row, not of somebody.
  if (own.length === 0 && best(draft.rank!.key!.mention.meanings).every((meaning) => meaning.kind === 'dimension'))
    throw new Refuse(['who']);
  const near = [...entities.values()].filter(
    (entity) => isSomebody(entity) && owners.some((owner) => graph.distance(owner.name, entity.name) === 1),
  );
  const found = [...new Set(own.length > 0 ? own : near)];
  // A number of single rows is of whoever it is of only by way of them.
  const isOfRows =
    own.length === 0 && best(draft.rank!.key!.mention.meanings).every(({ kind }) => kind === 'dimension');
  if (found.length === 0 || isOfRows) throw new Refuse(['who']);
  const entity = choose(
    context.chosen,
    'who',
    'Who is meant?',
    found.map((value) => ({ value, label: value.many })),
  );
  return {
    ...draft,
    listing: true,
    head: { text: entity.one, plural: false, meanings: [{ kind: 'entity', entity, rank: 3 }] },
  };
}

class Resolver extends RankingResolver {
  run(): QueryPlan {
    const { head } = this.draft;
    if (this.draft.countsApart)
      throw new Refuse([], 'I cannot tell which of the counts the conditions belong to; ask for them one at a time.');
    if (this.draft.portionUnclear)
      throw new Refuse(
        [],
        'I cannot tell what the percentage is of; ask "what percentage of … are …", with the part after "are".',
      );
    const wants = this.perGroup(this.wants());
    const figures: Figure[] = [];
    if (wants.length > 0) {
      for (const want of wants) figures.push(this.figure(want));
      this.base = figures[0]!.entity;
    } else if (head) this.base = this.headEntity(head);
    else if (this.draft.columns.length > 0) this.base = this.dimension(this.draft.columns[0]!).entity;
    else throw new Refuse([], 'I could not tell what you want to see.');
    for (const figure of figures) this.addFigure(figure);
    this.groups();
    const conditions = [...this.draft.conditions, ...figures.flatMap((figure) => figure.conditions ?? [])];
    for (const condition of conditions) if (condition.type === 'related') this.checkOr(condition.conditions);
    this.apply(conditions);
    this.datedGroups();
    this.checkBirths();
    if (this.draft.portion) this.portion(this.draft.portion);
    this.qualifiers();
    this.time();
    if (this.draft.isNew) this.new();
    if (figures.length === 0) this.rows();
    this.ranking();
    if (this.draft.share) {
      if ((this.plan.dimensions ?? []).length === 0) throw new Refuse(['share'], 'I cannot tell what the share is of.');
      this.plan.share = true;
    }
    this.overGroups();
    return this.trimmed();
  }

  protected trimmed(): QueryPlan {
    const plan: Mutable<QueryPlan> = { ...this.plan };
    for (const key of Object.keys(plan) as (keyof QueryPlan)[]) {
      const value = plan[key];
      if (value === undefined || (Array.isArray(value) && value.length === 0)) delete plan[key];
    }
    return plan;
  }

  protected groups(): void {
    const dimensions: NonNullable<QueryPlan['dimensions']> = [];
    const { head, rank, wants } = this.draft;
    const asGroup =
      head &&
      (wants.length === 0 || rank !== undefined) &&
      this.plan.measures === undefined &&
      this.plan.adhocMeasures === undefined
        ? undefined
        : head;
    // "top 5 customers by revenue", "which region has the most orders": the head is what is grouped.
    const headGroups = !this.draft.when && asGroup && this.headIsGroup(asGroup) ? this.groupDimensions(asGroup) : [];
    dimensions.push(...headGroups);
    for (const group of this.groupedBy ?? this.draft.groups) {
      if ('mention' in group && this.isOwnGrain(group.mention)) continue;
      if ('mention' in group) dimensions.push(...this.addable(this.groupDimensions(group.mention)));
      else {
        const hint = group.hint ?? this.draft.times[0]?.hint;
        const date = hint ? this.hinted(hint) : this.primaryDate(this.base!);
        if (isYear(date.dimension) && group.grain !== 'year' && group.grain !== 'day')
          throw new Refuse([group.grain], `${spoken(date.dimension.name)} is a year only.`);
        dimensions.push({ dimension: full(date), ...(isTime(date.dimension) && { grain: group.grain }) });
      }
    }
    if (this.plan.measures ?? this.plan.adhocMeasures)
      for (const column of this.draft.columns) dimensions.push(...this.columnGroup(column));
    if (this.draft.versus === 'named') {
      const shared = this.comparedDimension();
      if (shared && !dimensions.some((item) => item.dimension === shared)) dimensions.push({ dimension: shared });
    }
    this.plan.dimensions = dimensions.filter(
      (item, i) =>
        dimensions.findIndex((other) => other.dimension === item.dimension && other.grain === item.grain) === i,
    );
  }

  /** "average quantity per order item" over order items is the average itself. Over a coarser fact it is unclear. */
  protected isOwnGrain(mention: Mention): boolean {
    const entities = mention.meanings.filter((meaning) => meaning.kind === 'entity');
    const averages =
      this.draft.wants.some((want) => want.fn === 'avg') ||
      (this.plan.adhocMeasures ?? []).some((item) => item.type === 'avg') ||
      this.draft.wants.some((want) =>
        want.mention.meanings.some((m) => m.kind === 'measure' && m.measure?.type === 'avg'),
      );
    if (
      this.over !== undefined ||
      !averages ||
      entities.length === 0 ||
      entities.length < mention.meanings.filter((m) => m.kind !== 'measure' && m.rank >= 2).length
    )
      return false;
    if (entities.some((meaning) => meaning.entity === this.base)) return true;
    if (entities.some((meaning) => meaning.entity.model.type === 'fact'))
      throw new Refuse([mention.text], `I can give the average, but not the average of totals per ${mention.text}.`);
    return false;
  }

  /** "leavers by month": by the month of the date that the condition is about. */
  protected datedGroups(): void {
    const hinted =
      this.draft.groups.some((group) => 'grain' in group && group.hint) || this.draft.times.some((time) => time.hint);
    if (this.events.length === 0 || hinted || !this.draft.groups.some((group) => 'grain' in group)) return;
    const dimension = full(this.dateOf({ text: '', phrase: { kind: 'range', range: {} } }));
    this.plan.dimensions = (this.plan.dimensions ?? []).map((item) => (item.grain ? { ...item, dimension } : item));
  }

  /** "by month of birth" is about birthdays, which come round every year. */
  protected checkBirths(): void {
    for (const { dimension, grain } of this.plan.dimensions ?? []) {
      const at = dimension.lastIndexOf('.');
      const item = this.context.lexicon.entities
        .get(dimension.slice(0, at))
        ?.dimensions.find(({ name }) => name === dimension.slice(at + 1));
      if (grain !== undefined && grain !== 'year' && item && isBirth(item))
        throw new Refuse([grain], 'I can group births by year, not by a part of the year.');
    }
  }

  /** A sum over groups that share rows counts them several times: what an order is worth is not of each of its categories. */
  protected addable(dimensions: NonNullable<QueryPlan['dimensions']>): NonNullable<QueryPlan['dimensions']> {
    const sums =
      (this.plan.adhocMeasures ?? []).some((item) => item.type === 'sum') ||
      (this.plan.measures ?? []).some((name) => this.context.lexicon.measures.get(name)?.measure?.type === 'sum');
    for (const { dimension } of sums ? dimensions : []) {
      const owner = this.context.lexicon.entities.get(dimension.slice(0, dimension.lastIndexOf('.')));
      if (owner && this.distance(this.base!, owner) === undefined)
        throw new Refuse(
          [],
          `A sum over ${this.base!.many} cannot be split by ${spoken(dimension.split('.').at(-1)!)} of ${owner.many}: it would count them more than once.`,
        );
    }
    return dimensions;
  }

  /** A dimension named beside a figure without "by" is read as a group only when it is the ranked thing. */
  protected columnGroup(column: Mention): NonNullable<QueryPlan['dimensions']> {
    if (this.draft.rank?.key === undefined) throw new Refuse([column.text]);
    return this.groupDimensions(column);
  }

  protected headIsGroup(head: Mention): boolean {
    const { wants, rank, conditions } = this.draft;
    if (this.plan.measures === undefined && this.plan.adhocMeasures === undefined) return false;
    if (wants.length === 0) {
      const counted = isEntity(head) && this.plan.measures?.[0] === `${this.headEntity(head).name}.count`;
      return (
        !counted &&
        (rank !== undefined ||
          conditions.some((item) => item.type === 'related' || item.type === 'compare') ||
          !isEntity(head))
      );
    }
    if (!isEntity(head)) return true;
    // A counted head is not a group; a head beside another figure ("customers and their revenue") is.
    return (
      !wants.some((want) => want.mention.meanings.some((meaning) => head.meanings.includes(meaning))) &&
      this.draft.listing
    );
  }

  protected groupDimensions(mention: Mention): NonNullable<QueryPlan['dimensions']> {
    const entities = best(mention.meanings.filter((meaning) => meaning.kind === 'entity'));
    const reachable = entities.filter((meaning) => this.related(this.base, meaning.entity));
    const dimensions = this.dimensionCandidates(mention);
    const own = dimensions.filter((item) => item.entity === this.base && (item.rank ?? 3) >= 2);
    if (reachable.length > 0 && own.length === 0) {
      const entity = choose(
        this.context.chosen,
        `entity:${mention.text}`,
        `What do you mean by "${mention.text}"?`,
        reachable.map((item) => ({ value: item.entity, label: item.entity.name })),
      );
      return labelOf(entity).map((dimension) => ({
        dimension: `${entity.name}.${dimension.name}`,
        ...(dimension.primary_key !== true && hasKey(entity) && { identity: true }),
      }));
    }
    const item = this.dimension(mention);
    return [isTime(item.dimension) ? { dimension: full(item), grain: 'day' as const } : { dimension: full(item) }];
  }

  protected rows(): void {
    const { head, columns, listing, rank } = this.draft;
    if (this.draft.groups.length > 0) throw new Refuse(['by']);
    if (head && !isEntity(head)) {
      this.plan.dimensions = [head, ...columns].map((mention) => ({ dimension: full(this.dimension(mention)) }));
      return;
    }
    if (columns.length > 0) {
      const shown = columns.map((mention) => ({ dimension: full(this.dimension(mention)) }));
      const names = this.draft.named
        ? labelOf(this.base!).map((item) => ({ dimension: `${this.base!.name}.${item.name}` }))
        : [];
      this.plan.dimensions = [
        ...names.filter((one) => !shown.some((other) => other.dimension === one.dimension)),
        ...shown,
      ];
      // Attributes of rows that were named; otherwise the values there are.
      if (head || this.plan.filters.length > 0) this.plan.entity = this.base!.name;
      return;
    }
    if (!listing && rank === undefined && head === undefined) throw new Refuse([]);
    this.plan.dimensions = [];
    this.plan.entity = this.base!.name;
  }
}
