/** Questions that can be answered, made from the layer and read once before they are offered. */
import { compileQuery } from '../semantic-query/index.ts';
import type { EntityEntry } from './lexicon.ts';
import type { Reader } from './read.ts';
import { primaryDates } from './time-dimension.ts';
import { nameWords, stem } from './words.ts';

const WANTED = 3;
const TRIED = 40;

/** At most three questions, those about what the message mentions first. */
export function suggestions(reader: Reader, message: string): string[] {
  const words = new Set(nameWords(message).map(stem));
  const found: string[] = [];
  let tried = 0;
  for (const question of candidates(reader, words)) {
    if (found.length === WANTED || tried++ > TRIED) break;
    if (!found.includes(question) && isAnswerable(reader, question)) found.push(question);
  }
  return found;
}

function isAnswerable(reader: Reader, question: string): boolean {
  try {
    const { draft, unplaced } = reader.sentence(question);
    if (unplaced.length > 0) return false;
    compileQuery(reader.lexicon.model, reader.plan(draft, new Map()), { dialect: 'sqlite' });
    return true;
  } catch {
    return false;
  }
}

/** Entities that the words are about, then the others. */
function ranked(reader: Reader, words: ReadonlySet<string>): EntityEntry[] {
  const score = (entity: EntityEntry): number => {
    const own = [entity.one, ...entity.model.synonyms, ...entity.model.measures.map((measure) => measure.name)]
      .flatMap(nameWords)
      .map(stem);
    return (
      own.filter((word) => words.has(word)).length * 10 +
      Math.min(entity.model.measures.length, 5) +
      (primaryDates(entity).length > 0 ? 1 : 0)
    );
  };
  return [...reader.lexicon.entities.values()]
    .map((entity) => ({ entity, value: score(entity) }))
    .sort((a, b) => b.value - a.value)
    .slice(0, 6)
    .map((item) => item.entity);
}

function* candidates(reader: Reader, words: ReadonlySet<string>): Generator<string> {
  const entities = ranked(reader, words);
  const kinds: ((entity: EntityEntry) => string[])[] = [
    (entity) => {
      const group = groupable(entity)[0];
      return group
        ? [`How many ${entity.many} are there by ${group}?`, `How many ${entity.many} are there?`]
        : [`How many ${entity.many} are there?`];
    },
    (entity) => {
      const group = groupable(entity).at(-1);
      return entity.model.measures
        .filter((measure) => measure.type !== 'count')
        .slice(0, 3)
        .flatMap((measure) =>
          group
            ? [`What is the ${nameWords(measure.name).join(' ')} by ${group}?`]
            : [`What is the ${nameWords(measure.name).join(' ')}?`],
        );
    },
    (entity) => (primaryDates(entity).length > 0 ? [`How many ${entity.many} were there per month this year?`] : []),
  ];
  for (const kind of kinds) {
    const first = entities.flatMap(kind);
    yield* first.slice(0, 1);
  }
  for (const kind of kinds) yield* entities.flatMap(kind);
}

/** Dimensions with few values, as people would say them. */
const groupable = (entity: EntityEntry): string[] =>
  entity.dimensions
    .filter(
      (dimension) =>
        dimension.type === 'string' &&
        dimension.primary_key !== true &&
        (dimension.sample_values?.length ?? 0) > 1 &&
        (dimension.unique_count ?? 10) <= 50,
    )
    .map((dimension) => nameWords(dimension.name).join(' '));
