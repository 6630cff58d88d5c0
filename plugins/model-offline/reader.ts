/** Reads one message: words → linked names → request → plan. */
import type { SemanticModel } from '../semantic-layer/index.ts';
import type { QueryPlan } from '../semantic-query/index.ts';
import { isNothing } from './parse/follow-up.ts';
import { parse } from './parse/parse.ts';
import type { Request } from './parse/request.ts';
import { type FoundValue, type Lookup, lookupsFor, withValues } from './plan/lookups.ts';
import { planRequest } from './plan/plan.ts';
import { type Definition, roleOf } from './plan/terms.ts';
import { type Lexicon, lexiconOf } from './words/lexicon.ts';
import { link, respell, withoutPrefixes } from './words/link.ts';
import { tokenize } from './words/tokenize.ts';
import { fold, stem } from './words/words.ts';

/** `unplaced`: words without a slot. `lookups`: where they may be values. `respelt`: as what misspelt words were read. */
export type Sentence = Readonly<{ request: Request; unplaced: readonly string[]; respelt: readonly string[] }> &
  Readonly<{ lookups: readonly Lookup[] }>;

export interface Reader {
  readonly lexicon: Lexicon;
  read(text: string): Sentence;
  /** Throws how the reading ended otherwise (`outcomeOf`). */
  plan(request: Request, chosen: ReadonlyMap<string, number>): QueryPlan;
}

/** `values`: found in the database for the words of the conversation. */
export function createReader(model: SemanticModel, now: Date, values: readonly FoundValue[] = []): Reader {
  const lexicon = values.length > 0 ? withValues(lexiconOf(model), values) : lexiconOf(model);
  const reader: Reader = {
    lexicon,
    read(said) {
      // "check-ins" of a table `checkins`
      const text = said.replace(/(\p{L}+)-(\p{L}+)/gu, (whole, one, two) =>
        lexicon.words.has(stem(fold(one + two))) ? one + two : whole,
      );
      const written = withoutPrefixes(tokenize(text), lexicon);
      const tokens = respell(written, lexicon);
      const items = link(tokens, lexicon, text.replace(/\s/g, ' '), now);
      const { request, unplaced } = parse(items, (term) => roleOf(lexicon, term));
      const respelt = tokens.flatMap(({ word }, at) => {
        const { word: own, text: said } = written[at]!;
        return own === word ? [] : [`"${said}" as "${word}"`];
      });
      const lookups = unplaced.length > 0 ? lookupsFor(lexicon, unplaced, request, text) : [];
      return { request, unplaced: unplaced.map((item) => item.text), respelt, lookups };
    },
    plan: (request, chosen) => planRequest(request, { lexicon, chosen, define }),
  };
  const define = (text: string): Definition | undefined => {
    const { request, unplaced } = reader.read(text);
    const { subject: rows, conditions } = request;
    const isRest = isNothing({ ...request, subject: undefined, conditions: [] });
    return isRest && unplaced.length === 0 && conditions.length > 0 ? { rows, conditions } : undefined;
  };
  return reader;
}
