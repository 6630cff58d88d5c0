/** Finds the verified queries that a question asks for certainly, and those that it is only like. */
import { type ModelVerifiedQuery, type SemanticModel, visibleModel } from '../semantic-layer/index.ts';
import {
  beginsPeriod,
  defaultOf,
  exampleOf,
  type KnownParameter,
  knownParameter,
  MAX_CHARS,
  type Reading,
  readAt,
  type Values,
} from './parameters.ts';
import { ADVERB, Names, type ReadTime, signsOf, tenseOf, tokensOf } from './words.ts';

const MAX_NEAR = 3;
const MIN_LIKENESS = 0.3;
/** Others are named beside the nearest only if they are nearly as near. */
const SHARE_OF_BEST = 0.7;
/** How a question of its own begins: a mere name may go on from what was asked before. */
const ASKS = /^\W*(?:how|what|which|who|when|where|list|show|give|tell|please)\b/i;
/** A parameter in a wording. A period is read with its preposition. */
const SLOT = /(\b(?:in|for|of|during|from|over|within|throughout|on|at)\s+)?\{(\w+)\}/gi;
const NAMED = /\{(\w+)\}/g;
/** How the word begins that stands for a parameter while a wording is read. */
const MARK = 'verifiedparameter';

type Item = { readonly unit: string } | { readonly slot: KnownParameter };

interface Wording {
  readonly text: string;
  readonly items: readonly Item[];
  readonly tense: ReturnType<typeof tenseOf>;
}

interface Known {
  readonly query: ModelVerifiedQuery;
  readonly parameters: readonly KnownParameter[];
  readonly wordings: readonly Wording[];
  /** The words of the values that it lists. */
  readonly valueWords: ReadonlySet<string>;
}

export interface Match {
  readonly query: ModelVerifiedQuery;
  readonly values: Values;
  /** The question as the wording asks it. */
  readonly asked: string;
}

export interface Found {
  /** Of one, the answer; of several, which is meant has to be asked. */
  readonly certain: readonly Match[];
  /** The nearest first. `asked` is missing where the question does not say all that it needs. */
  readonly near: readonly { readonly query: ModelVerifiedQuery; readonly asked?: string }[];
}

export interface Asked {
  readonly text: string;
  readonly now: Date;
  /** Whether something was asked before. */
  readonly isFollowUp?: boolean;
}

/** The verified queries of one model, made ready once. */
export class Matcher {
  readonly #names: Names;
  readonly #readTime: ReadTime;
  readonly #known: readonly Known[];
  readonly #rarity = new Map<string, number>();

  constructor(model: SemanticModel, tokenize: Names['tokenize'], readTime: ReadTime) {
    this.#names = new Names(model, tokenize);
    this.#readTime = readTime;
    this.#known = (visibleModel(model).verified ?? []).map((query) => {
      const parameters = (query.parameters ?? []).map((one) =>
        knownParameter(one, model, (text) => tokensOf(text, tokenize)),
      );
      const wordings = [query.question, ...(query.also ?? [])].map((text) => this.#wording(text, parameters));
      const valueWords = new Set(
        parameters.flatMap(({ listed }) => listed.flatMap(({ words }) => words.map(({ word }) => word))),
      );
      return { query, parameters, wordings, valueWords };
    });
    const all = this.#known.map(({ wordings }) => new Set(wordings.flatMap(unitsIn)));
    const counts = new Map<string, number>();
    for (const units of all) for (const unit of units) counts.set(unit, (counts.get(unit) ?? 0) + 1);
    for (const [unit, count] of counts) this.#rarity.set(unit, 1 + Math.log(all.length / count));
  }

  find(asked: Asked): Found {
    const reading = this.#reading(asked.text, asked.now);
    const isOwn = !asked.isFollowUp || ASKS.test(asked.text);
    const certain = this.#known.flatMap((known) => (isOwn ? (this.#certain(known, reading) ?? []) : []));
    const matched = new Set(certain.map(({ query }) => query));
    const others = this.#known.filter(({ query }) => !matched.has(query));
    return { certain, near: certain.length === 1 ? [] : this.#near(others, reading) };
  }

  /** Values to try a query with: its defaults, and any others. */
  examples({ name }: ModelVerifiedQuery, now: Date): Values {
    const { parameters = [] } = this.#known.find(({ query }) => query.name === name) ?? {};
    const read = (text: string) => this.#reading(text, now);
    return Object.fromEntries(parameters.map((one) => [one.name, defaultOf(one, read) ?? exampleOf(one)]));
  }

  #reading(text: string, now: Date): Reading {
    return {
      text,
      isUpperCase: text === text.toUpperCase(),
      tokens: tokensOf(text.slice(0, MAX_CHARS), this.#names.tokenize),
      now,
      readTime: this.#readTime,
    };
  }

  #wording(text: string, parameters: readonly KnownParameter[]): Wording {
    const marked = text.replace(SLOT, (whole, before: string | undefined, name: string) => {
      const at = parameters.findIndex((one) => one.name === name);
      if (at < 0) return whole;
      return `${parameters[at]?.type === 'period' ? '' : (before ?? '')}${MARK}${at}`;
    });
    const items = this.#names.unitsOf(tokensOf(marked, this.#names.tokenize)).map((unit): Item => {
      const slot = unit.startsWith(MARK) ? parameters[Number(unit.slice(MARK.length))] : undefined;
      return slot === undefined ? { unit } : { slot };
    });
    return { text, items, tense: tenseOf(text) };
  }

  /** The only way in which the question is one of the wordings. */
  #certain({ query, parameters, wordings }: Known, reading: Reading): Match | undefined {
    if (reading.text.length > MAX_CHARS) return undefined;
    const ways = new Map<string, Match>();
    for (const { text, items, tense } of wordings) {
      // A wording that says nothing is said by everything that says nothing.
      if (!items.some((item) => 'unit' in item)) continue;
      for (const said of this.#ways(items, reading, 0, 0)) {
        // Those of a value are no words of it: "A+" is not said by "A".
        const asIs = text.replace(NAMED, (_, name: string) => (typeof said[name] === 'string' ? said[name] : 'x'));
        if (signsOf(asIs) !== signsOf(reading.text)) continue;
        const isDated = parameters.some(({ name, type }) => type === 'period' && said[name] !== undefined);
        const other = tenseOf(reading.text);
        if (!isDated && tense !== undefined && other !== undefined && tense !== other) continue;
        const values: Record<string, Values[string]> = {};
        for (const one of parameters) {
          const value = said[one.name] ?? defaultOf(one, (given) => this.#reading(given, reading.now));
          if (value !== undefined) values[one.name] = value;
        }
        if (parameters.some(({ name }) => values[name] === undefined)) continue;
        const asked = text.replace(NAMED, (_, name: string) => shown(values[name] ?? null));
        ways.set(JSON.stringify(parameters.map(({ name }) => values[name])), { query, values, asked });
      }
    }
    return ways.size === 1 ? [...ways.values()][0] : undefined;
  }

  /** The values of the slots for every way in which the tokens from `at` are the items from `item`, word by word. */
  #ways(items: readonly Item[], reading: Reading, item: number, at: number): Values[] {
    const { tokens } = reading;
    const next = items[item];
    const token = tokens[at];
    if (token === undefined) return next === undefined ? [{}] : [];
    // "In the last month" is also said of the last 30 days, which "last month" alone is not.
    const isRead = token.isStop && next !== undefined && 'slot' in next && beginsPeriod(next.slot, reading, at);
    // A value is no verb: "are {status}" is said by "are cancelled".
    const isOfValue = token.isPassive && 'slot' in (items.slice(item).find((one) => !isAdverb(one)) ?? {});
    const skipped = (token.isStop && !isRead) || isOfValue ? this.#ways(items, reading, item, at + 1) : [];
    if (next === undefined) return skipped;
    if ('unit' in next) {
      if (token.isStop || isOfValue) return skipped;
      const same = this.#names.unitsAt(tokens, at).filter(({ id }) => id === next.unit);
      return same.flatMap((one) => this.#ways(items, reading, item + 1, one.next));
    }
    const { name } = next.slot;
    const read = readAt(next.slot, reading, at).flatMap(({ value, next: behind }) =>
      this.#ways(items, reading, item + 1, behind).map((rest) => ({ ...rest, [name]: value })),
    );
    return [...skipped, ...read];
  }

  #near(queries: readonly Known[], reading: Reading): Found['near'] {
    const { tokens, now, readTime } = reading;
    const words = tokens.filter(({ kind }, at) => kind === 'word' && readTime(tokens, at, now) === undefined);
    const weight = (units: Iterable<string>) => [...units].reduce((sum, one) => sum + (this.#rarity.get(one) ?? 1), 0);
    const unitsOf = new Map<string, ReadonlySet<string>>();
    const scored = queries.map(({ query, wordings, valueWords }) => {
      const others = words.filter(({ word }) => !valueWords.has(word));
      const key = others.map(({ start }) => start).join();
      const asked = unitsOf.get(key) ?? new Set(this.#names.unitsOf(others));
      unitsOf.set(key, asked);
      const ranked = wordings.map((wording) => {
        const units = new Set(unitsIn(wording));
        return { wording, score: weight(units.intersection(asked)) / Math.max(1, weight(units.union(asked))) };
      });
      ranked.sort((a, b) => b.score - a.score);
      return { query, ranked, score: ranked[0]?.score ?? 0 };
    });
    scored.sort((a, b) => b.score - a.score);
    const least = Math.max(MIN_LIKENESS, SHARE_OF_BEST * (scored[0]?.score ?? 0));
    const near = scored.filter(({ score }) => score >= least).slice(0, MAX_NEAR);
    return near.map(({ query, ranked }) => {
      const asked = ranked.map(({ wording }) => this.#filled(wording, reading)).find((text) => text !== undefined);
      return { query, ...(asked !== undefined && { asked }) };
    });
  }

  /** The wording with what the question says anywhere in its slots; `undefined` where it does not say all. */
  #filled({ text, items }: Wording, reading: Reading): string | undefined {
    let filled = text;
    for (const item of items) {
      if (!('slot' in item)) continue;
      const found = reading.tokens.flatMap((_, at) => readAt(item.slot, reading, at));
      const value = found[0]?.value ?? (item.slot.type === 'top' ? item.slot.default : undefined);
      if (value === undefined) return undefined;
      filled = filled.replace(`{${item.slot.name}}`, () => shown(value));
    }
    return filled;
  }
}

const isAdverb = (item: Item) => 'unit' in item && ADVERB.test(item.unit);
const unitsIn = ({ items }: Wording) => items.flatMap((item) => ('unit' in item ? [item.unit] : []));

/** As it can be asked: the last day of a period is in it. */
function shown(value: Values[string]): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  const last = new Date(Date.parse(value.to) - 86_400_000).toISOString().slice(0, 10);
  return last === value.from ? last : `${value.from} to ${last}`;
}
