/** Which figures a question asks for, said or not, and what a ranking is by. */
import { best, labelled } from './choosing.ts';
import { holdsForNone, isExistence } from './condition-rules.ts';
import type { Mention, Related, Want } from './draft.ts';
import { isEntity, isNumeric } from './figure-rules.ts';
import { type EntityEntry, isTime, type Meaning } from './lexicon.ts';
import { choose, Refuse } from './outcome.ts';
import { FigureResolver } from './resolve-figures.ts';
import { spoken } from './resolver-base.ts';

export class WantResolver extends FigureResolver {
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
    if (
      rank &&
      head &&
      !rank.key &&
      !rank.isLimit &&
      rank.of !== 'time' &&
      rank.of !== 'age' &&
      rank.of !== 'count' &&
      !this.ranksRows(head)
    )
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
        (item.fn !== undefined ||
          (!this.isOfRow(item.mention, item.ofRow) && best(item.mention.meanings).some((m) => m.kind === 'measure'))),
    );
    if (measured?.type === 'compare' && head)
      return [{ ...(measured.fn && { fn: measured.fn }), mention: measured.mention! }];
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
    // "doctors hired after 2020" are asked for by name.
    if (entity.model.type !== 'fact' && times.some((time) => time.hint)) return false;
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
      labelled(figures.map((value) => ({ value, label: spoken(value.measure.name), owner: value.entity.many }))),
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
}
