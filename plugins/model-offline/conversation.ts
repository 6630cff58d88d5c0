/** A conversation to what its last message asks: earlier messages are read again, so nothing is kept between requests. */
import { setImmediate } from 'node:timers/promises';
import type { SemanticModel } from '../semantic-layer/index.ts';
import { compileQuery, PlanError, type QueryPlan } from '../semantic-query/index.ts';
import { describePlan } from './describe.ts';
import type { Draft } from './draft.ts';
import { isFollowUp, merge } from './follow-up.ts';
import { Ask, Refuse } from './outcome.ts';
import { createReader, type Reader, type Sentence } from './read.ts';
import { suggestions } from './suggest.ts';
import { smallTalk } from './talk.ts';
import { tokenize } from './tokenize.ts';
import { isHarmless } from './vocabulary.ts';
import { nameWords, stem } from './words.ts';

export type Reading =
  /** `understood` restates measure, conditions, range and grouping, for the reader of the answer to check. */
  | { readonly kind: 'plan'; readonly plan: QueryPlan; readonly understood: string; readonly notes: readonly string[] }
  | { readonly kind: 'clarify'; readonly question: string; readonly choices: readonly string[] }
  /** `words` found no place; `reason` says what else is in the way. */
  | {
      readonly kind: 'unclear';
      readonly words: readonly string[];
      readonly reason: string;
      readonly suggestions: readonly string[];
    }
  /** Greetings, help, definitions: answered from the layer, without data. */
  | { readonly kind: 'talk'; readonly text: string };

interface Pending {
  readonly draft: Draft;
  readonly sentence: Sentence;
  readonly ask: Ask;
}
interface State {
  /** The last question that was understood. */
  readonly draft?: Draft;
  readonly chosen: ReadonlyMap<string, number>;
  readonly pending?: Pending;
}
interface MessageReading {
  readonly state: State;
  readonly reading: Reading;
}

/** Longest message that is read, in characters: what is longer is pasted text and no question. */
const MAX_MESSAGE_LENGTH = 2_000;
/** How many of the user's last messages are read. */
const MAX_MESSAGES = 20;

/** Questions that can be answered, those about what the text mentions first. */
type Suggest = (about: string) => readonly string[];

/** Reads the last of the user's messages in the light of those before. Never throws for what a user may write. */
export function readQuestion(
  history: readonly string[],
  model: SemanticModel,
  options: { readonly now: Date },
): Reading {
  let last: Reading | undefined;
  for (const reading of readings(history, model, options.now)) last = reading;
  return last!;
}

/** The same as `readQuestion`; other requests run between the messages. */
export async function readQuestionInTurns(
  history: readonly string[],
  model: SemanticModel,
  options: { readonly now: Date },
): Promise<Reading> {
  let last: Reading | undefined;
  for (const reading of readings(history, model, options.now)) {
    if (last !== undefined) await setImmediate();
    last = reading;
  }
  return last!;
}

/** What each message means in the light of those before, at least one. */
function* readings(history: readonly string[], model: SemanticModel, now: Date): Generator<Reading> {
  const reader = createReader(model, now);
  const suggest: Suggest = (about) => suggestions(reader, about);
  if (history.length === 0) yield unclear([], 'There is no question.', '', suggest);
  let state: State = { chosen: new Map() };
  for (const [index, message] of history.slice(-MAX_MESSAGES).entries()) {
    const isLast = index === Math.min(history.length, MAX_MESSAGES) - 1;
    let reading: Reading;
    // Only the last answer is shown, and suggestions take longer than the rest.
    ({ state, reading } = readMessage(message, state, reader, isLast ? suggest : () => []));
    yield reading;
  }
}

function readMessage(message: string, state: State, reader: Reader, suggest: Suggest): MessageReading {
  if (message.length > MAX_MESSAGE_LENGTH) {
    const reason = `It has ${message.length} characters; without a language model at most ${MAX_MESSAGE_LENGTH} are read. Ask in one sentence.`;
    return { state: { chosen: new Map() }, reading: unclear([], reason, '', suggest) };
  }
  const answer = state.pending && chosenBy(message, state.pending.ask.choices);
  if (state.pending && answer !== undefined) {
    const { draft, ask, sentence } = state.pending;
    return plan(draft, new Map([...state.chosen, [ask.key, answer]]), sentence, message, state, reader, suggest);
  }
  const talk = smallTalk(message, reader, suggest);
  if (talk !== undefined) return { state, reading: { kind: 'talk', text: talk } };
  const sentence = reader.sentence(message);
  const refersBack = tokenize(message).some((token) => /^(them|those|these|they)$/.test(token.word));
  if (refersBack && state.draft === undefined)
    return { state, reading: unclear([], 'I did not understand the question that this refers to.', message, suggest) };
  if (sentence.unplaced.length > 0)
    return {
      state: isFollowUp(sentence) ? state : { chosen: new Map() },
      reading: unclear(sentence.unplaced, '', message, suggest),
    };
  const continues = state.draft !== undefined && (refersBack || isFollowUp(sentence));
  if (continues && isNothing(sentence.draft))
    return { state, reading: unclear([message.trim()], '', message, suggest) };
  const draft = continues ? merge(state.draft!, sentence.draft) : sentence.draft;
  return plan(draft, continues ? state.chosen : new Map(), sentence, message, state, reader, suggest);
}

/** Nothing in the message could change the answer before. */
const isNothing = (draft: Draft): boolean =>
  draft.times.length + draft.conditions.length + draft.groups.length + draft.wants.length + draft.columns.length ===
    0 &&
  !draft.head &&
  !draft.noun &&
  !draft.rank &&
  !draft.versus &&
  !draft.portion &&
  !(draft.share || draft.listing || draft.counting || draft.when || draft.which);

function plan(
  draft: Draft,
  chosen: ReadonlyMap<string, number>,
  sentence: Sentence,
  message: string,
  state: State,
  reader: Reader,
  suggest: Suggest,
): MessageReading {
  try {
    const found = reader.plan(draft, chosen);
    const dropped = reader.dropped(sentence, draft, found, chosen, draft !== sentence.draft);
    if (dropped.length > 0) throw new Refuse(dropped);
    const compiled = compileQuery(reader.lexicon.model, found, { dialect: 'sqlite' });
    const notes = sentence.corrections.map(([written, taken]) => `I read "${written}" as "${taken}".`);
    return {
      state: { draft, chosen },
      reading: { kind: 'plan', plan: found, understood: describePlan(reader.lexicon.model, found, compiled), notes },
    };
  } catch (error) {
    if (error instanceof Ask)
      return {
        state: { ...state, chosen, pending: { draft, sentence, ask: error } },
        reading: { kind: 'clarify', question: error.message, choices: error.choices },
      };
    if (error instanceof Refuse) return { state, reading: unclear(error.words, error.message, message, suggest) };
    if (error instanceof PlanError) return { state, reading: unclear([], error.message, message, suggest) };
    throw error;
  }
}

function unclear(words: readonly string[], reason: string, message: string, suggest: Suggest): Reading {
  return { kind: 'unclear', words, reason, suggestions: suggest(message) };
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];

/** The choice that a reply names: by its place, or by words that only one of them has. */
function chosenBy(message: string, choices: readonly string[]): number | undefined {
  const tokens = tokenize(message).filter((token) => token.kind !== 'sign');
  const words = tokens
    .map((token) => token.word)
    .filter(
      (word) =>
        !isHarmless(word) && !['option', 'choice', 'number', 'meaning', 'by', 'all', 'only', 'just'].includes(word),
    );
  const wanted = words.map(stem);
  const matches = choices.flatMap((choice, i) => {
    const own = new Set(nameWords(choice).map(stem));
    return wanted.length > 0 && wanted.every((word) => own.has(word)) ? [i] : [];
  });
  if (matches.length === 1) return matches[0];
  const exact = choices.findIndex(
    (choice) =>
      nameWords(choice.replace(/\(.*\)/, ''))
        .map(stem)
        .join(' ') === wanted.join(' '),
  );
  if (exact >= 0) return exact;
  const [only] = tokens.filter(
    (token) =>
      !['the', 'option', 'choice', 'number', 'one', 'please', 'i', 'mean'].includes(token.word) ||
      token.kind === 'number',
  );
  if (tokens.length > 5 || only === undefined || words.length > 1) return undefined;
  const ordinal = ORDINALS.findIndex(
    (name, i) =>
      name === only.word ||
      only.word === `${i + 1}st` ||
      only.word === `${i + 1}nd` ||
      only.word === `${i + 1}rd` ||
      only.word === `${i + 1}th`,
  );
  const place =
    ordinal >= 0 ? ordinal : only.word === 'last' ? choices.length - 1 : only.kind === 'number' ? only.value! - 1 : -1;
  return Number.isInteger(place) && place >= 0 && place < choices.length ? place : undefined;
}
