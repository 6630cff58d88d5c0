/** What is asked for: counts, measures, metrics and aggregates made on the spot. */
import { best, labelled } from './choosing.ts';
import type { Mention, Want } from './draft.ts';
import { amountsOf, isIdentifier, isPlainAmount, numbersCalled } from './entity-traits.ts';
import {
  countsOtherwise,
  isNumeric,
  isPlain,
  measuredDimensions,
  measureFits,
  numberReadings,
  sameFigure,
} from './figure-rules.ts';
import { type EntityEntry, isTime } from './lexicon.ts';
import { choose, Refuse } from './outcome.ts';
import { type Dimension, type Figure, full, ResolverBase, spoken } from './resolver-base.ts';
import type { TermReading } from './terms.ts';
import { nameWords } from './words.ts';

/** Names of what something costs. */
const MONEY = ['cost', 'price', 'fee', 'charge'];

export class FigureResolver extends ResolverBase {
  /** "cost of visits" where the cost is of what belongs to a visit: the visit's own fee may be meant as well. */
  protected ownPrices(mention: Mention, found: readonly { readonly entity: EntityEntry }[]): Dimension[] {
    const word = nameWords(mention.text).at(-1) ?? '';
    if (!MONEY.includes(word)) return [];
    const subjects = [this.base, ...[this.draft.head, ...this.draft.qualifiers].map((item) => this.only(item))];
    return [...new Set(subjects)].flatMap((entity) =>
      entity &&
      found.length > 0 &&
      found.every((item) => item.entity !== entity && this.distance(item.entity, entity) !== undefined)
        ? numbersCalled(entity, MONEY).map((dimension) => ({ entity, dimension }))
        : [],
    );
  }

  protected only(mention: Mention | undefined): EntityEntry | undefined {
    const found = best((mention?.meanings ?? []).filter((meaning) => meaning.kind === 'entity'));
    return found.length === 1 ? found[0]!.entity : undefined;
  }

  protected figure(want: Want): Figure {
    const { mention, fn } = want;
    const figures = this.figures(want);
    const type = fn === undefined || fn === 'count' || fn === 'count_distinct' ? 'sum' : fn;
    const prices = this.ownPrices(
      mention,
      figures.map((item) => item.figure),
    ).map((item) => ({
      figure: {
        entity: item.entity,
        adhoc: {
          name: `${type === 'sum' ? 'total' : type === 'avg' ? 'average' : type}_${item.dimension.name}`,
          type,
          dimension: full(item),
        },
      },
      rank: Math.max(...figures.map((found) => found.rank)),
      label: `${spoken(item.dimension.name)} of ${item.entity.many}`,
    }));
    const candidates = [...figures, ...prices];
    if (candidates.length === 0)
      throw new Refuse(
        [mention.text],
        fn === 'avg' ? `I have no average of "${mention.text}".` : `I have no figure for "${mention.text}".`,
      );
    const fitting = candidates.filter((item) => this.reaches(item.figure.entity));
    const usable = fitting.length > 0 ? fitting : candidates;
    const top = Math.max(...usable.map((item) => item.rank));
    const strongest = usable.filter((item) => item.rank === top);
    const said = [this.draft.head, ...this.draft.qualifiers].map((item) => this.only(item));
    const ofSaid = strongest.filter((item) => said.includes(item.figure.entity));
    const ranked = ofSaid.length > 0 ? ofSaid : strongest;
    return choose(
      this.context.chosen,
      `figure:${mention.text.toLowerCase()}`,
      `What do you mean by "${mention.text}"?`,
      labelled(ranked.map(({ figure, label }) => ({ value: figure, label, owner: figure.entity.many }))),
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
      const summed = fn === 'sum' ? entities.flatMap((item) => this.amountsOfRows(item.entity, want.orCount)) : [];
      if (fn === 'sum' && entities.length > 0 && (summed.length > 0 || !want.orCount)) {
        const counts = entities.map((item) => ({
          figure: { entity: item.entity, name: `${item.entity.name}.count` },
          rank: 1,
          label: `number of ${item.entity.many}`,
        }));
        return want.orCount ? [...summed, ...counts] : summed;
      }
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
          (item.dimension.type === 'number' && !isIdentifier(item.entity, item.dimension)) ||
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

  /** "sum of fines": of their amount. Where they may also be counted, only an amount by that very name. */
  protected amountsOfRows(entity: EntityEntry, isPlain = false): { figure: Figure; rank: number; label: string }[] {
    return amountsOf(entity)
      .filter((dimension) => !isPlain || isPlainAmount(entity, dimension))
      .map((dimension) => ({
        figure: {
          entity,
          adhoc: {
            name: `total_${dimension.name}`,
            type: 'sum' as const,
            dimension: `${entity.name}.${dimension.name}`,
          },
        },
        rank: 1,
        label: `total ${spoken(dimension.name)} of ${entity.many}`,
      }));
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
