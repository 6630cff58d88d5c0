/** Reads one message: words → linked names → request → plan. */
import type { SemanticModel } from '../semantic-layer/index.ts';
import type { QueryPlan } from '../semantic-query/index.ts';
import { parse } from './parse/parse.ts';
import type { Request } from './parse/request.ts';
import { planRequest } from './plan/plan.ts';
import { type Terms, termsOf } from './plan/terms.ts';
import { type Lexicon, lexiconOf, type Meaning } from './words/lexicon.ts';
import { link } from './words/link.ts';
import { tokenize } from './words/tokenize.ts';

/** `unplaced`: words without a slot. `corrections`: spellings that were forgiven. */
export interface Sentence {
  readonly request: Request;
  readonly unplaced: readonly string[];
  readonly corrections: readonly (readonly [written: string, taken: string])[];
}

export interface Reader {
  readonly lexicon: Lexicon;
  read(text: string): Sentence;
  /** Throws how the reading ended otherwise (`outcomeOf`). */
  plan(request: Request, chosen: ReadonlyMap<string, number>): QueryPlan;
}

export function createReader(model: SemanticModel, now: Date): Reader {
  const lexicon = lexiconOf(model);
  const readText = (text: string, keep: (meaning: Meaning) => boolean) => {
    const items = link(tokenize(text), lexicon, text.replace(/\s/g, ' '), now, keep);
    return { ...parse(items, terms.roleOf), items };
  };
  const terms: Terms = termsOf(lexicon, (text, { definition, term }) =>
    readText(text, (one) => one.kind !== 'term' || (one.term.term !== term && one.term.definition !== definition)),
  );
  return {
    lexicon,
    read(text) {
      const { request, unplaced, items } = readText(text, () => true);
      const corrections = items.flatMap((item) => (item.corrected ? [[item.text, item.corrected] as const] : []));
      return { request, unplaced: unplaced.map((item) => item.text), corrections };
    },
    plan: (request, chosen) => planRequest(request, { lexicon, chosen, readTerm: terms.readTerm }),
  };
}
