/** Counts what running questions hold in memory, and says when one question, or all of them, hold too much. */
import { AtlasError, type ToolTable } from '../../kernel/index.ts';
import { rowsThatFit } from './size.ts';

/** Of all that may be held, beyond which no new question begins: the rest is for those that run. */
const SHARE_FOR_NEW = 3 / 4;
/** Of a question's own, up to which several results are fetched at the same time. */
const SHARE_FOR_SEVERAL = 1 / 16;
/** Of a question's own, beyond which its model is told. */
const SHARE_BEFORE_NOTICE = 3 / 4;
const RETRY_AFTER_SECONDS = 5;

const mebibytes = (bytes: number) => `${Math.max(0, Math.floor(bytes / 1024 / 102.4) / 10)} MiB`;

/** What all running questions hold. */
export class ProcessBudget {
  readonly #limitBytes: number;
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

  /** Throws `overloaded` when no new question may begin. */
  admit(): void {
    if (this.#heldBytes <= this.#limitBytes * SHARE_FOR_NEW) return;
    throw new AtlasError('The questions that are being answered hold as much memory as they may.', {
      code: 'overloaded',
      reason: 'E_AGENT_MEMORY',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      hint: `Ask again in ${RETRY_AFTER_SECONDS} s.`,
    });
  }

  /** A negative number gives back. */
  count(bytes: number): void {
    this.#heldBytes += bytes;
  }
}

/** What one question holds: instructions, conversation, arguments, results and the rows of its answer. */
export class QuestionBudget {
  readonly #process: ProcessBudget;
  readonly #limitBytes: number;
  #heldBytes = 0;
  /** Why rows were dropped, once they were. */
  #dropped: 'own limit' | 'limit of all' | undefined;
  #isOver = false;

  constructor(process: ProcessBudget, limitBytes: number) {
    this.#process = process;
    this.#limitBytes = limitBytes;
  }

  /** Nothing more can be looked up. */
  get isSpent(): boolean {
    return this.#dropped !== undefined || this.#heldBytes >= this.#limitBytes;
  }

  /** Results so far are small, so that several more may be fetched at the same time. */
  get isRoomy(): boolean {
    return this.#heldBytes < this.#limitBytes * SHARE_FOR_SEVERAL && this.#process.roomBytes > this.#limitBytes;
  }

  /** What the model is told with a result, once there is something to tell. */
  get notice(): string | undefined {
    const limit = mebibytes(this.#limitBytes);
    if (this.isSpent) {
      const why =
        this.#dropped === 'limit of all'
          ? 'The server has no memory left for further rows at the moment.'
          : `The results of this question have reached their limit of ${limit}.`;
      return `${why} No further call is run: answer from what there is, and say what is missing.`;
    }
    if (this.#heldBytes < this.#limitBytes * SHARE_BEFORE_NOTICE) return undefined;
    return `Only ${mebibytes(this.#limitBytes - this.#heldBytes)} of ${limit} are left for the results of this question: aggregate, or fetch fewer rows and columns.`;
  }

  /** Counts what is kept whatever its size. */
  hold(bytes: number): void {
    if (this.#isOver) return;
    this.#process.count(bytes);
    this.#heldBytes += bytes;
  }

  /** Counts a table, without the rows that are too many; then it is `truncated`. */
  holdTable(table: ToolTable): ToolTable {
    const ownRoomBytes = this.#limitBytes - this.#heldBytes;
    const { count, bytes } = rowsThatFit(table.rows, Math.min(ownRoomBytes, this.#process.roomBytes));
    this.hold(bytes);
    if (count === table.rows.length) return table;
    this.#dropped = this.#process.roomBytes < ownRoomBytes - bytes ? 'limit of all' : 'own limit';
    return { ...table, rows: table.rows.slice(0, count), truncated: true };
  }

  /** Nothing is held any more; what comes late is not counted. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#process.count(-this.#heldBytes);
  }
}
