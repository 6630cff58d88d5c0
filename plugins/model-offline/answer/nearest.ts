/** Offers questions that can be answered: what is left of the one that was asked, then others about its words. */
import { compileQuery } from '../../semantic-query/index.ts';
import { isFollowUp } from '../parse/follow-up.ts';
import type { Reader } from '../reader.ts';
import type { EntityEntry } from '../words/lexicon.ts';
import { capital, nameWords, spoken, stem } from '../words/words.ts';

const [WANTED, ENTITIES] = [3, 6];
/** Rests without what was asked for: "What is of Spain?", "How many guests are?". */
const STUMP = /^(what|who|which)( is| are| was| were)? (of|in|for|from|on|at) |^d(o|oes|id) |\b(is|are|was|were)\?$/i;

/** At most three questions. `isNear`: the first is the message without the words that have no slot. */
export function nearestQuestions(reader: Reader, message: string) {
  const { request, unplaced } = reader.read(message);
  const rest = capital(unplaced.reduce(without, message).replace(/[\s?.!,]*$/, '?'));
  const isNear = unplaced.length > 0 && !STUMP.test(rest) && !isFollowUp(request) && isAnswered(reader, rest);
  const questions = isNear ? [rest] : [];
  for (const question of candidates(reader, new Set(nameWords(message).map(stem)))) {
    if (questions.length === WANTED) break;
    if (!questions.includes(question) && isAnswered(reader, question)) questions.push(question);
  }
  return { questions, isNear };
}

/** The text without a word and the small words before it: "revenue on weekends" is about revenue. */
function without(text: string, word: string): string {
  const plain = word.replace(/[^\p{L}\p{N}]/gu, '\\$&');
  return text.replace(new RegExp(`(?:\\b(?:on|in|at|by|per|of|for|with|from|and|the|an?)\\s+)*${plain}\\s*`, 'i'), '');
}

function isAnswered(reader: Reader, question: string): boolean {
  const { request, unplaced } = reader.read(question);
  try {
    return unplaced.length === 0 && compileQuery(reader.lexicon.model, reader.plan(request, new Map())).sql !== '';
  } catch {
    return false;
  }
}

function candidates({ lexicon }: Reader, words: ReadonlySet<string>): string[] {
  const score = ({ stems, model }: EntityEntry): number =>
    stems.filter((stem) => words.has(stem)).length * 10 + Math.min(model.measures.length, 5);
  const scored = [...lexicon.entities.values()].map((entity) => ({ entity, value: score(entity) }));
  const asked = scored.sort((a, b) => b.value - a.value).slice(0, ENTITIES);
  return asked.flatMap(({ entity }) => questionsAbout(entity));
}

/** How many there are, a measure, by month. */
function questionsAbout({ many, model, dimensions }: EntityEntry): string[] {
  // An attribute with few values, as people would say it.
  const group = dimensions.find(
    ({ type, unique_count: count = 10, sample_values: samples = [] }) =>
      type === 'string' && count <= 50 && samples.length > 1,
  );
  const by = group ? ` by ${spoken(group.name)}` : '';
  const measure = model.measures.find(({ type }) => type !== 'count');
  const what = measure ? [`What is the ${spoken(measure.name)}${by}?`] : [];
  return [`How many ${many} are there${by}?`, ...what, `How many ${many} were there per month this year?`];
}
