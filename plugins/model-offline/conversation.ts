/** Reads a conversation: earlier messages are read again, so nothing is kept between requests. */
import { setImmediate } from 'node:timers/promises';
import type { SemanticModel } from '../semantic-layer/index.ts';
import { compileQuery, PlanError, type QueryPlan } from '../semantic-query/index.ts';
import { describePlan } from './answer/describe.ts';
import { nearestQuestions } from './answer/nearest.ts';
import { smallTalk } from './answer/small-talk.ts';
import { isFollowUp, isNothing, merge } from './parse/follow-up.ts';
import type { Request } from './parse/request.ts';
import { type Asking, outcomeOf } from './plan/outcome.ts';
import { createReader, type Reader, type Sentence } from './reader.ts';
import { nameWords, stem } from './words/stem.ts';
import { tokenize } from './words/tokenize.ts';
import { isHarmless } from './words/vocabulary.ts';

export type Reading =
  /** `understood` restates measure, conditions, range and grouping, for the reader of the answer to check. */
  | { readonly kind: 'plan'; readonly plan: QueryPlan; readonly understood: string; readonly notes: readonly string[] }
  | { readonly kind: 'clarify'; readonly question: string; readonly choices: readonly string[] }
  | Unclear
  /** Greetings, help, definitions: answered from the layer, without data. */
  | { readonly kind: 'talk'; readonly text: string };

/** `words` found no place; `reason` says what else is in the way. A reply may take a suggestion by its number. */
export interface Unclear {
  readonly kind: 'unclear';
  readonly words: readonly string[];
  readonly reason: string;
  /** The first of the suggestions is what is left of the question. */
  readonly isNear: boolean;
  readonly suggestions: readonly string[];
}

interface State {
  /** The last question that was understood, and what was chosen for it. */
  readonly request?: Request;
  readonly chosen: ReadonlyMap<string, number>;
  readonly pending?: { readonly request: Request; readonly sentence: Sentence; readonly asking: Asking };
  /** Offered instead of an answer. */
  readonly suggestions?: readonly string[];
}
interface Turn {
  readonly state: State;
  readonly reading: Reading;
}
type Refuse = (words: readonly string[], reason: string, next: State) => Turn;

/** Longest message that is read, in characters: what is longer is pasted text and no question. */
const MAX_MESSAGE_LENGTH = 2_000;
/** How many of the user's last messages are read. */
const MAX_MESSAGES = 20;

/** Reads the last of the user's messages in the light of those before. Never throws for what a user may write. */
export const readQuestion = (
  history: readonly string[],
  model: SemanticModel,
  { now }: { readonly now: Date },
): Reading => [...readings(history, model, now)].at(-1)!;

/** The same as `readQuestion`; other requests run between the messages. */
export async function readQuestionInTurns(
  history: readonly string[],
  model: SemanticModel,
  { now }: { readonly now: Date },
): Promise<Reading> {
  let last: Reading | undefined;
  for (const reading of readings(history, model, now)) {
    if (last !== undefined) await setImmediate();
    last = reading;
  }
  return last!;
}

/** What each message means in the light of those before, at least one. */
function* readings(history: readonly string[], model: SemanticModel, now: Date): Generator<Reading> {
  const reader = createReader(model, now);
  let state: State = { chosen: new Map() };
  const messages = history.length > 0 ? history.slice(-MAX_MESSAGES) : [''];
  for (const [index, message] of messages.entries()) {
    // A reply can take what was offered to the message before, so that the last two get suggestions.
    const turn = readMessage(message, state, reader, index >= messages.length - 2);
    state = turn.state;
    yield turn.reading;
  }
}

/** "I meant the amount", "no, by region": goes on from the question before. */
const CORRECTION = /^\s*(?:(?:no|sorry|actually|oops|rather|wait)\b[,.!:;\s]*)*(?:i\s+(?:meant|mean|wanted|want)\s+)?/i;
const YES = /^\s*(?:yes|yeah|yep|sure|ok|okay|correct|right|yes please)\s*[.!]*\s*$/i;
/** Other scripts, and the commonest words of neighbouring languages. */
const FOREIGN =
  /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]|(?<!\p{L})(?:wie|viele|gibt|zeige|welche|combien|quel|quelle|cuantos|cuántos|cuál|quanti|quantos|hoeveel|und|der|das|les|el|los)(?!\p{L})/iu;

function readMessage(said: string, state: State, reader: Reader, isShown: boolean): Turn {
  const refuse: Refuse = (words, reason, next) => {
    const { questions, isNear } = isShown
      ? nearestQuestions(reader, said.length > MAX_MESSAGE_LENGTH ? '' : said, state.request)
      : { questions: [], isNear: false };
    const isForeign = words.length > 0 && FOREIGN.test(said);
    const reading: Reading = {
      kind: 'unclear',
      words,
      reason: isForeign ? `${reason} I read English only.`.trim() : reason,
      isNear,
      suggestions: questions,
    };
    return { state: { ...next, suggestions: questions }, reading };
  };
  if (said.length > MAX_MESSAGE_LENGTH)
    return refuse(
      [],
      `It has ${said.length} characters; without a language model at most ${MAX_MESSAGE_LENGTH} are read. Ask in one sentence.`,
      { chosen: new Map() },
    );
  const offered = state.suggestions ?? [];
  const picked = offered[YES.test(said) ? 0 : (chosenBy(said, offered, true) ?? -1)];
  const correction = state.request && !picked ? (CORRECTION.exec(said)?.[0] ?? '') : '';
  const message = picked ?? said.slice(correction.length);
  const answer = state.pending && chosenBy(message, state.pending.asking.choices);
  if (state.pending && answer !== undefined) {
    const { request, asking, sentence } = state.pending;
    return plan(request, new Map([...state.chosen, [asking.key, answer]]), sentence, state, reader, refuse);
  }
  const talk = smallTalk(message, reader.lexicon, () => nearestQuestions(reader, '').questions);
  if (talk !== undefined) return { state, reading: { kind: 'talk', text: talk } };
  const sentence = reader.read(message);
  const next = sentence.request;
  const refersBack = tokenize(message).some(({ word }) => /^(them|those|these|they)$/.test(word));
  if (refersBack && !state.request) return refuse([], 'I did not understand the question that this refers to.', state);
  const goesOn = !picked && (correction.trim() !== '' || refersBack || isFollowUp(next));
  if (sentence.unplaced.length > 0) return refuse(sentence.unplaced, '', goesOn ? state : { chosen: new Map() });
  if (isNothing(next)) return refuse([], 'I could not tell what you want to see.', state);
  const continued = goesOn ? state.request : undefined;
  return plan(
    continued ? merge(continued, next) : next,
    continued ? state.chosen : new Map(),
    sentence,
    state,
    reader,
    refuse,
  );
}

function plan(
  request: Request,
  chosen: ReadonlyMap<string, number>,
  sentence: Sentence,
  state: State,
  reader: Reader,
  refuse: Refuse,
): Turn {
  const { suggestions: _, pending: __, ...before } = state;
  const { model } = reader.lexicon;
  try {
    const found = reader.plan(request, chosen);
    compileQuery(model, found);
    const notes = sentence.corrections.map(([written, taken]) => `I read "${written}" as "${taken}".`);
    return {
      state: { request, chosen },
      reading: { kind: 'plan', plan: found, understood: describePlan(model, found), notes },
    };
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome?.kind === 'ask') {
      const { question, choices } = outcome;
      return {
        state: { ...before, chosen, pending: { request, sentence, asking: outcome } },
        reading: { kind: 'clarify', question, choices },
      };
    }
    if (outcome) return refuse(outcome.words, outcome.reason, before);
    if (error instanceof PlanError) return refuse([], error.message, before);
    throw error;
  }
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];
const POLITE = new Set('option choice number meaning by all only just the one please i mean'.split(' '));

/** The choice that a reply names: by its place, or by words that only one of them has. */
function chosenBy(message: string, choices: readonly string[], needsAll = false): number | undefined {
  if (choices.length === 0 || message.length > 200) return undefined;
  const tokens = tokenize(message).filter(({ kind }) => kind !== 'sign');
  const wanted = tokens
    .map(({ word }) => word)
    .filter((word) => !isHarmless(word) && !POLITE.has(word))
    .map(stem);
  const stems = choices.map((choice) => nameWords(choice).map(stem));
  const matches =
    needsAll || wanted.length === 0
      ? []
      : stems.flatMap((own, i) => (wanted.every((word) => own.includes(word)) ? [i] : []));
  if (matches.length === 1) return matches[0];
  const exact = choices.findIndex(
    (choice) =>
      nameWords(choice.replace(/\(.*\)/, ''))
        .map(stem)
        .join(' ') === nameWords(message).map(stem).join(' '),
  );
  if (exact >= 0) return exact;
  const places = tokens.filter(({ word }) => !POLITE.has(word));
  const [only, more] = places.length > 0 ? places : tokens.filter(({ kind }) => kind === 'number');
  if (tokens.length > 5 || only === undefined || more) return undefined;
  const ordinal = ORDINALS.findIndex(
    (name, i) => name === only.word || new RegExp(`^${i + 1}(st|nd|rd|th)$`).test(only.word),
  );
  const place =
    ordinal >= 0 ? ordinal : only.word === 'last' ? choices.length - 1 : only.kind === 'number' ? only.value! - 1 : -1;
  return place in choices ? place : undefined;
}
