/** Finds the ambiguous terms of a question of which nothing says the meaning, and objects to queries until then. */
import type { ChatTurn } from '../../kernel/index.ts';
import type { QueryObjection } from '../agent/index.ts';
import { languageOfTurns, segmented } from '../language-kit/index.ts';
import { line } from './context/render.ts';
import { askedPart, stem } from './context/words.ts';
import { visibleModel } from './hidden-columns.ts';
import type { ModelEntity, ModelTerm, SemanticModel } from './model.ts';
import { inLanguage } from './translations.ts';

const MAX_CHOICES = 10;

type Words = readonly string[];
type Meaning = NonNullable<ModelTerm['meanings']>[number];

/** Words in order, without accents and plural endings; parts of `snake_case` names are words. */
function wordsOf(text: string): Words {
  const words =
    askedPart(text)
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.flatMap(segmented).map((word) => stem(word) ?? word);
}

/** Where the words of a name stand in a text. */
function placesOf(name: Words, text: Words): number[] {
  if (name.length === 0) return [];
  return text.flatMap((_, at) => (name.every((word, offset) => text[at + offset] === word) ? [at] : []));
}

const namesOf = ({ term, synonyms = [] }: ModelTerm): Words[] => [term, ...synonyms].map(wordsOf);
const nameOf = (meaning: Meaning) => (typeof meaning === 'string' ? meaning : meaning.name);

/** Names of the layer that have more words than a term: "sales channel" says nothing about "sales". */
function longerNames(model: SemanticModel, name: Words): Words[] {
  const { entities, metrics, glossary } = visibleModel(model);
  const members = entities.flatMap(({ dimensions, measures, segments }) => [...dimensions, ...measures, ...segments]);
  const named = [
    ...entities,
    ...members,
    ...metrics.map(({ id, label, synonyms }) => ({ name: label ?? id, synonyms })),
  ];
  const all = [
    ...named.flatMap(({ name: own, synonyms }) => [own, ...(synonyms ?? [])]),
    ...glossary.flatMap(({ term, synonyms }) => [term, ...(synonyms ?? [])]),
  ];
  return all.map(wordsOf).filter((words) => words.length > name.length && placesOf(name, words).length > 0);
}

function isMentioned(model: SemanticModel, term: ModelTerm, question: Words): boolean {
  return namesOf(term).some((name) => {
    const places = placesOf(name, question);
    if (places.length === 0) return false;
    const covered = longerNames(model, name).flatMap((longer) =>
      placesOf(longer, question).map((at) => ({ from: at, to: at + longer.length })),
    );
    return places.some((at) => !covered.some(({ from, to }) => from <= at && at + name.length <= to));
  });
}

/** The names of a meaning: as it is called, and what it stands for. */
function wordsOfMeaning(meaning: Meaning): Words[] {
  if (typeof meaning === 'string') return [wordsOf(meaning)];
  return [meaning.name, meaning.measure, meaning.metric, meaning.dimension].flatMap((name) =>
    name === undefined ? [] : [wordsOf(name)],
  );
}

/** Whether the user has said the words of one meaning, besides those of the term itself. */
function isNamed(term: ModelTerm, said: ReadonlySet<string>): boolean {
  const own = new Set(namesOf(term).flat());
  return (term.meanings ?? []).flatMap(wordsOfMeaning).some((words) => {
    const telling = words.filter((word) => !own.has(word) && stem(word) !== null);
    return telling.length > 0 && telling.every((word) => said.has(word));
  });
}

/** Whether a text lists numbered choices. */
const lists = (text: string) => /^\s*1[.)] /m.test(text) && /^\s*2[.)] /m.test(text);

const isCalled = (name: string, { term }: ModelTerm) => wordsOf(name).join(' ') === wordsOf(term).join(' ');

/** Whether all meanings of a term are columns of its name. */
export const isColumnTerm = (term: ModelTerm): boolean =>
  (term.synonyms ?? []).length === 0 &&
  (term.meanings ?? []).length > 1 &&
  (term.meanings ?? []).every((one) => typeof one !== 'string' && isCalled(one.dimension ?? '', term));

/** The numbers of an entity that the user has named. */
const numbersOf = ({ dimensions, measures }: ModelEntity, said: ReadonlySet<string>) =>
  [...dimensions.filter(({ type }) => type === 'number'), ...measures]
    .map(({ name }) => name.toLowerCase())
    .filter((name) => wordsOf(name).every((word) => said.has(word)));

/** Whether the user has named an entity with such a column, "status of orders", or a number that only it has. */
function isOwned(model: SemanticModel, term: ModelTerm, said: ReadonlySet<string>): boolean {
  if (!isColumnTerm(term)) return false;
  const { entities } = visibleModel(model);
  const numbers = new Map(entities.map((entity) => [entity, numbersOf(entity, said)]));
  const isOnly = (name: string) => [...numbers.values()].filter((names) => names.includes(name)).length === 1;
  return entities.some(
    (entity) =>
      entity.dimensions.some((one) => isCalled(one.name, term)) &&
      (wordsOf(entity.name).every((word) => said.has(word)) || numbers.get(entity)?.some(isOnly) === true),
  );
}

/** Whether the user has replied to a list of choices about the term. */
function isChosen(term: ModelTerm, turns: readonly ChatTurn[]): boolean {
  const names = [...namesOf(term), ...(term.meanings ?? []).flatMap(wordsOfMeaning)];
  return turns.some(({ role, text }, index) => {
    if (role !== 'assistant' || turns[index + 1]?.role !== 'user' || !lists(text)) return false;
    const words = wordsOf(text);
    return names.some((name) => placesOf(name, words).length > 0);
  });
}

/** The ambiguous terms that the question names, and whose meaning neither it nor the conversation says. */
function unsettledTerms(model: SemanticModel, turns: readonly ChatTurn[]): ModelTerm[] {
  const ambiguous = model.glossary.filter(({ status, meanings = [] }) => status === 'ambiguous' && meanings.length > 1);
  if (ambiguous.length === 0) return [];
  const asked = wordsOf(turns.at(-1)?.text ?? '');
  const said = new Set(turns.filter(({ role }) => role === 'user').flatMap(({ text }) => wordsOf(text)));
  return ambiguous.filter(
    (term) =>
      isMentioned(model, term, asked) && !isNamed(term, said) && !isOwned(model, term, said) && !isChosen(term, turns),
  );
}

/** An objection for each unsettled term, with its meanings as the choices. */
export function ambiguityObjections(model: SemanticModel, turns: readonly ChatTurn[]): QueryObjection[] {
  const language = languageOfTurns(turns);
  return unsettledTerms(language === undefined ? model : inLanguage(model, language), turns).map(
    ({ term, meanings = [] }) => {
      const choices = meanings
        .slice(0, MAX_CHOICES)
        .map((meaning, index) => `${index + 1}. ${line(nameOf(meaning), 100)}`);
      return {
        message: `"${line(term, 100)}" has several meanings, and neither the question nor the conversation says which one is meant.`,
        hint: `Call clarify with these choices: ${choices.join('; ')}. Only when the user has said it in other words, run the query again.`,
      };
    },
  );
}
