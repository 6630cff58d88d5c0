/** A process that runs a predicted statement and the gold one on a database, compares their rows and takes their times. */
import Database from 'better-sqlite3';
import { type BirdRows, sameSet, timeRatio } from './score.ts';

/** What the process is asked. */
export interface Measurement {
  readonly database: string;
  /** Missing: the gold statement alone is run. */
  readonly predicted: string | undefined;
  readonly gold: string;
  /** Measurements of a right statement, as many as fit into `budgetMs`. */
  readonly repeats: number;
  readonly budgetMs: number;
}

export interface Measured {
  readonly goldError?: string;
  readonly predictedError?: string;
  readonly isSame: boolean;
  readonly goldRows: number;
  readonly predictedRows: number;
  /** Time of the gold statement by that of the predicted one; 0 unless they give the same. */
  readonly ratio: number;
}

function rowsOf(database: string, sql: string): BirdRows {
  const opened = new Database(database, { readonly: true, fileMustExist: true });
  try {
    opened.defaultSafeIntegers();
    return opened.prepare(sql).raw().all() as BirdRows;
  } finally {
    opened.close();
  }
}

/** With opening and closing, as BIRD measures. */
function timeOf(database: string, sql: string): number {
  const startedAt = performance.now();
  rowsOf(database, sql);
  return performance.now() - startedAt;
}

function measure({ database, predicted, gold, repeats, budgetMs }: Measurement): Measured {
  const none = { isSame: false, goldRows: 0, predictedRows: 0, ratio: 0 };
  let expected: BirdRows;
  try {
    expected = rowsOf(database, gold);
  } catch (error) {
    return { ...none, goldError: (error as Error).message };
  }
  if (predicted === undefined) return { ...none, goldRows: expected.length };
  let given: BirdRows;
  try {
    given = rowsOf(database, predicted);
  } catch (error) {
    return { ...none, goldRows: expected.length, predictedError: (error as Error).message };
  }
  const counted = { goldRows: expected.length, predictedRows: given.length };
  if (!sameSet(given, expected)) return { ...counted, isSame: false, ratio: 0 };
  const times = { predicted: [] as number[], gold: [] as number[] };
  const endAt = performance.now() + budgetMs;
  for (let done = 0; done < repeats && (done === 0 || performance.now() < endAt); done += 1) {
    times.predicted.push(timeOf(database, predicted));
    times.gold.push(timeOf(database, gold));
  }
  return { ...counted, isSame: true, ratio: timeRatio(times.gold, times.predicted) };
}

process.once('message', (asked: Measurement) => {
  process.send?.(measure(asked), () => process.disconnect());
});
