/** What a question says, before names are decided: the form in which follow-ups change it. */
import type { Grain } from '../semantic-query/index.ts';
import type { Meaning } from './lexicon.ts';
import type { TimePhrase } from './time-phrases.ts';
import type { Aggregate, Comparator } from './vocabulary.ts';

/** A name in the question and everything it may mean. */
export interface Mention {
  readonly text: string;
  readonly meanings: readonly Meaning[];
  /** The word is in the plural: several are asked for. */
  readonly plural: boolean;
  readonly corrected?: string;
  /** Negated by its prefix: "unpaid". */
  readonly inverted?: boolean;
}

/** A figure that is asked for: `fn` over what is named, or what is named itself when it is a measure. */
export interface Want {
  readonly fn?: Aggregate;
  readonly mention: Mention;
  /** "total fines": their amount, or how many there are. */
  readonly orCount?: true;
}

export interface TimeMention {
  readonly text: string;
  readonly phrase: TimePhrase;
  /** Named together with the time before: "in 2024 and 2025". */
  readonly joined?: boolean;
  /** The date it was said of: "signed up in 2024". */
  readonly hint?: Mention;
  /** The noun right before it, where that is not what the rows are of: "invoices of admissions in 2024". */
  readonly of?: Mention;
}

export type Condition =
  | {
      readonly type: 'is';
      readonly mention: Mention;
      readonly negated: boolean /** No "and", "or" or comma before it. */;
      readonly apart?: boolean;
      /** Named beside the condition before, with "and": in the same phrase ("in Berlin and Austria") or as such. */
      readonly and?: 'phrase' | 'plain';
      readonly or?: boolean;
    }
  | {
      readonly type: 'equals';
      readonly mention: Mention;
      readonly value: string | number;
      readonly negated: boolean;
      readonly or?: boolean;
    }
  | {
      readonly type: 'compare';
      readonly mention?: Mention;
      /** The figure over the rows: "an average fee over 100". */
      readonly fn?: Aggregate;
      readonly comparator: Comparator;
      readonly value: number;
      readonly text: string;
      /** Names of what is compared, where an adjective says it: "heavier than". */
      readonly of?: readonly string[];
      readonly unit?: string /** Said of single rows, as a definition does. */;
      readonly ofRow?: boolean;
      readonly or?: boolean;
    }
  | {
      readonly type: 'null';
      readonly mention: Mention;
      readonly negated: boolean /** Said with "without" or "no": of a number, zero may be meant. */;
      readonly orZero?: boolean;
      readonly or?: boolean;
    }
  | { readonly type: 'time'; readonly time: TimeMention; readonly or?: boolean }
  | Related;

/** "with more than 5 orders in 2024", "without orders". */
export interface Related {
  readonly type: 'related';
  readonly mention: Mention;
  /** Whose related rows they are, where it is not the head: "revenue of customers with 5 orders". */
  readonly of?: Mention;
  readonly comparator: Comparator;
  readonly value: number;
  readonly conditions: readonly Condition[];
  /** One of several such conditions, each about rows of its own. */
  readonly apart?: true;
  readonly or?: boolean;
}

/** `per`: said with that word, which may also mean a ratio. */
export type Group =
  | { readonly mention: Mention; readonly per?: true }
  /** `hint`: the date it is of, or the entity whose date it is: "by month of admission". */
  | { readonly grain: Grain; readonly hint?: Mention };

export interface Rank {
  readonly direction: 'asc' | 'desc';
  readonly limit?: number;
  /** What decides where no key is named: the date, the number of rows, or a dimension with such a word in its name. */
  readonly of?: 'time' | 'age' | 'count' | readonly string[];
  readonly key?: Want;
  /** Named with "by": the figure of each group, not its greatest single value. */
  readonly isTotal?: boolean;
  /** Only an order: nothing is left out. */
  readonly isSorting?: boolean;
  /** Only a number of rows, whichever: "list 4 patients". */
  readonly isLimit?: boolean;
}

export interface Draft {
  readonly wants: readonly Want[];
  /** What the rows are of. */
  readonly head?: Mention;
  /** A condition used as a noun, "open orders": rows of what it is on. */
  readonly noun?: Mention;
  readonly listing: boolean;
  readonly columns: readonly Mention[];
  readonly groups: readonly Group[];
  readonly conditions: readonly Condition[];
  readonly times: readonly TimeMention[];
  readonly versus?: 'named' | 'change' | Grain;
  /** Periods or the relation named after "versus". */
  readonly against?: TimeMention;
  readonly rank?: Rank;
  readonly share: boolean;
  /** Conditions whose part of the whole is asked for. */
  readonly portion?: readonly Condition[];
  /** Of several conditions nothing says which are the part and which the whole. */
  readonly portionUnclear?: boolean;
  /** Two things are counted, and conditions may be of either. */
  readonly countsApart?: boolean;
  /** Words such as "and", "only" or "what about" that refer to the question before. */
  /** Entities named beside the head, which must be related to it. */
  readonly qualifiers: readonly Mention[];
  /** "who": somebody is asked for. */
  readonly who?: boolean;
  /** "which of them": rows are asked for, whatever was before. */
  readonly which?: boolean;
  /** Columns beside the name of each row: "customers and their emails". */
  readonly named?: boolean;
  /** A date is asked for. */
  readonly when: boolean;
  /** "new customers": those whose own date lies in the time asked for. */
  readonly isNew: boolean;
  /** "how many", of what the question before was about. */
  readonly counting: boolean;
  readonly followUp: 'none' | 'refine' | 'replace' | 'add';
}
