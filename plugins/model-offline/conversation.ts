/** Reads a conversation: earlier messages are read again, so nothing is kept between requests. */
import { setImmediate } from 'node:timers/promises';
import type { SemanticModel } from '../semantic-layer/index.ts';
import { compileQuery, PlanError, type QueryPlan } from '../semantic-query/index.ts';
import { describePlan } from './answer/describe.ts';
import { nearestQuestions } from './answer/nearest.ts';
import { smallTalk } from './answer/small-talk.ts';
import { isFollowUp, isNothing, merge } from './parse/follow-up.ts';
import type { Request } from './parse/request.ts';
import type { FoundValue, Lookup } from './plan/lookups.ts';
import { type Asking, outcomeOf } from './plan/outcome.ts';
import { createReader, type Reader } from './reader.ts';
import { prepareLexicon } from './words/lexicon.ts';
import { tokenize } from './words/tokenize.ts';
import { isHarmless } from './words/vocabulary.ts';
import { fold, nameWords, spoken, stem } from './words/words.ts';

export type Reading =
  /** `understood` restates measure, conditions, range and grouping, for the reader of the answer to check. */
  | { readonly kind: 'plan'; readonly plan: QueryPlan; readonly understood: string }
  | { readonly kind: 'clarify'; readonly question: string; readonly choices: readonly string[] }
  | (Refused & { readonly kind: 'unclear' })
  /** Greetings, help, definitions: answered from the layer, without data. */
  | { readonly kind: 'talk'; readonly text: string };

/**
 * `words` found no place; `reason` says what else is in the way. `isNear`: the first suggestion is left of the question.
 * `lookups`: where words of this or an earlier message may be values.
 */
type Refused = Readonly<{ words: readonly string[]; reason: string; isNear: boolean; suggestions: readonly string[] }> &
  Readonly<{ lookups: readonly Lookup[] }>;
/** `values`: what was found in the database for words of these messages. */
type Circumstances = { readonly now: Date; readonly values?: readonly FoundValue[] };

/** A question with what was chosen for it. */
type Asked = Readonly<{ request: Request; chosen: ReadonlyMap<string, number> }> &
  /** What the choices that were offered are, where they are questions of their own. */
  Readonly<{ alternatives?: readonly Request[] }>;
/** The last question that was understood, the one that was asked back about, what was offered instead of an answer. */
type State = Readonly<{ last?: Asked; pending?: Asked & { readonly asking: Asking }; suggestions?: readonly string[] }>;
type Turn = Readonly<{ state: State; reading: Reading }>;

/** Longest message that is read, in characters, and how many of the user's last messages are. */
const MAX_MESSAGE_LENGTH = 2_000;
const MAX_MESSAGES = 20;

/** Reads the last of the user's messages in the light of those before. Never throws for what a user may write. */
export const readQuestion = (history: readonly string[], model: SemanticModel, given: Circumstances) =>
  [...readings(history, model, given)].at(-1)!;

/** The same as `readQuestion`; other requests run between the messages. */
export async function readQuestionInTurns(
  history: readonly string[],
  model: SemanticModel,
  given: Circumstances,
): Promise<Reading> {
  await prepareLexicon(model);
  let last: Reading | undefined;
  for (const reading of readings(history, model, given)) {
    if (last !== undefined) await setImmediate();
    last = reading;
  }
  return last!;
}

/** What each message means in the light of those before, at least one. */
function* readings(
  history: readonly string[],
  model: SemanticModel,
  { now, values }: Circumstances,
): Generator<Reading> {
  const reader = createReader(model, now, values);
  const lookups: Lookup[] = [];
  let state: State = {};
  const messages = history.length > 0 ? history.slice(-MAX_MESSAGES) : [''];
  for (const [index, message] of messages.entries()) {
    // A reply can take what was offered to the message before, so that the last two get suggestions.
    const turn = readMessage(message, state, reader, { isFirst: index === 0, isShown: index >= messages.length - 2 });
    state = turn.state;
    const { reading } = turn;
    if (reading.kind === 'unclear') lookups.push(...reading.lookups);
    yield reading.kind === 'unclear' ? { ...reading, lookups } : reading;
  }
}

/** "I meant the amount", "no, by region": goes on from the question before. */
const CORRECTION = /^\s*(?:(?:no|sorry|actually|oops|rather|wait)\b[,.!:;\s]*)*(?:i\s+(?:meant|mean|wanted|want)\s+)?/i;
const YES = /^\s*(?:yes|yeah|yep|sure|ok|okay|correct|right|yes please)\s*[.!]*\s*$/i;
/** Other scripts, and the commonest words of neighbouring languages. */
const FOREIGN =
  /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]|(?<!\p{L})(?:wie|viele|gibt|zeige|welche|combien|quel|quelle|cuantos|cuántos|cuál|quanti|quantos|hoeveel|und|der|das|les|el|los)(?![\p{L}-])/iu;

/** "their names", "what is their average salary": of what was asked for before. */
const THEIRS =
  /^\W*(?:(?:and|also|please|show|list|give|me|what|is|are|was|were|how|many|much) )*(?:the )?(?:their|its)\b/i;
/** "All customers" are no part of an answer before. */
const ALL = /^\W*(?:(?:list|show|give)(?: me| us)? )?(?:all|every)\b/i;
/** How a question of its own begins. */
const ASKS = /^\W*(?:how|what|which|who|whom|whose|when|where|is|are|do|does|did|compare)\b/i;

type Place = Readonly<{ isFirst: boolean; isShown: boolean }>;

function readMessage(said: string, state: State, reader: Reader, { isFirst, isShown }: Place): Turn {
  const { last, pending, suggestions: offered = [] } = state;
  const isLong = Math.max(said.length, fold(said).length) > MAX_MESSAGE_LENGTH;
  const refuse = (words: readonly string[], why: string, next: State, lookups: readonly Lookup[] = []): Turn => {
    const near = isShown ? nearestQuestions(reader, isLong ? '' : said) : undefined;
    const { questions: suggestions, isNear } = near ?? { questions: [], isNear: false };
    const reason = words.length > 0 && FOREIGN.test(said) ? `${why} I read English only.`.trim() : why;
    return {
      state: { ...next, suggestions },
      reading: { kind: 'unclear', words, reason, isNear, suggestions, lookups },
    };
  };
  const answer = (asked: Asked, respelt: readonly string[] = []): Turn => {
    const { request, chosen } = asked;
    const { model } = reader.lexicon;
    try {
      const way = [...chosen].flatMap(([key, at]) => (key.startsWith('path:') ? key.slice(5).split('|')[at]! : []));
      const plan = { ...reader.plan(request, chosen), ...(way.length > 0 && { joinPath: way }) };
      compileQuery(model, plan);
      const understood = [describePlan(model, plan), ...respelt].join(', ');
      return { state: { last: asked }, reading: { kind: 'plan', plan, understood } };
    } catch (error) {
      const outcome = outcomeOf(error);
      const kept = last ? { last } : {};
      const asking = outcome?.kind === 'ask' ? outcome : pathAsked(error);
      if (asking) {
        const { question, choices } = asking;
        const pending = { ...asked, asking };
        return { state: { ...kept, pending }, reading: { kind: 'clarify', question, choices } };
      }
      if (outcome?.kind === 'refusal') return refuse(outcome.words, outcome.reason, kept);
      if (error instanceof PlanError) return refuse([], error.message, kept);
      throw error;
    }
  };
  if (isLong) {
    const size = `It has ${said.length} characters; without a language model at most ${MAX_MESSAGE_LENGTH} are read.`;
    return refuse([], `${size} Ask in one sentence.`, {});
  }
  const picked = offered[YES.test(said) ? 0 : (chosenBy(said, offered, true) ?? -1)];
  const correction = last && !picked ? (CORRECTION.exec(said)?.[0] ?? '') : '';
  const message = picked ?? said.slice(correction.length);
  const choice = pending && chosenBy(message, pending.asking.choices);
  if (choice !== undefined && pending?.alternatives)
    return answer({ chosen: pending.chosen, request: pending.alternatives[choice]! });
  if (pending && choice !== undefined)
    return answer({ ...pending, chosen: new Map([...pending.chosen, [pending.asking.key, choice]]) });
  const talk = smallTalk(message, reader.lexicon, () => nearestQuestions(reader, '').questions);
  if (talk !== undefined) return { state, reading: { kind: 'talk', text: talk } };
  const { request, unplaced, respelt, lookups } = reader.read(message);
  const refersBack =
    /\b(?:them|those|these|they)\b|\b(?:is|was|are|were) that\W*$/i.test(message) ||
    THEIRS.test(message) ||
    /\bit\b(?! takes?\b)/i.test(message);
  if (refersBack && !(pending ?? last))
    return refuse([], 'I did not understand the question that this refers to.', state);
  const goesOn = !picked && (correction.trim() !== '' || refersBack || isFollowUp(request));
  // What was asked back about is the question that a next message goes on from.
  const before = pending ?? last;
  if (goesOn && !before && (!isFirst || request.followUp === 'add'))
    return refuse(unplaced, 'I did not understand the question that this refers to.', state);
  if (unplaced.length > 0) return refuse(unplaced, '', goesOn ? state : {}, lookups);
  if (isNothing(request)) return refuse([], 'I could not tell what you want to see.', state);
  const { figures, columns, subject, ranking } = request;
  const isOrder = ranking?.isTotal === true && ranking.isSorting !== true;
  const isLimit = figures.length + columns.length === 0 && !subject && (!ranking?.key || isOrder);
  if (before && isCut(before.request) && !picked && (goesOn || isOpen(message, request)) && !isLimit)
    return refuse([], 'I cannot go on from a list that was cut; ask it in one sentence.', state);
  // "average price" after "machines in Graz": of those, or of all?
  if (!goesOn && !picked && last && !pending && isOpen(message, request) && hasContext(last.request)) {
    const alternatives = [merge(last.request, request), request];
    try {
      const choices = alternatives.map((one) => describePlan(reader.lexicon.model, reader.plan(one, last.chosen)));
      if (choices[0] === choices[1]) return answer({ request, chosen: new Map() }, respelt);
      const asking: Asking = { kind: 'ask', key: '', question: 'Do you go on from the question before?', choices };
      return {
        state: { last, pending: { ...last, asking, alternatives } },
        reading: { kind: 'clarify', question: asking.question, choices },
      };
    } catch (error) {
      if (!outcomeOf(error)) throw error;
      return refuse([], 'I cannot tell whether you go on from the question before; ask it in one sentence.', state);
    }
  }
  const asked =
    goesOn && before
      ? { ...before, request: merge(before.request, request, /mean|want/i.test(correction)) }
      : { request, chosen: new Map() };
  return answer(asked, respelt);
}

/** No sentence, only a figure, columns or one thing: it may go on from the question before. */
function isOpen(message: string, { ranking, conditions, periods }: Request): boolean {
  const isShort =
    message.trim().split(/\s+/).length <= 5 && !/\b(?:there|have|all|total|overall|exist)\b/i.test(message);
  return (isShort || !ASKS.test(message)) && !ranking && conditions.length + periods.length === 0 && !ALL.test(message);
}
const hasContext = ({ conditions, periods, groups, ranking }: Request): boolean =>
  ranking !== undefined || conditions.length + periods.length + groups.length > 0;
/** Rows of a list that was cut, which a figure or another thing cannot go on from. */
const isCut = ({ figures, ranking }: Request): boolean =>
  figures.length === 0 && ranking !== undefined && !ranking.isSorting;

/** Rows that are related in several ways: the reply names the joins. */
function pathAsked(error: unknown): Asking | undefined {
  if (!(error instanceof PlanError) || error.code !== 'ambiguous_path') return undefined;
  const way = (one: string): string => one.replace(/\w+\.(\w+)/g, (_, name: string) => spoken(name));
  const question = `${error.message.split(':')[0]!}. Which way do you mean?`;
  return { kind: 'ask', key: `path:${error.choices.join('|')}`, question, choices: error.choices.map(way) };
}

const ORDINALS = 'first second third fourth fifth sixth seventh eighth'.split(' ');
const POLITE = new Set('option choice number meaning by all only just the one please i mean'.split(' '));

/** The choice that a reply names: by its place, or by words that only one of them has. */
function chosenBy(message: string, choices: readonly string[], needsAll = false): number | undefined {
  if (choices.length === 0 || message.length > 200) return undefined;
  const stems = (text: string): string[] => nameWords(text).map(stem);
  const tokens = tokenize(message).filter(({ kind }) => kind !== 'sign');
  const said = tokens.filter(({ word }) => !POLITE.has(word));
  const wanted = said.filter(({ word }) => !isHarmless(word)).map(({ word }) => stem(word));
  const isMeant = (choice: string): boolean => wanted.every((word) => stems(choice).includes(word));
  const matches = needsAll || wanted.length === 0 ? [] : choices.filter(isMeant);
  if (matches.length === 1) return choices.indexOf(matches[0]!);
  const exact = choices.findIndex((one) => stems(one.replace(/\(.*\)/, '')).join() === stems(message).join());
  if (exact >= 0) return exact;
  const [only, more] = said.length > 0 ? said : tokens.filter(({ kind }) => kind === 'number');
  if (only === undefined || more) return undefined;
  const number = only.value ?? Number.parseInt(only.word, 10);
  const place = (Number.isNaN(number) ? ORDINALS.indexOf(only.word) + 1 : number) - 1;
  return place in choices ? place : undefined;
}
