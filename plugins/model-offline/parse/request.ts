/** Holds what a question asks for, slot by slot, before its names are decided: the form in which follow-ups change it. */
import type { DayRange } from '../words/calendar.ts';
import type { Grain } from '../words/layer.ts';
import type { Meaning } from '../words/lexicon.ts';
import type { Aggregate, Comparator, Criterion } from '../words/vocabulary.ts';

/** A name in the question and everything it may mean. */
export type Mention = Readonly<{ text: string; meanings: readonly Meaning[]; plural: boolean }>;

/** `fn` over what is named, or the measure itself; no meanings: the rows' amount. `isSum`, `isCount`: how it was said. */
export type Figure = Readonly<{ fn?: Aggregate; mention: Mention; duration?: Duration }> &
  Readonly<{ isSum?: boolean; isCount?: boolean }>;
/** Time between two dates of a row; where they are not named, those with which it begins and ends. */
export type Duration = Readonly<{ unit: 'minutes' | 'hours' | 'days'; from?: Mention; to?: Mention }>;

/** `hint`: the date it was said of. `of`: the entity named beside it. `verb`: what stands before it, "cancelled in 2024", "worked in May". With several ranges the reader asks. */
type Said = Readonly<{ hint?: Mention; of?: Mention; joined?: boolean; verb?: 'done' | 'everyday' | undefined }>;
export type Period = Said & Readonly<{ text: string; phrase: readonly DayRange[] }>;

type ConditionType = 'is' | 'figure' | 'than' | 'equals' | 'compare' | 'missing' | 'related' | 'period';
type Compared = Readonly<{ value?: string | number; comparator?: Comparator; unit?: string; of?: Criterion }>;
/** `joined`: to the condition before. `isAdjective`: stands before its noun. `isOfFigure`: stands before a measure. `isSaid`: stands behind "is". `isPrefix`: negated as "unpaid". `isPlace`: said with "in". `isNext`: right behind another one. `isWith`: said with "with". `orZero`: none or 0. */
type How = 'negated' | 'isPrefix' | 'isWith' | 'orZero';
type Where = 'isAdjective' | 'isOfFigure' | 'isSaid' | 'isPlace' | 'isNext';
type Form = Readonly<{ joined?: 'and' | 'or' } & Partial<Record<How | Where, boolean>>>;
type Inner = Readonly<{ figure?: Figure; than?: Mention; conditions?: readonly Condition[]; period?: Period }>;
/** Something said of rows. Related rows have `conditions` of their own. */
export type Condition = Readonly<{ type: ConditionType; mention: Mention }> & Compared & Form & Inner;

/** What figures are split by. `per`: said as one for each. `hint`: the date or entity whose date a grain is of. */
export type Group = Readonly<{ mention?: Mention; grain?: Grain; hint?: Mention; per?: boolean }>;

/**
 * `direction`: unset where only an order was asked for, and not which. `of`: what decides where no key is named.
 * `isTotal`: the key was named with "by", the figure of each group. `isSorting`: only an order, nothing is left out.
 */
export type Ranking = Readonly<{ direction?: 'asc' | 'desc'; limit?: number; of?: Criterion }> &
  Readonly<{ key?: Figure; isTotal?: boolean; isSorting?: boolean }>;

/** `which`: rows or groups are asked for, not their number; `who`: those of people. `when`: a date of theirs. `counting`: "how many" without a noun. */
type Asked = 'which' | 'who' | 'when' | 'counting' | 'listing' | 'distinct' | 'share' | 'compare' | 'trend';
/** `new`: those of the period. `current`: "still", "currently". `all`: said inside the question. `also`: beside what was asked before. */
type Remark = 'new' | 'current' | 'all' | 'also';
/**
 * `per`: what the figure is divided by. `shown`: columns of listed rows, beside their name. `distinct`: each value once.
 * `subject`: what the rows are of. `beside`: entities named beside it or a figure, which must be related. `columns`:
 * attributes that stand by themselves. `followUp`: replaces or adds to parts of the question before.
 */
export interface Request extends Partial<Record<Asked | Remark, boolean>> {
  figures: readonly Figure[];
  subject?: Mention | undefined;
  beside: readonly Mention[];
  columns: readonly Mention[];
  per?: Readonly<{ fn: 'count' | 'sum'; mention: Mention; times?: number }>;
  shown?: readonly Mention[];
  groups: readonly Group[];
  conditions: readonly Condition[];
  periods: readonly Period[];
  ranking?: Ranking | undefined;
  followUp?: 'replace' | 'add';
  /** Words that may be meant in several ways. */
  unclear?: string;
  /** How many of the conditions a share is of, "late orders that were shipped"; the others are of the part. */
  whole?: number;
  /** What figures are asked for in: "in euros". `names`: the stems of that unit. */
  unit?: Readonly<{ text: string; names: readonly string[] }>;
}

export const unnamed = (text: string): Mention => ({ text, meanings: [], plural: false });
export const entitiesIn = (mention: Mention | undefined) =>
  (mention?.meanings ?? []).filter((one) => one.kind === 'entity');
