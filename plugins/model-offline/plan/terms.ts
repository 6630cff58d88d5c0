/** Finds what a glossary term stands for: a figure, a named condition, or its definition read like a question. */
import type { RoleOf, TermRole } from '../parse/cursor.ts';
import type { Parsed } from '../parse/parse.ts';
import { nothing, periodCondition } from '../parse/request.ts';
import { entityName } from '../words/join-distance.ts';
import type { ModelTerm, TermMeaning } from '../words/layer.ts';
import type { EntityEntry, Lexicon } from '../words/lexicon.ts';
import { choose, refusal } from './outcome.ts';
import { entitiesOf, type PlanContext, type TermReading } from './planner.ts';

export interface Terms {
  readonly readTerm: PlanContext['readTerm'];
  readonly roleOf: RoleOf;
}

/** `readText` reads a text with the names of the layer, but without this term. */
export function termsOf({ model, entities }: Lexicon, readText: (text: string, without: ModelTerm) => Parsed): Terms {
  const entityOf = (
    term: ModelTerm,
    name = term.entity ?? (term.tables?.length === 1 ? term.tables[0]! : ''),
  ): EntityEntry | undefined => {
    const entity =
      model.entity(`${term.source}.${name}`) ?? model.entity(name) ?? model.entities.find((one) => one.table === name);
    return entity && entities.get(entityName(model, entity));
  };

  /** "A visit whose status is no_show.", "Revenue is the sum of order totals without refunds." */
  const fromText = (term: ModelTerm, text: string, label: string): TermReading => {
    const name = term.term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const verb = '(?:is|are|means?|refers to|stands for|counts as)';
    const named = new RegExp(`^\\s*(?:an?\\s+|the\\s+)?["']?${name}["']?\\s+${verb}\\s+`, 'i');
    const { request, unplaced } = readText(text.replace(named, '').replace(/^\s*(?:all|any|every)\s+/i, ''), term);
    const { figures, groups, columns, beside, ranking, share, portion, compared, periods } = request;
    const conditions = [...request.conditions, ...periods.map(periodCondition)];
    const [head, other] = entitiesOf(request.subject);
    const entity = head && !other ? head : entityOf(term);
    const isMore = ranking || share || portion || compared || !nothing(unplaced, groups, columns, beside);
    if (isMore || figures.length > 1 || (figures.length === 0 && (!entity || conditions.length === 0)))
      throw refusal([label], `I know the term "${label}" but cannot turn its definition into a condition: ${text}`);
    return figures.length === 1
      ? { role: 'measure', label, request: { ...request, conditions } }
      : { role: 'condition', label, entity: entity!, conditions };
  };

  const fromMeaning = (term: ModelTerm, meaning: TermMeaning): TermReading => {
    if (typeof meaning === 'string') return fromText(term, meaning, meaning);
    const { name: label, metric, measure } = meaning;
    const entity = entityOf(term, meaning.entity);
    const name = metric ?? (measure && entity && !measure.includes('.') ? `${entity.name}.${measure}` : measure);
    if (name !== undefined) return { role: 'measure', label, name };
    const dimension = entity?.dimensions.find((one) => one.name === meaning.dimension?.split('.').at(-1));
    if (dimension && entity)
      return { role: 'dimension', label, meaning: { kind: 'dimension', rank: 3, entity, dimension } };
    if (meaning.sql !== undefined && entity) return { role: 'condition', label, entity, name: label };
    return fromText(term, meaning.description ?? label, label);
  };

  const defined = (term: ModelTerm): TermReading => {
    const entity = entityOf(term);
    if (term.sql !== undefined && entity) return { role: 'condition', label: term.term, entity, name: term.term };
    if (term.definition === undefined) throw refusal([term.term], `"${term.term}" has no definition.`);
    return fromText(term, term.definition, term.term);
  };

  const roles = new Map<ModelTerm, TermRole>();
  return {
    roleOf({ term }) {
      const known = roles.get(term);
      if (known) return known;
      let role: TermRole = 'condition';
      try {
        const [first] = term.meanings ?? [];
        role = (term.status === 'ambiguous' && first !== undefined ? fromMeaning(term, first) : defined(term)).role;
      } catch {
        // What cannot be read is refused when it is used.
      }
      roles.set(term, role);
      return role;
    },
    readTerm(term, chosen) {
      if (term.status !== 'ambiguous') return defined(term);
      const meanings = term.meanings ?? [];
      if (meanings.length === 0)
        throw refusal([term.term], `"${term.term}" is ambiguous, and its meanings are not written down.`);
      const question = `"${term.term}" can mean several things. Which one do you mean?`;
      const label = (one: TermMeaning): string =>
        typeof one === 'string' ? one : one.description ? `${one.name} (${one.description})` : one.name;
      return fromMeaning(term, choose(chosen, `term:${term.term}`, question, meanings, label));
    },
  };
}
