/** Figures over groups: "average visits per doctor", "most orders on a day", "average revenue per order". */
import type { QueryPlan } from '../semantic-query/index.ts';
import { best } from './choosing.ts';
import type { Group, Want } from './draft.ts';
import { amountsOf, hasKey, isPlainAmount, isWorth, labelOf, numbersOf } from './entity-traits.ts';
import { isEntity, isNumeric } from './figure-rules.ts';
import type { EntityEntry, Meaning } from './lexicon.ts';
import { choose, Refuse } from './outcome.ts';
import { TimeResolver } from './resolve-time.ts';
import { spoken } from './resolver-base.ts';
import { nameWords, stem } from './words.ts';

type Over = NonNullable<QueryPlan['over']>;

export class NestedResolver extends TimeResolver {
  /** What is taken over the groups. */
  protected over: Over['aggregate'] | undefined;

  /** The figure of each group where the one asked for is over groups; otherwise the figures as they are. */
  protected perGroup(wants: readonly Want[]): readonly Want[] {
    const [want] = wants.map((item) => this.averageOfRows(item));
    if (!want || wants.length > 1) {
      if (wants.some((item) => this.isOverGroups(this.averageOfRows(item))))
        throw new Refuse([], 'I can give one figure over groups at a time.');
      return wants;
    }
    if (!this.isOverGroups(want)) return this.ratio(want);
    const fn = want.fn as Over['aggregate'];
    const { groups, qualifiers, rank, portion, share, versus, head, columns, listing } = this.draft;
    const noun = want.mention.text;
    if (rank || portion || share || versus !== undefined || columns.length > 0)
      throw new Refuse([noun], `I can give the ${name[fn]} number of ${noun} by itself, not ranked or compared.`);
    const owner = [head, ...qualifiers].find(
      (mention) => mention && !mention.meanings.some((meaning) => want.mention.meanings.includes(meaning)),
    );
    const per: readonly Group[] = groups.length === 0 && fn !== 'avg' && owner ? [{ mention: owner }] : groups;
    const [group] = per;
    const own = want.mention.meanings.flatMap((meaning) => (meaning.kind === 'entity' ? [meaning.entity] : []));
    if (per.length === 0 && own.length === 1) {
      // "average fine": of its amount, which is what a fine is.
      const amounts = numbersOf(own[0]!).filter((dimension) => isPlainAmount(own[0]!, dimension));
      const meanings = amounts.map(
        (dimension): Meaning => ({ kind: 'dimension', rank: 3, entity: own[0]!, dimension }),
      );
      if (meanings.length === 1 && !want.mention.plural) return [{ fn, mention: { ...want.mention, meanings } }];
    }
    const single =
      group && fn === 'avg' && !want.mention.plural && own.length === 1 ? this.ofOne(want, own[0]!) : undefined;
    if (single?.fn === 'avg') return [single];
    if (per.length !== 1 || group === undefined || listing)
      throw new Refuse(
        [noun],
        `"${noun}" are counted, so I can give their ${name[fn]} only per something, such as per month.`,
      );
    if (fn === 'min' || (fn === 'avg' && 'grain' in group && (group.grain === 'day' || group.grain === 'week')))
      throw new Refuse(
        [],
        `I cannot tell whether ${'grain' in group ? `${group.grain}s` : 'those'} without any ${noun} count; ask for the number of ${noun} instead.`,
      );
    this.over = fn;
    this.groupedBy = per;
    return [single ?? this.counted(want)];
  }

  /** "average invoice per ward": what an invoice is worth there, or how many there are. */
  protected ofOne(want: Want, entity: EntityEntry): Want | undefined {
    const amounts = amountsOf(entity).filter((dimension) => isWorth(dimension));
    if (amounts.length === 0) return undefined;
    const { text } = want.mention;
    const value = choose(this.context.chosen, `one:${text}`, `What do you mean by "average ${text}"?`, [
      ...amounts.map((dimension) => ({
        value: dimension,
        label: `the average ${spoken(dimension.name)} of each ${entity.one}`,
      })),
      { value: undefined, label: `the average number of ${entity.many}` },
    ]);
    const meanings: Meaning[] = value
      ? [{ kind: 'dimension', rank: 3, entity, dimension: value }]
      : [{ kind: 'entity', rank: 3, entity }];
    return { fn: value ? 'avg' : 'count', mention: { ...want.mention, meanings } };
  }

  /** Groups that the question names, or that a figure over groups is over. */
  protected groupedBy: readonly Group[] | undefined;

  /** An aggregate of what only can be counted, or an average of what adds up. */
  protected isOverGroups({ fn, mention }: Want): boolean {
    if (fn !== 'avg' && fn !== 'min' && fn !== 'max') return false;
    if (isNumeric(mention)) return false;
    const measures = mention.meanings.filter((meaning) => meaning.kind === 'measure');
    if (measures.some((meaning) => meaning.measure?.type === fn)) return false;
    if (isEntity(mention) && this.datedOnly(mention.meanings, fn)) return false;
    if (isEntity(mention)) return true;
    return (
      this.draft.groups.length > 0 &&
      measures.length > 0 &&
      measures.every(
        ({ measure }) => measure?.type === 'sum' || measure?.type === 'count' || measure?.type === 'count_distinct',
      )
    );
  }

  protected datedOnly(meanings: readonly Meaning[], fn: Want['fn']): boolean {
    return fn !== 'avg' && best(meanings).every((meaning) => meaning.kind === 'dimension');
  }

  /** An average of sums is over all, or only over those that have something to add up. */
  protected checkAll(entity: EntityEntry): void {
    const { measures } = this.context.lexicon;
    const isSum = !(this.plan.measures ?? []).every(
      (name) => name.endsWith('.count') || measures.get(name)?.measure?.type === 'count',
    );
    if (!isSum || entity === this.base || labelOf(entity).some((dimension) => dimension.primary_key === true)) return;
    const way = choose(this.context.chosen, `over:${entity.name}`, `The average over which ${entity.many}?`, [
      { value: 'all', label: `all ${entity.many}, also those without any` },
      { value: 'some', label: `only ${entity.many} that have any` },
    ]);
    if (way === 'some') this.onlyThose = true;
  }

  /** The average leaves out rows of the group without anything measured. */
  protected onlyThose = false;

  protected counted({ mention }: Want): Want {
    const entities = mention.meanings.filter((meaning) => meaning.kind === 'entity');
    const amounts = entities.flatMap(({ entity }) => this.amountsOfRows(entity, true));
    if (amounts.length > 0) {
      // "average fines": how many, or how much.
      const way = choose(this.context.chosen, `amount:${mention.text}`, `What do you mean by "${mention.text}"?`, [
        { value: 'count', label: `the number of ${mention.text}` },
        { value: 'amount', label: `the amount of ${mention.text}` },
      ]);
      if (way === 'amount') return { fn: 'sum', mention: { ...mention, meanings: entities } };
    }
    return entities.length > 0
      ? { fn: 'count', mention: { ...mention, meanings: entities } }
      : { mention: { ...mention, meanings: mention.meanings.filter((meaning) => meaning.kind === 'measure') } };
  }

  /** "average orders" is about their number although "average order" names a figure of one. */
  protected averageOfRows(want: Want): Want {
    const { mention, fn } = want;
    const words = nameWords(mention.text);
    const last = words.at(-1);
    if (fn !== undefined || !mention.plural || words.length < 2 || last === undefined) return want;
    const measures = mention.meanings.filter((meaning) => meaning.kind === 'measure');
    const named = measures.some(({ measure, metric, name: own }) =>
      [own.split('.').at(-1)!, ...(measure?.synonyms ?? []), ...(metric?.synonyms ?? []), metric?.label ?? ''].some(
        (text) => nameWords(text).at(-1) === last,
      ),
    );
    const entities = (this.context.lexicon.phrases.get(stem(last)) ?? []).filter(
      (meaning) => meaning.kind === 'entity',
    );
    const averages = /^(average|avg|mean)$/.test(words[0]!) && measures.every(({ measure }) => measure?.type === 'avg');
    if (named || !averages || measures.length === 0 || entities.length === 0) return want;
    return { fn: 'avg', mention: { text: words.slice(1).join(' '), plural: true, meanings: entities } };
  }

  /** "revenue per order": for each order, or on average. */
  protected ratio(want: Want): readonly Want[] {
    const [group, more] = this.draft.groups;
    const { rank, share, portion, listing, versus } = this.draft;
    if (!group || more || !('mention' in group) || group.per !== true || rank || share || portion || listing || versus)
      return [want];
    const entity = this.entityOf(group);
    const isAdded = want.fn === undefined || want.fn === 'count' || want.fn === 'sum';
    if (!entity || !isAdded || labelOf(entity).some((dimension) => dimension.primary_key !== true)) return [want];
    const figures = this.figures(want);
    const adds = figures.every(({ figure }) => {
      const type =
        figure.name === undefined ? figure.adhoc?.type : this.context.lexicon.measures.get(figure.name)?.measure?.type;
      return figure.name?.endsWith('.count') || type === 'sum' || type === 'count';
    });
    if (!adds) return [want];
    const way = choose(
      this.context.chosen,
      `per:${entity.name}`,
      `Do you mean each of the ${entity.many}, or the average over them?`,
      [
        { value: 'each', label: `one figure for each of the ${entity.many}` },
        { value: 'average', label: `the average over all ${entity.many}` },
      ],
    );
    if (way === 'each') return [want];
    this.over = 'avg';
    this.groupedBy = this.draft.groups;
    return [want];
  }

  protected entityOf(group: Group): EntityEntry | undefined {
    if (!('mention' in group)) return undefined;
    const found = best(group.mention.meanings.filter((meaning) => meaning.kind === 'entity'));
    return found.length === 1 && found[0]!.kind === 'entity' ? found[0]!.entity : undefined;
  }

  /** Turns the plan of the groups into the one over them. */
  protected overGroups(): void {
    const aggregate = this.over;
    const [group] = this.groupedBy ?? [];
    if (aggregate === undefined || group === undefined) return;
    const entity = this.entityOf(group);
    const key = entity?.dimensions.find((dimension) => dimension.primary_key === true);
    const near = entity && this.distance(this.base!, entity) !== undefined;
    if (aggregate !== 'avg' || !entity || !key || !near || !hasKey(entity)) {
      this.plan.over = { aggregate };
      for (const { dimension } of this.plan.dimensions ?? [])
        this.plan.filters.push({ dimension, operator: 'is_not_null' });
      return;
    }
    const { timeRange } = this.plan;
    if (timeRange) {
      const { dimension, from, to } = timeRange;
      if (from !== undefined) this.plan.filters.push({ dimension, operator: 'greater_or_equal', values: [from] });
      if (to !== undefined) this.plan.filters.push({ dimension, operator: 'less_than', values: [to] });
      delete this.plan.timeRange;
    }
    this.checkAll(entity);
    const isOwn = (name: string): boolean => name.slice(0, name.lastIndexOf('.')) === entity.name;
    // Those of the group decide over which of its rows the average is; a condition beyond it may do so too.
    for (const { dimension } of this.plan.filters) {
      const owner = this.context.lexicon.entities.get(dimension.slice(0, dimension.lastIndexOf('.')));
      if (owner && owner !== entity && this.distance(entity, owner) !== undefined)
        throw new Refuse([], `I cannot tell which ${entity.many} the average is over.`);
    }
    const filters = this.plan.filters.filter((item) => isOwn(item.dimension));
    const segments = this.plan.segments.filter(isOwn);
    const excludedSegments = this.plan.excludedSegments.filter(isOwn);
    const related = (this.plan.related ?? []).filter((item) => item.of === entity.name);
    if (this.onlyThose) {
      this.plan.over = { aggregate };
      this.plan.filters.push({ dimension: `${entity.name}.${key.name}`, operator: 'is_not_null' });
      return;
    }
    this.plan.over = {
      aggregate,
      entity: entity.name,
      ...(filters.length > 0 && { filters }),
      ...(segments.length > 0 && { segments }),
      ...(excludedSegments.length > 0 && { excludedSegments }),
      ...(related.length > 0 && { related }),
    };
    this.plan.filters.push({ dimension: `${entity.name}.${key.name}`, operator: 'is_not_null' });
    this.plan.dimensions = [];
  }
}

const name = { avg: 'average', min: 'lowest', max: 'highest' } as const;
