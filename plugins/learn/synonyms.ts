/** Proposes synonyms: words of questions that lead to the same column, and names that statements got wrong first. */
import { expandReferences, type ModelEntity, type SemanticModel, stem, tokenize } from '../semantic-layer/index.ts';
import { DEFAULT_LIMITS, fold, parseExpression } from '../sql-kit/index.ts';
import type { SynonymProposal } from './proposal.ts';
import type { LoggedStatement } from './read-log.ts';
import { Seen } from './seen.ts';
import { expressionText } from './shape.ts';

/** Words that say what to do with a column, or for which time, and name none. */
const GENERAL = new Set(
  `amount average best break calculate change combined compare compared compute count current daily day days different
  display distribution down each figure figures find grouped growth highest individual largest least lowest maximum mean
  minimum month monthly months number numbers order overall percent percentage quarter quarterly rank ranked ranking rate
  report return share smallest sort sorted split sum summarize today total totals trend value values versus week weekly
  weeks worst year yearly years yesterday`.split(/\s+/),
);

/** Share of the questions with a word that must lead to the same column. */
const MIN_SHARE = 0.8;

type Member = SynonymProposal['member'];

interface Target {
  readonly entity: ModelEntity;
  readonly member: Member;
  /** Its names and synonyms. */
  readonly called: readonly string[];
}

const stemsOf = (texts: readonly string[]): Set<string> =>
  new Set(texts.flatMap((text) => tokenize(text)).flatMap((word) => stem(word) ?? []));

const keyOf = ({ entity, member }: Target) => [entity.source, entity.name, member?.list, member?.name].join('\n');

const nameOf = ({ entity, member }: Pick<Target, 'entity' | 'member'>) =>
  member === null ? entity.name : `${entity.name}.${member.name}`;

/** Words of everything that has a name: a word that names one thing is no other word for another. */
function namedStems({ entities, metrics, glossary }: SemanticModel): Set<string> {
  const members = entities.flatMap(({ dimensions, measures, segments }) => [...dimensions, ...measures, ...segments]);
  return stemsOf([
    ...entities.flatMap(({ name, synonyms }) => [name, ...synonyms]),
    ...members.flatMap(({ name, synonyms = [] }) => [name, ...synonyms]),
    ...entities.flatMap(({ dimensions }) => dimensions.flatMap(({ sample_values = [] }) => sample_values.map(String))),
    ...metrics.flatMap(({ id, label = '', synonyms = [] }) => [id, label, ...synonyms]),
    ...glossary.flatMap(({ term, synonyms = [] }) => [term, ...synonyms]),
  ]);
}

/** The measures and dimensions that a statement is about: what it aggregates, and what it groups by. */
function targetsOf({ use, dialect }: LoggedStatement): Target[] {
  const targets = new Map<string, Target>();
  const add = (target: Target) => targets.set(keyOf(target), target);
  for (const { entity, type, argument, columns } of use.aggregates) {
    const sql = fold(expressionText(argument, dialect));
    const measure = entity.measures.find((one) => {
      if (one.type !== type || one.sql === undefined) return false;
      try {
        const declared = parseExpression(expandReferences(one.sql, entity.dimensions), dialect, DEFAULT_LIMITS);
        return fold(expressionText(declared, dialect)) === sql;
      } catch {
        return false;
      }
    });
    if (measure !== undefined) {
      const called = [
        measure.name,
        ...(measure.synonyms ?? []),
        ...columns.flatMap(({ name, dimension }) => [dimension?.name ?? name, ...(dimension?.synonyms ?? [])]),
      ];
      add({ entity, member: { list: 'measures', name: measure.name }, called });
    } else if (columns.length === 1 && columns[0] !== undefined) {
      const { dimension } = columns[0];
      if (dimension === undefined) continue;
      add({
        entity,
        member: { list: 'dimensions', name: dimension.name },
        called: [dimension.name, ...(dimension.synonyms ?? [])],
      });
    }
  }
  for (const { entity, dimension } of use.groups) {
    if (dimension === undefined) continue;
    add({
      entity,
      member: { list: 'dimensions', name: dimension.name },
      called: [dimension.name, ...(dimension.synonyms ?? [])],
    });
  }
  return [...targets.values()];
}

/** Words of a question that may be names; never ones with a capital within a sentence, with digits, or in a literal. */
function wordsOf({ question = '', use }: LoggedStatement): string[] {
  const words = question.match(/[\p{L}\p{M}\p{N}_'’-]+/gu) ?? [];
  const isPlain = (word: string, at: number) => /^[\p{Ll}\p{M}]{3,40}$/u.test(at === 0 ? word.toLowerCase() : word);
  return [...new Set(words.filter(isPlain).map((word) => word.toLowerCase()))].filter(
    (word) => stem(word) !== null && !GENERAL.has(word) && !use.literalWords.has(word),
  );
}

/** Words beside those that the layer knows lead to a column when nothing else of the statement is left to name. */
export function proposeFromQuestions(statements: readonly LoggedStatement[], model: SemanticModel): SynonymProposal[] {
  const named = namedStems(model);
  const seen = new Seen<{ readonly word: string; readonly target: Target }>();
  const asked = new Map<string, Set<string>>();
  for (const statement of statements) {
    if (statement.question === undefined) continue;
    const { requestId, conversationId } = statement.entry;
    const id = `${requestId} ${conversationId}`;
    const inQuestion = stemsOf([statement.question]);
    const unnamed = wordsOf(statement).filter((word) => !named.has(stem(word) ?? ''));
    for (const word of unnamed) asked.set(word, (asked.get(word) ?? new Set()).add(id));
    const left = targetsOf(statement).filter(({ called }) => ![...stemsOf(called)].some((one) => inQuestion.has(one)));
    const [target] = left;
    if (left.length !== 1 || target === undefined) continue;
    for (const word of unnamed) seen.add(`${keyOf(target)}\n${word}`, { word, target }, id);
  }
  const proposed = seen.frequent().filter(({ value, seen: count }) => {
    // A word that is often said with other columns, too, names none of them.
    return count >= MIN_SHARE * (asked.get(value.word)?.size ?? 0);
  });
  const perTarget = Map.groupBy(proposed, ({ value }) => keyOf(value.target));
  return proposed.flatMap(({ value: { word, target }, seen: count }): SynonymProposal[] => {
    // Where several words always come together, it is not known which one is the name.
    if (perTarget.get(keyOf(target))?.some((other) => other.value.word !== word && other.seen === count)) return [];
    const { entity, member } = target;
    return [{ kind: 'synonym', entity, member, seen: count, summary: `"${word}" for ${nameOf(target)}`, value: word }];
  });
}

/** A name as people say it. */
const spoken = (name: string) =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_$]+/g, ' ')
    .trim()
    .toLowerCase();

/** A wrong name in a statement that failed, and the one right name that replaced it in the next one of the request. */
export function proposeFromRepairs(statements: readonly LoggedStatement[], model: SemanticModel): SynonymProposal[] {
  const seen = new Seen<Target & { readonly wrong: string }>();
  const hidden = new Set(
    model.entities.flatMap(({ dimensions }) =>
      dimensions.filter(({ hidden: is, mask }) => is === true || mask !== undefined).map(({ name }) => fold(name)),
    ),
  );
  for (const group of Map.groupBy(statements, ({ entry }) => entry.requestId).values()) {
    for (const [index, failed] of group.entries()) {
      if (failed.entry.success) continue;
      const worked = group.slice(index + 1).find(({ entry }) => entry.success);
      if (worked === undefined) continue;
      for (const repaired of repairsOf(failed, worked)) {
        if (!hidden.has(fold(repaired.wrong)))
          seen.add(`${keyOf(repaired)}\n${fold(repaired.wrong)}`, repaired, worked.entry.id);
      }
    }
  }
  const named = namedStems(model);
  return seen.frequent().flatMap(({ value, seen: count }): SynonymProposal[] => {
    const word = spoken(value.wrong);
    const isKnown =
      value.called.some((name) => spoken(name) === word) || (!word.includes(' ') && named.has(stem(word) ?? word));
    if (isKnown || !/^[\p{Ll}\p{M}\p{N} ]{3,40}$/u.test(word)) return [];
    const { entity, member } = value;
    return [{ kind: 'synonym', entity, member, seen: count, summary: `"${word}" for ${nameOf(value)}`, value: word }];
  });
}

function repairsOf(failed: LoggedStatement, worked: LoggedStatement): (Target & { wrong: string })[] {
  const repairs: (Target & { wrong: string })[] = [];
  for (const [entity, wrong] of Map.groupBy(failed.use.unknownColumns, (one) => one.entity)) {
    const names = new Set(wrong.map(({ name }) => fold(name)));
    const fresh = new Set(
      worked.use.columns
        .filter((one) => one.entity === entity && !failed.use.names.has(fold(one.name)))
        .flatMap(({ dimension }) => dimension ?? []),
    );
    const [name] = names;
    const [dimension] = fresh;
    if (names.size !== 1 || fresh.size !== 1 || name === undefined || dimension === undefined) continue;
    const called = [dimension.name, ...(dimension.synonyms ?? [])];
    repairs.push({ entity, member: { list: 'dimensions', name: dimension.name }, called, wrong: name });
  }
  const tables = new Set(failed.use.unknownTables.map(fold));
  const added = [...worked.use.entities].filter((entity) => !failed.use.entities.has(entity));
  const [table] = tables;
  const [entity] = added;
  if (tables.size === 1 && added.length === 1 && table !== undefined && entity !== undefined)
    repairs.push({ entity, member: null, called: [entity.name, ...entity.synonyms], wrong: table });
  return repairs;
}
