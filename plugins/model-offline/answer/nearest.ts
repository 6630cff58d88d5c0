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
const ENTITIES = 6;

/** At most three questions. `isNear`: the first is the nearest complete reading of the message. */
export function nearestQuestions(reader: Reader, message: string, before?: Request) {
  const near = message === '' ? undefined : remainder(reader, message, before);
  const questions = near === undefined ? [] : [near];
  for (const question of candidates(reader, new Set(nameWords(message).map(stem)))) {
    if (questions.length === WANTED) break;
    if (!questions.includes(question) && statementOf(reader, question) !== undefined) questions.push(question);
  }
  return { questions, isNear: near !== undefined };
}

function statementOf(reader: Reader, question: string): string | undefined {
  const { request, unplaced } = reader.read(question);
  return unplaced.length > 0 ? undefined : compiled(reader, request)?.sql;
}

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

function* candidates({ lexicon }: Reader, words: ReadonlySet<string>): Generator<string> {
  const score = ({ one, many, model }: EntityEntry): number =>
    [one, many, ...model.synonyms].flatMap(nameWords).filter((word) => words.has(stem(word))).length * 10 +
    Math.min(model.measures.length, 5);
  const scored = [...lexicon.entities.values()].map((entity) => ({ entity, value: score(entity) }));
  const asked = scored
    .sort((a, b) => b.value - a.value)
    .slice(0, ENTITIES)
    .map(({ entity }) => questionsAbout(entity));
  // One of each kind first: how many, a measure, by month.
  yield* [0, 1, 2].flatMap((kind) => asked.flatMap((kinds) => kinds[kind] ?? []).slice(0, 1));
  yield* asked.flat().filter((one) => one !== undefined);
}

function questionsAbout(entity: EntityEntry): readonly (string | undefined)[] {
  const { many, model, dimensions } = entity;
  // An attribute with few values, as people would say it.
  const group = dimensions.find(
    ({ type, unique_count: count = 10, sample_values: samples = [] }) =>
      type === 'string' && count <= 50 && samples.length > 1,
  );
  const by = group ? ` by ${nameWords(group.name).join(' ')}` : '';
  const measure = model.measures.find(({ type }) => type !== 'count');
  return [
    `How many ${many} are there${by}?`,
    measure && `What is the ${nameWords(measure.name).join(' ')}${by}?`,
    primaryDates(entity).length > 0 ? `How many ${many} were there per month this year?` : undefined,
  ];
}
