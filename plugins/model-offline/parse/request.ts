/** Holds what a question asks for, slot by slot, before its names are decided: the form in which follow-ups change it. */
import type { Grain } from '../words/layer.ts';
import type { Meaning } from '../words/lexicon.ts';
import type { TimePhrase } from '../words/time-phrases.ts';
import type { Aggregate, Comparator } from '../words/vocabulary.ts';

/** A name in the question and everything it may mean. `inverted`: negated by its prefix, "unpaid". */
export interface Mention {
  readonly text: string;
  readonly meanings: readonly Meaning[];
  readonly plural: boolean;
  readonly inverted?: boolean;
}

/**
 * A number that is asked for: `fn` over what is named, or the measure itself. No meanings: the amount of the rows.
 * `isSum`: said with "sum", which counts nothing. `isCount`: said with "number of", as in "average number of orders".
 */
export interface Figure {
  readonly fn?: Aggregate;
  readonly mention: Mention;
  readonly isSum?: boolean;
  readonly isCount?: boolean;
}

/** `hint`: the date it was said of. `of`: the entity named beside it. `joined`: named together with the one before. */
export interface Period {
  readonly text: string;
  readonly phrase: TimePhrase;
  readonly hint?: Mention;
  readonly of?: Mention;
  readonly joined?: boolean;
}

/** Something said of rows. Related rows have `conditions` of their own; an unnamed number has no meanings. */
export interface Condition {
  readonly type: 'is' | 'equals' | 'compare' | 'missing' | 'related' | 'period';
  readonly mention: Mention;
  /** How it follows the condition before. */
  readonly joined?: 'and' | 'or';
  readonly negated?: boolean;
  /** Stands before its noun: "open tickets". */
  readonly isAdjective?: boolean;
  /** "no discount": missing, or zero. */
  readonly orZero?: boolean;
  readonly value?: string | number;
  readonly comparator?: Comparator;
  readonly fn?: Aggregate;
  readonly unit?: string;
  /** The noun right before an unnamed number: "orders over 500". */
  readonly of?: Mention;
  readonly conditions?: readonly Condition[];
  readonly period?: Period;
}

/** What figures are split by. `per`: said as one for each. `hint`: the date or entity whose date a grain is of. */
export interface Group {
  readonly mention?: Mention;
  readonly grain?: Grain;
  readonly hint?: Mention;
  readonly per?: boolean;
}

export interface Ranking {
  /** Unset where only an order was asked for, and not which. */
  readonly direction?: 'asc' | 'desc';
  readonly limit?: number;
  /** What decides where no key is named: `time`, `age`, `count`, or words that name a number. */
  readonly of?: readonly string[];
  readonly key?: Figure;
  /** Named with "by": the figure of each group, not its greatest single value. */
  readonly isTotal?: boolean;
  /** Only an order: nothing is left out. */
  readonly isSorting?: boolean;
  /** "top", "best": says nothing of what decides. */
  readonly isVague?: boolean;
  /** Only a number of rows, in no order: "list 4 patients". */
  readonly isLimit?: boolean;
}

export interface Request {
  figures: readonly Figure[];
  /** What the rows are of. */
  subject?: Mention | undefined;
  /** Entities named beside the subject or figure, which must be related to it. */
  beside: readonly Mention[];
  /** Attributes that stand by themselves: shown, listed or ranked. */
  columns: readonly Mention[];
  groups: readonly Group[];
  conditions: readonly Condition[];
  periods: readonly Period[];
  ranking?: Ranking | undefined;
  /** Conditions whose part of the whole is asked for. */
  portion?: readonly Condition[] | undefined;
  share?: boolean;
  listing?: boolean;
  /** "which": rows or groups are asked for, not their number. "who": those of people. */
  which?: boolean;
  who?: boolean;
  /** "how many" without a noun, or with one of a condition. */
  counting?: boolean;
  /** "new customers": those whose own date lies in the period. */
  isNew?: boolean;
  compared?: boolean;
  /** Replaces or adds to parts of the question before. */
  followUp?: 'replace' | 'add';
}

export const unnamed = (text: string): Mention => ({ text, meanings: [], plural: false });
export const periodCondition = (period: Period): Condition => ({
  type: 'period',
  mention: unnamed(period.text),
  period,
});
export const nothing = (...lists: readonly (readonly unknown[])[]): boolean =>
  lists.every(({ length }) => length === 0);
export const entitiesIn = (mention: Mention | undefined) =>
  (mention?.meanings ?? []).filter((one) => one.kind === 'entity');
