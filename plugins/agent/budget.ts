/** Limits the memory that results and conversations of running questions take. */
import { AtlasError, type Scope, scopeValue, type ToolTable } from '../../kernel/index.ts';
import type { ResultMemory } from '../datasource-kit/index.ts';
import { rowsThatFit } from './size.ts';

/** Share of the process limit beyond which no new question begins; one question alone does not exceed it by default. */
const SHARE_FOR_NEW = 4 / 5;
/** Share of a question's limit up to which tool calls run in parallel. */
const SHARE_FOR_PARALLEL_CALLS = 1 / 16;
/** Share of a question's limit beyond which the model is warned. */
const SHARE_BEFORE_NOTICE = 3 / 4;
const RETRY_AFTER_SECONDS = 5;

const mebibytes = (bytes: number) => `${Math.max(0, Math.floor(bytes / 1024 / 102.4) / 10)} MiB`;

/** The memory of all running questions, and of answers that are being sent. */
export class ProcessBudget {
  readonly #limitBytes: number;
  /** Questions that have ended and whose answers are still in memory, by the scope of their request. */
  readonly #retained = scopeValue<QuestionBudget[]>();
  /** Results that are being read, by the scope of their tool call. */
  readonly #arriving = scopeValue<ArrivingRows>();
  #heldBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get roomBytes(): number {
    return Math.max(0, this.#limitBytes - this.#heldBytes);
  }

  /** Throws `overloaded` when too little is left for a new question. */
  checkCapacity(): void {
    if (this.#heldBytes <= this.#limitBytes * SHARE_FOR_NEW) return;
    throw new AtlasError('The running questions take all the memory that they may.', {
      code: 'overloaded',
      reason: 'E_AGENT_MEMORY',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      hint: `Ask again in ${RETRY_AFTER_SECONDS} s.`,
    });
  }

  /** From now on what questions of this request hold is released by the result, and not when they are answered. */
  retain(scope: Scope): () => void {
    const answered: QuestionBudget[] = [];
    this.#retained.set(scope, answered);
    return () => {
      this.#retained.delete(scope);
      for (const budget of answered) budget.end();
    };
  }

  /** Releases the memory of an answered question, now or when its request does. */
  answered(budget: QuestionBudget, scope: Scope | undefined): void {
    const retained = this.#retained.nearest(scope);
    if (retained !== undefined) retained.push(budget);
    else budget.end();
  }

  /** The rows of statements in this scope, and in its parts, count there. */
  watch(scope: Scope, rows: ArrivingRows): void {
    this.#arriving.set(scope, rows);
  }

  /** Where the rows of a statement in this scope count; `undefined`: it is not of a question. */
  arriving(scope: Scope): ArrivingRows | undefined {
    return this.#arriving.nearest(scope);
  }

  /** Adds to what is held; a negative number releases. */
  count(bytes: number): void {
    this.#heldBytes += bytes;
  }
}

/** The memory of one question: instructions, conversation, arguments, results and the rows of its answer. */
export class QuestionBudget {
  readonly #process: ProcessBudget;
  readonly #limitBytes: number;
  #heldBytes = 0;
  /** The limit because of which rows were dropped. */
  #droppedBy: 'question' | 'process' | undefined;
  #isOver = false;

  constructor(process: ProcessBudget, limitBytes: number) {
    this.#process = process;
    this.#limitBytes = limitBytes;
  }

  /** For further rows. */
  get roomBytes(): number {
    return Math.min(this.#limitBytes - this.#heldBytes, this.#process.roomBytes);
  }

  /** Whether no further result fits. */
  get isSpent(): boolean {
    return this.#droppedBy !== undefined || this.#heldBytes >= this.#limitBytes;
  }

  /** Whether results so far are small enough to run calls in parallel. */
  get allowsParallelCalls(): boolean {
    return this.#heldBytes < this.#limitBytes * SHARE_FOR_PARALLEL_CALLS && this.#process.roomBytes > this.#limitBytes;
  }

  /** The note about memory that the model gets with a result; `undefined` while there is plenty. */
  get notice(): string | undefined {
    const limit = mebibytes(this.#limitBytes);
    if (this.isSpent) {
      const why =
        this.#droppedBy === 'process'
          ? 'The server has no memory left for further rows at the moment.'
          : `The results of this question have reached their limit of ${limit}.`;
      return `${why} No further call is run: answer from the results so far, and say what is missing.`;
    }
    if (this.#heldBytes < this.#limitBytes * SHARE_BEFORE_NOTICE) return undefined;
    return `Only ${mebibytes(this.#limitBytes - this.#heldBytes)} of ${limit} are left for the results of this question: aggregate, or fetch fewer rows and columns.`;
  }

  /** Counts bytes that are kept in any case. */
  hold(bytes: number): void {
    if (this.#isOver) return;
    this.#process.count(bytes);
    this.#heldBytes += bytes;
  }

  /** Counts the rows that a tool call reads in this scope, from their arrival. */
  arriving(scope: Scope): ArrivingRows {
    const rows = new ArrivingRows(this);
    this.#process.watch(scope, rows);
    return rows;
  }

  /** Runs a tool call in this scope; the rows that it reads count from their arrival until it is over. */
  async whileArriving<T>(scope: Scope, run: (scope: Scope, rows: ArrivingRows) => Promise<T>): Promise<T> {
    const rows = this.arriving(scope);
    try {
      return await run(scope, rows);
    } finally {
      rows.end();
    }
  }

  /**
   * Counts a table, in place of the rows that have arrived for it, and drops the rows that do not fit; the table is then
   * `truncated`.
   */
  holdTable(table: ToolTable, arrived: ArrivingRows): ToolTable {
    arrived.end();
    const { count, bytes } = rowsThatFit(table.rows, this.roomBytes);
    this.hold(bytes);
    if (count === table.rows.length) return table;
    this.dropped();
    return { ...table, rows: table.rows.slice(0, count), truncated: true };
  }

  /** Notes that rows did not fit: no further call is run. */
  dropped(): void {
    this.#droppedBy = this.#process.roomBytes < this.#limitBytes - this.#heldBytes ? 'process' : 'question';
  }

  /** Releases everything; later additions are not counted. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#process.count(-this.#heldBytes);
  }
}

/** The rows that one tool call reads, counted from their arrival until the table that they make is. */
export class ArrivingRows implements ResultMemory {
  readonly #budget: QuestionBudget;
  #heldBytes = 0;

  constructor(budget: QuestionBudget) {
    this.#budget = budget;
  }

  get roomBytes(): number {
    return Math.max(0, this.#budget.roomBytes);
  }

  hold(bytes: number): void {
    this.#heldBytes += bytes;
    this.#budget.hold(bytes);
  }

  exceeded(): void {
    this.#budget.dropped();
  }

  /** They have become a table, or are of no use. */
  end(): void {
    this.#budget.hold(-this.#heldBytes);
    this.#heldBytes = 0;
  }
}
