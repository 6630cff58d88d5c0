/** Offers questions that can be answered: what is left of the one that was asked, then others about its words. */
import { compileQuery } from '../../semantic-query/index.ts';
import { isFollowUp, isNothing, merge } from '../parse/follow-up.ts';
import type { Request } from '../parse/request.ts';
import { primaryDates } from '../plan/traits.ts';
import type { Reader } from '../reader.ts';
import type { EntityEntry } from '../words/lexicon.ts';
import { nameWords, stem } from '../words/stem.ts';
import { questionOf } from './describe.ts';

const WANTED = 3;
const TRIED = 40;
const ENTITIES = 6;

/** At most three questions. `isNear`: the first is the nearest complete reading of the message. */
export function nearestQuestions(
  reader: Reader,
  message: string,
  before?: Request,
): { readonly questions: string[]; readonly isNear: boolean } {
  const near = message === '' ? undefined : remainder(reader, message, before);
  const questions = near === undefined ? [] : [near];
  let tried = 0;
  for (const question of candidates(reader, new Set(nameWords(message).map(stem)))) {
    if (questions.length === WANTED || tried++ > TRIED) break;
    if (!questions.includes(question) && statementOf(reader, question) !== undefined) questions.push(question);
  }
  return { questions, isNear: near !== undefined };
}

function statementOf(reader: Reader, question: string): string | undefined {
  const { request, unplaced } = reader.read(question);
  return unplaced.length > 0 ? undefined : compiled(reader, request)?.sql;
}

/** The plan of a request that needs nothing more; `undefined` for any other. */
function compiled(reader: Reader, request: Request) {
  try {
    const plan = reader.plan(request, new Map());
    return { plan, sql: compileQuery(reader.lexicon.model, plan).sql };
  } catch {
    return undefined;
  }
}

/** The message without what has no slot, as a new question that is read in the same way. */
function remainder(reader: Reader, message: string, before: Request | undefined): string | undefined {
  const { request: own } = reader.read(message);
  if (isNothing(own)) return undefined;
  const whole = before && isFollowUp(own) ? merge(before, own) : own;
  for (const less of [{}, { conditions: [] }, { groups: [] }, { groups: [], conditions: [] }]) {
    const found = compiled(reader, { ...whole, ...less });
    const question = found && questionOf(reader.lexicon.model, found.plan);
    if (question !== undefined && statementOf(reader, question) === found!.sql) return question;
  }
  return undefined;
}

/** Entities that the words are about, then the others. */
function ranked(reader: Reader, words: ReadonlySet<string>): EntityEntry[] {
  const score = ({ one, model, dimensions }: EntityEntry): number => {
    const own = [one, ...model.synonyms, ...model.measures.map(({ name }) => name)].flatMap(nameWords).map(stem);
    return (
      own.filter((word) => words.has(word)).length * 10 +
      Math.min(model.measures.length, 5) +
      (dimensions.length > 1 ? 1 : 0)
    );
  };
  const scored = [...reader.lexicon.entities.values()].map((entity) => ({ entity, value: score(entity) }));
  return scored
    .sort((a, b) => b.value - a.value)
    .slice(0, ENTITIES)
    .map(({ entity }) => entity);
}

function* candidates(reader: Reader, words: ReadonlySet<string>): Generator<string> {
  const entities = ranked(reader, words);
  // Attributes with few values, as people would say them.
  const groupable = ({ dimensions }: EntityEntry): string[] =>
    dimensions
      .filter(
        (one) =>
          one.type === 'string' &&
          !one.primary_key &&
          (one.sample_values?.length ?? 0) > 1 &&
          (one.unique_count ?? 10) <= 50,
      )
      .map(({ name }) => ` by ${nameWords(name).join(' ')}`);
  const kinds: ((entity: EntityEntry) => string[])[] = [
    (entity) =>
      [groupable(entity)[0], ''].flatMap((by) => (by === undefined ? [] : [`How many ${entity.many} are there${by}?`])),
    (entity) =>
      entity.model.measures
        .filter(({ type }) => type !== 'count')
        .slice(0, 3)
        .map(({ name }) => `What is the ${nameWords(name).join(' ')}${groupable(entity).at(-1) ?? ''}?`),
    (entity) => (primaryDates(entity).length > 0 ? [`How many ${entity.many} were there per month this year?`] : []),
  ];
  for (const kind of kinds) yield* entities.flatMap(kind).slice(0, 1);
  for (const kind of kinds) yield* entities.flatMap(kind);
}
