/** Finds what a glossary term stands for: a figure, a named condition or an attribute; asks where it means several things. */
import { entityName } from '../words/join-distance.ts';
import type { ModelTerm, TermMeaning } from '../words/layer.ts';
import type { EntityEntry, Lexicon, MeaningOf } from '../words/lexicon.ts';
import { choose, refusal } from './outcome.ts';

export type TermRole = 'measure' | 'condition' | 'dimension';
/** `name`: of the figure or condition. */
export interface TermReading {
  readonly role: TermRole;
  readonly label: string;
  readonly name?: string;
  readonly entity?: EntityEntry;
  readonly meaning?: MeaningOf<'dimension'>;
}

function fromMeaning({ model, entities }: Lexicon, term: ModelTerm, meaning: TermMeaning): TermReading {
  const one = typeof meaning === 'string' ? { name: meaning, description: meaning } : meaning;
  const { name: label, metric, measure } = one;
  const named = one.entity ?? term.entity ?? (term.tables?.length === 1 ? term.tables[0]! : '');
  const byTable = model.entities.find(({ table }) => table === named);
  const found = model.entity(`${term.source}.${named}`) ?? model.entity(named) ?? byTable;
  const entity = found && entities.get(entityName(model, found));
  const name = metric ?? (measure && entity && !measure.includes('.') ? `${entity.name}.${measure}` : measure);
  if (name !== undefined) return { role: 'measure', label, name };
  const dimension = entity?.dimensions.find((own) => own.name === one.dimension?.split('.').at(-1));
  if (dimension && entity)
    return { role: 'dimension', label, meaning: { kind: 'dimension', rank: 3, entity, dimension } };
  if (one.sql !== undefined && entity) return { role: 'condition', label, entity, name: label };
  const definition = one.description ?? 'it has no definition';
  throw refusal(
    [label],
    `The glossary has no SQL for "${term.term}" (${definition}); ask with its conditions instead.`,
  );
}

function meaningsOf({ status, term: name, definition, entity, sql, meanings }: ModelTerm): readonly TermMeaning[] {
  if (status === 'ambiguous') return meanings ?? [];
  return [{ name, ...(definition && { description: definition }), ...(entity && { entity }), ...(sql && { sql }) }];
}

/** What the term stands for by what was chosen before. */
export function readTerm(lexicon: Lexicon, term: ModelTerm, chosen: ReadonlyMap<string, number>): TermReading {
  const question = `"${term.term}" can mean several things. Which one do you mean?`;
  const label = (one: TermMeaning): string =>
    typeof one === 'string' ? one : one.description ? `${one.name} (${one.description})` : one.name;
  const meanings = meaningsOf(term);
  if (meanings.length > 0)
    return fromMeaning(lexicon, term, choose(chosen, `term:${term.term}`, question, meanings, label));
  throw refusal([term.term], `"${term.term}" is ambiguous, and its meanings are not written down.`);
}

/** What the first meaning of a term is used as; what cannot be read is refused when it is used. */
export function roleOf(lexicon: Lexicon, { term }: MeaningOf<'term'>): TermRole {
  try {
    return fromMeaning(lexicon, term, meaningsOf(term)[0] ?? term.term).role;
  } catch {
    return 'condition';
  }
}
