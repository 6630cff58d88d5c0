/** Finds what a glossary term stands for: a figure, a condition or an attribute; asks where it means several things. */
import { type Condition, entitiesIn, type Mention } from '../parse/request.ts';
import { entityName } from '../words/join-distance.ts';
import type { ModelTerm, TermMeaning } from '../words/layer.ts';
import type { EntityEntry, Lexicon, MeaningOf } from '../words/lexicon.ts';
import { choose, refusal } from './outcome.ts';

export type TermRole = 'measure' | 'condition' | 'dimension';
/** `name`: of the figure or condition. `conditions`: what its definition says in words. */
type TermReading = Readonly<{ role: TermRole; label: string; name?: string; entity?: EntityEntry }> &
  Readonly<{ meaning?: MeaningOf<'dimension'>; conditions?: readonly Condition[] }>;

/** Rows, and what is said of them. */
export type Definition = Readonly<{ rows: Mention | undefined; conditions: readonly Condition[] }>;
/** `chosen`: replies to earlier questions back, by place. `define`: reads a definition in words. */
export type TermContext = Readonly<{ lexicon: Lexicon; chosen: ReadonlyMap<string, number> }> &
  Readonly<{ define?: ((text: string) => Definition | undefined) | undefined }>;

function fromMeaning({ lexicon, define }: TermContext, term: ModelTerm, meaning: TermMeaning): TermReading {
  const { model, entities } = lexicon;
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
  // "A visit whose status is no_show."
  const said = define?.(definition);
  const [rows, more] = entitiesIn(said?.rows);
  if (said && rows && !more) return { role: 'condition', label, entity: rows.entity, conditions: said.conditions };
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
export function readTerm(context: TermContext, term: ModelTerm): TermReading {
  const question = `"${term.term}" can mean several things. Which one do you mean?`;
  const label = (one: TermMeaning): string =>
    typeof one === 'string' ? one : one.description ? `${one.name} (${one.description})` : one.name;
  const meanings = meaningsOf(term);
  if (meanings.length > 0)
    return fromMeaning(context, term, choose(context.chosen, `term:${term.term}`, question, meanings, label));
  throw refusal([term.term], `"${term.term}" is ambiguous, and its meanings are not written down.`);
}

/** What the first meaning of a term is used as; what cannot be read is refused when it is used. */
export function roleOf(lexicon: Lexicon, { term }: MeaningOf<'term'>): TermRole {
  try {
    return fromMeaning({ lexicon, chosen: new Map() }, term, meaningsOf(term)[0] ?? term.term).role;
  } catch {
    return 'condition';
  }
}
