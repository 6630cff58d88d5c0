/** What is asked for: counts, measures, metrics and aggregates made on the spot. */
import { best } from './choosing.ts';
import { holdsForNone, isExistence } from './condition-rules.ts';
import type { Mention, Related, Want } from './draft.ts';
import { amountsOf } from './entity-traits.ts';
import {
  countsOtherwise,
  isEntity,
  isNumeric,
  isPlain,
  measuredDimensions,
  measureFits,
  numberReadings,
  sameFigure,
} from './figure-rules.ts';
import { type EntityEntry, isTime, type Meaning } from './lexicon.ts';
import { choose, Refuse } from './outcome.ts';
import { type Figure, full, ResolverBase, spoken } from './resolver-base.ts';
import type { TermReading } from './terms.ts';

export class FigureResolver extends ResolverBase {
  protected wants(): readonly Want[] {
    const { wants, head, groups, rank, listing, columns, portion, share, conditions, versus, when } = this.draft;
    if (when) {
      if (!head || wants.length > 0) throw new Refuse(['when']);
      const date = this.primaryDate(this.headEntity(head));
      const fn = rank?.direction === 'desc' ? 'max' : 'min';
      if (rank?.of !== 'time') throw new Refuse(['when']);
      return [
        {
          fn,
          mention: { text: date.dimension.name, plural: false, meanings: [{ kind: 'dimension', rank: 3, ...date }] },
        },
      ];
    }
    if (wants.length > 0) return wants;
    if (rank?.key && !this.isRowRanking(rank.key)) return [this.rankKey()!];
    if (rank && head && !rank.key && rank.of !== 'time' && rank.of !== 'count' && !this.ranksRows(head))
      return [this.rankKey()!];
    if (columns.length > 0) return wants;
    const counted = head && isEntity(head);
    if (this.draft.counting && head === undefined) throw new Refuse(['how many'], 'I could not tell what to count.');
    if (head && (portion || share)) return [{ fn: 'count', mention: head }];
    if (counted && !listing && groups.length > 0) return [{ fn: 'count', mention: head }];
    if (!head && (portion || share) && conditions.length > 0) throw new Refuse(['percent']);
    if (rank?.of === 'count' && head) return [{ fn: 'count', mention: this.entityMention(this.headEntity(head)) }];
    const numeric = this.draft.conditions.find(
      (item): item is Related =>
        item.type === 'related' &&
        !isExistence(item) &&
        (!holdsForNone(item) || (head !== undefined && !isEntity(head))),
    );
    if (numeric && head) return [{ fn: 'count', mention: numeric.mention }];
    const measured = this.draft.conditions.find(
      (item) =>
        item.type === 'compare' &&
        item.mention &&
        !this.isOfRow(item.mention, item.ofRow) &&
        best(item.mention.meanings).some((m) => m.kind === 'measure'),
    );
    if (measured?.type === 'compare' && head) return [{ mention: measured.mention! }];
    if (counted && !listing && !rank && groups.length === 0 && versus === undefined) {
      if (this.countsByDefault(this.headEntity(head))) return [{ fn: 'count', mention: head }];
    }
    if (counted && versus !== undefined) return [{ fn: 'count', mention: head }];
    return wants;
  }

  /** A bare "visits last week" asks how many, a bare "customers in Berlin" which. */
  protected countsByDefault(entity: EntityEntry): boolean {
    const { conditions, times } = this.draft;
    const chosen = conditions.some((item) => item.type !== 'is' && item.type !== 'time');
    return !chosen && (times.length > 0 || conditions.length === 0 || entity.model.type === 'fact');
  }

  /** "top products": nothing says by what, so the figures that could are offered. */
  protected rankingFigure(head: Mention): Want {
    const subject = this.headEntity(head);
    const figures = [...this.context.lexicon.entities.values()]
      .filter((entity) => this.distance(entity, subject) !== undefined)
      .flatMap((entity) =>
        entity.model.measures
          .filter((measure) => measure.type !== 'min' && measure.type !== 'max')
          .map((measure) => ({ entity, measure })),
      )
      .slice(0, 8);
    if (figures.length === 0) throw new Refuse([], `I cannot tell by what to rank ${head.text}.`);
    const { entity, measure } = choose(
      this.context.chosen,
      `rank:${head.text.toLowerCase()}`,
      `By what should ${head.text} be ranked?`,
      figures.map((value) => ({ value, label: `${spoken(value.measure.name)}` })),
    );
    return {
      mention: {
        text: measure.name,
        plural: false,
        meanings: [{ kind: 'measure', rank: 3, entity, name: `${entity.name}.${measure.name}`, measure }],
      },
    };
  }

  /** What a ranking is by. "The highest price" of a group is the greatest one in it. */
  protected rankKey(): Want | undefined {
    const { rank, head } = this.draft;
    if (!rank) return undefined;
    const fn = rank.direction === 'desc' ? 'max' : 'min';
    if (rank.key) {
      const { mention } = rank.key;
      const measured = mention.meanings.filter((meaning) => meaning.kind === 'measure');
      if (
        rank.key.fn === undefined &&
        isNumeric(mention) &&
        !head &&
        this.draft.groups.length === 0 &&
        this.draft.columns.length === 0
      )
        return {
          fn,
          mention: { ...mention, meanings: mention.meanings.filter((meaning) => meaning.kind === 'dimension') },
        };
      const dimensional = isNumeric(mention) && !isEntity(mention);
      if (rank.key.fn === undefined && measured.length > 0 && dimensional && (head || this.draft.groups.length > 0)) {
        // "the highest fee" of a doctor is one fee or all of them together.
        const which = rank.isTotal
          ? 'all'
          : choose(this.context.chosen, `rank:${mention.text.toLowerCase()}`, `Ranked by which ${mention.text}?`, [
              { value: 'all', label: `all ${mention.text} together` },
              { value: 'one', label: `the ${rank.direction === 'desc' ? 'highest' : 'lowest'} single ${mention.text}` },
            ]);
        if (which === 'all') return { mention: { ...mention, meanings: measured } };
        return { fn, mention };
      }
      const dated = mention.meanings.flatMap((meaning) =>
        meaning.kind === 'dimension' && isTime(meaning.dimension) ? [meaning.entity] : [],
      );
      if (rank.key.fn === undefined && dated.length > 0 && dated.length === mention.meanings.length) {
        // "most borrowed": by how often, not by when.
        const meanings = dated.map((entity): Meaning => ({ kind: 'entity', entity, rank: 3 }));
        if (head?.meanings.some((meaning) => meaning.kind === 'entity' && dated.includes(meaning.entity)))
          throw new Refuse([mention.text]);
        return { fn: 'count', mention: { ...mention, meanings } };
      }
      const plain =
        (rank.key.fn === undefined || (rank.key.fn === 'count' && isNumeric(mention))) &&
        best(mention.meanings).every((meaning) => meaning.kind === 'dimension' || meaning.kind === 'value');
      return plain ? { fn, mention } : rank.key;
    }
    if (rank.of === undefined && head && this.draft.wants.length === 0 && !this.ranksRows(head))
      return this.rankingFigure(head);
    if (!Array.isArray(rank.of) || !head) return undefined;
    this.base ??= this.headEntity(head);
    const by = this.rankedBy(rank.of);
    const figure: Want['fn'] = rank.of.includes('price') ? fn : 'avg';
    return {
      fn: figure,
      mention: { text: by.dimension.name, plural: false, meanings: [{ kind: 'dimension', rank: 3, ...by }] },
    };
  }

  /** "the product with the highest price": rows in an order, nothing aggregated. */
  protected isRowRanking(key: Want): boolean {
    const { head } = this.draft;
    if (!head || (key.fn !== undefined && !(key.fn === 'count' && isNumeric(key.mention))) || !isEntity(head))
      return false;
    if (best(key.mention.meanings).some((meaning) => meaning.kind === 'measure' || meaning.kind === 'entity'))
      return false;
    const base = this.headEntity(head);
    return key.mention.meanings.some(
      (meaning) => meaning.kind === 'dimension' && this.distance(base, meaning.entity) !== undefined,
    );
  }

  protected figure(want: Want): Figure {
    const { mention, fn } = want;
    const candidates = this.figures(want);
    if (candidates.length === 0)
      throw new Refuse(
        [mention.text],
        fn === 'avg' ? `I have no average of "${mention.text}".` : `I have no figure for "${mention.text}".`,
      );
    const fitting = candidates.filter((item) => this.reaches(item.figure.entity));
    const usable = fitting.length > 0 ? fitting : candidates;
    const top = Math.max(...usable.map((item) => item.rank));
    const ranked = usable.filter((item) => item.rank === top);
    return choose(
      this.context.chosen,
      `figure:${mention.text.toLowerCase()}`,
      `What do you mean by "${mention.text}"?`,
      ranked.map((item) => ({ value: item.figure, label: item.label })),
    );
  }

  /** Whether every named dimension of the question can be had for rows of this entity without multiplying them. */
  protected reaches(entity: EntityEntry): boolean {
    const mentions = this.draft.groups.flatMap((group) => ('mention' in group ? [group.mention] : []));
    return mentions.every((mention) =>
      mention.meanings.some(
        (meaning) => meaning.kind !== 'term' && this.distance(entity, meaning.entity) !== undefined,
      ),
    );
  }

  protected figures(want: Want): { figure: Figure; rank: number; label: string }[] {
    const { fn, mention } = want;
    if (mention.meanings.length === 0) return this.amountFigures(fn);
    const out: { figure: Figure; rank: number; label: string }[] = [];
    const term = mention.meanings.find((meaning) => meaning.kind === 'term');
    const strongest = Math.max(
      ...mention.meanings.filter((meaning) => meaning.kind === 'measure').map((meaning) => meaning.rank),
      0,
    );
    if (term && (strongest < term.rank || term.term.status === 'ambiguous')) {
      const reading = this.context.readTerm(term.term, this.context.chosen);
      if (reading.role === 'measure') return this.figureOfTerm(reading, fn);
    }
    const measures = mention.meanings.filter((meaning) => meaning.kind === 'measure');
    for (const measure of measures) {
      if (!measureFits(measure, fn)) continue;
      out.push({
        figure: { entity: measure.entity, name: measure.name },
        rank: measure.rank + (measure.metric ? 0.5 : 0),
        label: spoken(measure.metric?.label ?? measure.name.split('.').at(-1)!),
      });
    }
    const same = sameFigure(out, measures);
    if (fn === undefined || fn === 'count' || fn === 'count_distinct' || fn === 'sum') {
      const entities = best(mention.meanings.filter((meaning) => meaning.kind === 'entity'));
      // Rows are counted by their entity, unless a measure of that very name counts something else.
      if (
        entities.length > 0 &&
        (fn === 'count' || fn === 'count_distinct' || same.length === 0 || isPlain(measures)) &&
        !countsOtherwise(measures, fn)
      )
        return entities.map((item) => ({
          figure: { entity: item.entity, name: `${item.entity.name}.count` },
          rank: 3,
          label: `number of ${item.entity.many}`,
        }));
    }
    if (same.length > 0 && !(fn === 'avg' || fn === 'min' || fn === 'max')) return same;
    if (fn === 'count' || fn === 'count_distinct' || fn === 'sum' || fn === 'avg' || fn === 'min' || fn === 'max') {
      if (same.length > 0) return same;
      const conditionOnly = mention.meanings.filter(
        (meaning) =>
          meaning.kind === 'value' ||
          meaning.kind === 'segment' ||
          meaning.kind === 'term' ||
          (meaning.kind === 'dimension' && meaning.dimension.type === 'boolean'),
      );
      if (fn === 'count' && conditionOnly.length > 0) return this.countOfCondition(mention);
      const type = fn === 'count' ? 'count_distinct' : fn;
      const summed = measuredDimensions(mention);
      const dimensions = this.dimensionCandidates(summed, this.draft.head ? this.headEntityOrNone() : undefined).filter(
        (item) =>
          type === 'count_distinct' ||
          item.dimension.type === 'number' ||
          ((type === 'min' || type === 'max') && isTime(item.dimension)),
      );
      if (fn === 'count' && dimensions.length > 0 && isNumeric(mention)) return numberReadings(dimensions);
      return dimensions.map((item) => ({
        figure: {
          entity: item.entity,
          adhoc: {
            name: `${type === 'count_distinct' ? 'distinct' : type === 'avg' ? 'average' : type === 'sum' ? 'total' : type}_${item.dimension.name}`,
            type,
            dimension: full(item),
          },
        },
        rank: 1,
        label: `${spoken(item.dimension.name)} of ${item.entity.many}`,
      }));
    }
    return same;
  }

  /** "the total value" of the rows: their amount. */
  protected amountFigures(fn: Want['fn']): { figure: Figure; rank: number; label: string }[] {
    const condition = this.draft.conditions.find((item) => item.type === 'is');
    const named =
      this.draft.head ?? this.draft.qualifiers[0] ?? (condition?.type === 'is' ? condition.mention : undefined);
    const entities = (named?.meanings ?? []).flatMap((meaning) => {
      if (meaning.kind !== 'term') return meaning.kind === 'measure' ? [] : [meaning.entity];
      const reading = this.context.readTerm(meaning.term, this.context.chosen);
      return reading.role === 'condition' ? [reading.entity] : [];
    });
    if (fn === undefined || fn === 'count' || fn === 'count_distinct') return [];
    return [...new Set(entities)].flatMap((entity) =>
      amountsOf(entity).map((dimension) => ({
        figure: {
          entity,
          adhoc: {
            name: `${fn === 'sum' ? 'total' : fn === 'avg' ? 'average' : fn}_${dimension.name}`,
            type: fn,
            dimension: `${entity.name}.${dimension.name}`,
          },
        },
        rank: 1,
        label: `${spoken(dimension.name)} of ${entity.many}`,
      })),
    );
  }

  protected figureOfTerm(
    reading: TermReading & { role: 'measure' },
    fn: Want['fn'],
  ): { figure: Figure; rank: number; label: string }[] {
    if ('name' in reading) {
      const entity = this.context.lexicon.measures.get(reading.name)?.entity;
      if (!entity)
        throw new Refuse(
          [reading.label],
          `The layer's meaning of "${reading.label}" names a figure that it does not have.`,
        );
      return [{ figure: { entity, name: reading.name }, rank: 3, label: reading.label }];
    }
    return this.figures({ ...reading.want, ...(reading.want.fn === undefined && fn && { fn }) }).map((item) => ({
      ...item,
      figure: { ...item.figure, conditions: reading.conditions },
    }));
  }

  /** "how many cancellations": rows of whatever the condition is on. */
  protected countOfCondition(mention: Mention): { figure: Figure; rank: number; label: string }[] {
    const entities = new Map<string, EntityEntry>();
    for (const meaning of mention.meanings) {
      if (meaning.kind === 'term') {
        const reading = this.context.readTerm(meaning.term, this.context.chosen);
        if (reading.role === 'condition') entities.set(reading.entity.name, reading.entity);
      } else if (meaning.kind !== 'measure') entities.set(meaning.entity.name, meaning.entity);
    }
    return [...entities.values()].map((entity) => ({
      figure: { entity, name: `${entity.name}.count` },
      rank: 3,
      label: `number of ${entity.many}`,
    }));
  }

  protected addFigure(figure: Figure): void {
    if (figure.name !== undefined)
      this.plan.measures = [...(this.plan.measures ?? []), figure.name].filter(
        (name, i, all) => all.indexOf(name) === i,
      );
    else if (figure.adhoc) this.plan.adhocMeasures = [...(this.plan.adhocMeasures ?? []), figure.adhoc];
  }
}
