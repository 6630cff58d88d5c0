/** What a glossary term stands for: a named condition, a figure, or its definition read like a question. */
import type { Meaning as GlossaryMeaning, ModelTerm } from '../semantic-layer/index.ts';
import type { Condition, Want } from './draft.ts';
import { entityName } from './graph.ts';
import type { EntityEntry, Lexicon, MeaningOf } from './lexicon.ts';
import type { TermRole } from './mentions.ts';
import { choose, Refuse } from './outcome.ts';
import type { Parsed } from './parse.ts';

export type TermReading =
  | { readonly role: 'measure'; readonly label: string; readonly name: string }
  | { readonly role: 'measure'; readonly label: string; readonly want: Want; readonly conditions: readonly Condition[] }
  | { readonly role: 'condition'; readonly label: string; readonly entity: EntityEntry; readonly segment: string }
  | {
      readonly role: 'condition';
      readonly label: string;
      readonly entity: EntityEntry;
      readonly conditions: readonly Condition[];
    }
  | { readonly role: 'dimension'; readonly label: string; readonly meaning: MeaningOf<'dimension'> };

export type ReadTerm = (term: ModelTerm, chosen: ReadonlyMap<string, number>) => TermReading;
/** Reads a text with the names of the layer, but without this term. */
export type ReadText = (text: string, without: ModelTerm) => Parsed;

export class Terms {
  readonly #lexicon: Lexicon;
  readonly #readText: ReadText;

  constructor(lexicon: Lexicon, readText: ReadText) {
    this.#lexicon = lexicon;
    this.#readText = readText;
  }

  /** How a term can be used, before it is decided which of several meanings is meant. */
  role(term: ModelTerm): TermRole {
    const first = term.meanings?.[0];
    if (term.status === 'ambiguous' && first !== undefined) return this.#meaningRole(term, first);
    return this.#quietly(() => this.#defined(term).role) ?? 'condition';
  }

  #meaningRole(term: ModelTerm, meaning: string | GlossaryMeaning): TermRole {
    if (typeof meaning === 'string') return this.#quietly(() => this.#text(term, meaning, meaning).role) ?? 'condition';
    if (meaning.measure !== undefined || meaning.metric !== undefined) return 'measure';
    if (meaning.dimension !== undefined) return 'dimension';
    if (meaning.sql !== undefined) return 'condition';
    return this.#quietly(() => this.#text(term, meaning.description ?? meaning.name, meaning.name).role) ?? 'condition';
  }

  #quietly<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch {
      return undefined;
    }
  }

  /** The meaning of a term. Throws `Ask` where several are declared, `Refuse` where its definition cannot be read. */
  readonly read: ReadTerm = (term, chosen) => {
    if (term.status !== 'ambiguous') return this.#defined(term);
    const meanings = term.meanings ?? [];
    if (meanings.length === 0)
      throw new Refuse([term.term], `"${term.term}" is ambiguous, and its meanings are not written down.`);
    const labels = meanings.map((meaning) =>
      typeof meaning === 'string'
        ? meaning
        : meaning.description
          ? `${meaning.name} (${meaning.description})`
          : meaning.name,
    );
    const meaning = choose(
      chosen,
      `term:${term.term}`,
      `"${term.term}" can mean several things. Which one do you mean?`,
      meanings.map((value, i) => ({ value, label: labels[i]! })),
    );
    return typeof meaning === 'string' ? this.#text(term, meaning, meaning) : this.#meaning(term, meaning);
  };

  #meaning(term: ModelTerm, meaning: GlossaryMeaning): TermReading {
    const label = meaning.name;
    if (meaning.metric !== undefined) return { role: 'measure', label, name: meaning.metric };
    const entity = meaning.entity === undefined ? this.#entityOf(term) : this.#entity(meaning.entity, term);
    if (meaning.measure !== undefined)
      return {
        role: 'measure',
        label,
        name: meaning.measure.includes('.') || !entity ? meaning.measure : `${entity.name}.${meaning.measure}`,
      };
    if (meaning.dimension !== undefined && entity) {
      const name = meaning.dimension.split('.').at(-1);
      const dimension = entity.dimensions.find((item) => item.name === name);
      if (dimension) return { role: 'dimension', label, meaning: { kind: 'dimension', rank: 3, entity, dimension } };
    }
    if (meaning.sql !== undefined && entity) return { role: 'condition', label, entity, segment: meaning.name };
    return this.#text(term, meaning.description ?? meaning.name, label);
  }

  #defined(term: ModelTerm): TermReading {
    const entity = this.#entityOf(term);
    if (term.sql !== undefined && entity) return { role: 'condition', label: term.term, entity, segment: term.term };
    if (term.definition === undefined) throw new Refuse([term.term], `"${term.term}" has no definition.`);
    return this.#text(term, term.definition, term.term);
  }

  #entityOf(term: ModelTerm): EntityEntry | undefined {
    const name = term.entity ?? (term.tables?.length === 1 ? term.tables[0] : undefined);
    return name === undefined ? undefined : this.#entity(name, term);
  }

  #entity(name: string, term: ModelTerm): EntityEntry | undefined {
    const { model, entities } = this.#lexicon;
    const entity =
      model.entity(`${term.source}.${name}`) ??
      model.entity(name) ??
      model.entities.find((item) => item.table === name);
    return entity && entities.get(entityName(model, entity));
  }

  /** A definition in words: "A visit whose status is no_show.", "Revenue is the sum of order totals without refunds." */
  #text(term: ModelTerm, text: string, label: string): TermReading {
    const failed = (): Refuse =>
      new Refuse([label], `I know the term "${label}" but cannot turn its definition into a condition: ${text}`);
    const subject = new RegExp(
      `^\\s*(?:an?\\s+|the\\s+)?["']?${escaped(term.term)}["']?\\s+(?:is|are|means|mean|refers to|stands for|counts as)\\s+`,
      'i',
    );
    const { draft, unplaced } = this.#readText(
      text.replace(subject, '').replace(/^\s*(?:all|any|every)\s+/i, ''),
      term,
    );
    const strange =
      unplaced.length > 0 ||
      draft.groups.length > 0 ||
      draft.rank ||
      draft.share ||
      draft.versus ||
      draft.portion ||
      draft.columns.length > 0;
    if (strange || draft.wants.length > 1) throw failed();
    const conditions: Condition[] = [
      ...draft.conditions.map((item): Condition => (item.type === 'compare' ? { ...item, ofRow: true } : item)),
      ...draft.times.map((time): Condition => ({ type: 'time', time })),
    ];
    const want = draft.wants[0];
    if (want) return { role: 'measure', label, want, conditions };
    const heads = draft.head?.meanings.filter((meaning) => meaning.kind === 'entity') ?? [];
    const entity = heads.length === 1 ? heads[0]!.entity : this.#entityOf(term);
    if (!entity || conditions.length === 0) throw failed();
    return { role: 'condition', label, entity, conditions };
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
