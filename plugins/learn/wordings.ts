/** Proposes other wordings of verified queries: questions that were only like one, for which users chose it and found it good. */
import { setImmediate } from 'node:timers/promises';
import type { Verification } from '../agent/index.ts';
import { timeReader, tokenizer } from '../model-offline/index.ts';
import { type ModelVerifiedQuery, type SemanticModel, stem, tokenize, visibleModel } from '../semantic-layer/index.ts';
import type { Log, Turn } from './log.ts';
import type { WordingProposal } from './proposal.ts';
import { Seen } from './seen.ts';
import { GENERAL_WORDS, namedStems, stemsOf, valueStems } from './words.ts';

/** Of letters and few signs, so that no address, markup or sentence of several is one. */
const WORDING = /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N} ,'’-]{2,119}$/u;
/** A value that can stand in one; no pattern has any of its signs. */
const SAID = /^[\p{L}\p{M}\p{N} ,'’-]+$/u;
/** Words that neither the layer nor the other wordings have: with more of them it may say anything. */
const MAX_UNKNOWN = 2;
/** Questions that are read before other requests have their turn. */
const BATCH = 25;
/** How a choice ends that tells several queries apart which answer the question alike. */
const TOLD_APART = / \[[a-z][a-z0-9_-]*\]$/;

interface Reader {
  readonly queries: readonly ModelVerifiedQuery[];
  /** Stems of names, and of values that the layer lists. */
  readonly named: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  saysTime(text: string, at: string): boolean;
}

async function readerOf(model: SemanticModel): Promise<Reader> {
  const [words, times] = await Promise.all([tokenizer(), timeReader()]);
  return {
    queries: visibleModel(model).verified ?? [],
    named: namedStems(model),
    values: valueStems(model),
    saysTime(text, at) {
      const tokens = words.tokenize(text);
      return tokens.some((_, index) => times.readTime(tokens, index, new Date(at)) !== undefined);
    },
  };
}

/** The question for which the user chose the query, and said that this was right. */
function nearMissOf({ text, answer, before }: Turn): { asked: Turn; verified: Verification } | undefined {
  if (answer?.verified === undefined || answer.feedback?.rating !== 'good' || before?.answer === undefined) return;
  const { outcome, choices } = before.answer;
  const isOffered = outcome === 'clarify' && choices.includes(text) && !TOLD_APART.test(text);
  return isOffered ? { asked: before, verified: answer.verified } : undefined;
}

/** The question with its parameters as `{name}`; `undefined` where it may ask for more than the query answers. */
function wordingOf({ text, at }: Turn, query: ModelVerifiedQuery, { parameters }: Verification, reader: Reader) {
  const asked = text
    .replace(/[?!.\s]+$/, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (!WORDING.test(asked) || reader.saysTime(asked, at)) return undefined;
  let wording = asked;
  for (const { name, default: given, optional } of query.parameters ?? []) {
    const value = String(parameters[name] ?? '');
    const parts = SAID.test(value)
      ? wording.split(new RegExp(`(?<![\\p{L}\\p{N}])${value}(?![\\p{L}\\p{N}])`, 'iu'))
      : [];
    if (parts.length === 2) wording = parts.join(`{${name}}`);
    else if (given === undefined && optional !== true) return undefined;
  }
  // What stands in it besides is part of every question that it answers.
  const said = wording.replace(/\{\w+\}/g, ' ');
  if (/\p{N}/u.test(said) || /\p{Lu}/u.test(said.slice(1))) return undefined;
  const own = stemsOf([query.question, ...(query.also ?? [])]);
  const others = [...stemsOf([said])].filter((word) => !own.has(word));
  const unknown = others.filter((word) => !reader.named.has(word) && !GENERAL_WORDS.has(word));
  return unknown.length > MAX_UNKNOWN || others.some((word) => reader.values.has(word)) ? undefined : wording;
}

/** What two wordings have in common that say the same. */
const keyOf = (wording: string) =>
  tokenize(wording)
    .flatMap((word) => stem(word) ?? [])
    .join(' ');

export async function proposeWordings(log: Log, model: SemanticModel): Promise<WordingProposal[]> {
  const nearMisses = log.turns.flatMap((turn) => nearMissOf(turn) ?? []);
  if (nearMisses.length === 0) return [];
  const reader = await readerOf(model);
  const known = new Set(reader.queries.flatMap(({ question, also = [] }) => [question, ...also].map(keyOf)));
  const seen = new Seen<{ readonly query: ModelVerifiedQuery; readonly wording: string }>(log);
  for (const [at, { asked, verified }] of nearMisses.entries()) {
    if (at % BATCH === 0) await setImmediate();
    const query = reader.queries.find(({ name }) => name === verified.name);
    const wording = query && wordingOf(asked, query, verified, reader);
    if (query === undefined || wording === undefined || known.has(keyOf(wording))) continue;
    seen.add(`${query.file}\n${keyOf(wording)}`, { query, wording }, asked);
  }
  return seen.frequent().map(({ value: { query, wording }, ...counts }) => {
    const summary = `"${wording}" for the verified query ${query.name}`;
    return { kind: 'wording', owner: query, ...counts, summary, value: wording };
  });
}
