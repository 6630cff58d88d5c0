/** Decides by a task's condition whether the answer of a run is delivered, and says why. */
import { type ComparedTable, resultDigest } from './result-digest.ts';
import type { RunRow } from './rows.ts';
import type { DeliverWhen } from './schemas.ts';
import { MIN_RUNS, MIN_RUNS_AT_POSITION, unusualness } from './unusual.ts';

/** A run with an answer. */
export type EarlierRun = Pick<RunRow, 'digest' | 'figure' | 'delivery_status' | 'scheduled_for' | 'started_at'>;

export interface Compared {
  readonly tables: readonly ComparedTable[];
  /** The newest first. */
  readonly earlier: readonly EarlierRun[];
  /** When the run was due. */
  readonly at: string;
  /** The position of a time in the season of the schedule. */
  readonly position: (time: string) => string;
}

export interface Decision {
  readonly isQuiet: boolean;
  readonly reason: string;
}

/** The numbers to look at; or what becomes of an answer without any. */
type Figures = readonly number[] | Decision;

const OPERATORS: Readonly<Record<NonNullable<DeliverWhen['operator']>, (figure: number, value: number) => boolean>> = {
  '>': (figure, value) => figure > value,
  '>=': (figure, value) => figure >= value,
  '<': (figure, value) => figure < value,
  '<=': (figure, value) => figure <= value,
};
/** What is usual takes those of two weeks with a run every minute; without failed deliveries, one run tells what changed. */
export const comparedRuns = ({ mode }: DeliverWhen): number => (mode === 'unusual' ? 20_000 : 20);
/** Values that need more digits than a number has are texts in a result. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Without the last digits, which sums of fractions lose. */
const shown = (figure: number) => Number(figure.toPrecision(12));

const delivered = (reason: string): Decision => ({ isQuiet: false, reason });
const quiet = (reason: string): Decision => ({ isQuiet: true, reason });

export const dueAt = ({ scheduled_for, started_at }: Pick<RunRow, 'scheduled_for' | 'started_at'>): string =>
  scheduled_for ?? started_at;

const numberOf = (cell: unknown): number | undefined =>
  typeof cell === 'number' ? cell : typeof cell === 'string' && DECIMAL.test(cell) ? Number(cell) : undefined;

/** Those of the column, or the first one, in the last result that has any. */
function figuresOf(tables: readonly ComparedTable[], column: string | undefined): Figures {
  const named = tables.filter(({ columns }) => column === undefined || columns.includes(column));
  if (named.length === 0) return delivered(`The answer has no ${column === undefined ? 'rows' : `column ${column}`}.`);
  const results = named
    .toReversed()
    .map(({ columns, rows }) =>
      rows.flatMap((row) => (column === undefined ? columns : [column]).map((one) => row[one])),
    );
  for (const cells of results) {
    const figures = cells.map(numberOf).filter((figure) => figure !== undefined);
    if (figures.length === 0) continue;
    // A number rather than a text that looks like one, such as a code.
    return column === undefined ? [cells.find((cell) => typeof cell === 'number') ?? figures[0]!] : figures;
  }
  const where = column === undefined ? 'The answer' : `The column ${column}`;
  const isEmpty = results.flat().every((cell) => cell == null);
  return isEmpty ? quiet(`${where} has no value now.`) : delivered(`${where} has no number.`);
}

/** Of several figures the one that meets the threshold if any does. */
function figureOf(figures: readonly number[], { operator }: DeliverWhen): number {
  if (operator === undefined) return figures[0]!;
  const isLeast = operator.startsWith('<');
  return figures.reduce((one, other) => (isLeast === other < one ? other : one));
}

function byThreshold(figure: number, operator: keyof typeof OPERATORS, value: number): Decision {
  if (OPERATORS[operator](figure, value)) return delivered(`${shown(figure)} is ${operator} ${value}.`);
  return quiet(`${shown(figure)} is not ${operator} ${value}.`);
}

function byHistory(figure: number, { earlier, at, position }: Compared): Decision {
  const here = position(at);
  const past = earlier.flatMap((run) =>
    run.figure === null ? [] : [{ position: position(dueAt(run)), value: run.figure }],
  );
  const alike = `${past.filter((one) => one.position === here).length} earlier runs${here && ` (${here})`}`;
  const found = unusualness({ position: here, value: figure }, past);
  if (found === undefined) {
    const needed = `${MIN_RUNS} are needed, ${MIN_RUNS_AT_POSITION} of them at the same time of the season`;
    return quiet(`Learning what is usual from ${past.length} earlier runs, with ${alike} alike; ${needed}.`);
  }
  const { median, z, isUnusual } = found;
  const score = Number.isFinite(z) ? `, modified z-score ${z.toFixed(1)}` : ' every time';
  const what = `${shown(figure)} is ${isUnusual ? 'unusual' : 'usual'}`;
  const reason = `${what}: the median of ${alike} is ${shown(median)}${score}.`;
  return isUnusual ? delivered(reason) : quiet(reason);
}

function byDigest(digest: string, { earlier }: Compared): Decision {
  // What a delivery has not reached everybody with is news to some.
  const last = earlier.find((run) => run.delivery_status !== 'failed');
  if (last === undefined) return delivered('No earlier answer has reached everybody.');
  const since = `since the run of ${dueAt(last)}`;
  return last.digest === digest ? quiet(`Nothing has changed ${since}.`) : delivered(`The rows have changed ${since}.`);
}

/** What is stored of a run. An answer that cannot be judged is delivered, so that nobody waits for it in vain. */
export function decisionOf(
  condition: DeliverWhen,
  compared: Compared,
): Decision & { readonly digest: string; readonly figure: number | null } {
  const { mode, column, operator, value } = condition;
  const { tables, earlier } = compared;
  const digest = resultDigest(tables);
  const found = mode === 'changed' ? [] : figuresOf(tables, column);
  const figure = 'isQuiet' in found || found.length === 0 ? null : figureOf(found, condition);
  const decide = (): Decision => {
    if (earlier.length === 0) return delivered('There is no earlier run to compare with.');
    if (tables.length === 0) return delivered('The answer has no rows.');
    if ('isQuiet' in found) return found;
    if (figure === null) return byDigest(digest, compared);
    return operator === undefined || value === undefined
      ? byHistory(figure, compared)
      : byThreshold(figure, operator, value);
  };
  return { ...decide(), digest, figure };
}
