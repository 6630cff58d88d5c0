/** Sends the rows of one statement while they are read, in messages that the server reads in a few milliseconds each. */
import { type ResultMemory, RowCollector, type RowLimits, uniqueNames, type Value } from '../values.ts';
import type { RowWriter } from './engine.ts';
import type { ExecuteRequest, ProcessMessage, WireResult } from './protocol.ts';

/** About how much one message holds; a row is never cut. */
const PART_BYTES = 256 * 1024;

/** Hands a message over; `written` is called once it has left the process. */
export type Send = (message: ProcessMessage, written: () => void) => void;

class Room implements ResultMemory {
  roomBytes: number;
  isExceeded = false;

  constructor(bytes: number) {
    this.roomBytes = bytes;
  }

  hold(bytes: number): void {
    this.roomBytes -= bytes;
  }

  exceeded(): void {
    this.isExceeded = true;
  }
}

export class RowSender implements RowWriter {
  readonly #limits: RowLimits;
  readonly #room: Room;
  readonly #send: Send;
  #columns: readonly string[] = [];
  #collector: RowCollector | undefined;
  #sentBytes = 0;
  #leaving: Promise<void> | undefined;

  constructor(request: RowLimits & Pick<ExecuteRequest, 'roomBytes'>, send: Send) {
    this.#room = new Room(request.roomBytes ?? Number.POSITIVE_INFINITY);
    this.#limits = { ...request, memory: this.#room };
    this.#send = send;
  }

  begin(names: readonly string[]): void {
    this.#columns = uniqueNames(names);
    this.#collector = new RowCollector(this.#columns, this.#limits);
  }

  add(row: readonly Value[]): boolean {
    const collector = this.#collector;
    const isWanted = collector?.add(row) ?? false;
    if (collector !== undefined && collector.bytes - this.#sentBytes >= PART_BYTES) {
      const bytes = collector.bytes - this.#sentBytes;
      this.#sentBytes = collector.bytes;
      const rows = collector.take();
      this.#leaving = new Promise((written) => this.#send({ kind: 'rows', rows, bytes }, written));
    }
    return isWanted;
  }

  async sent(): Promise<void> {
    await this.#leaving;
    this.#leaving = undefined;
  }

  get isSending(): boolean {
    return this.#leaving !== undefined;
  }

  /** Whether the statement has begun to answer. */
  get hasBegun(): boolean {
    return this.#collector !== undefined;
  }

  /** The result without the rows that have been sent. */
  rest(): WireResult {
    const { truncated = false, notes = [] } = this.#collector ?? {};
    const rows = this.#collector?.take() ?? [];
    return { columns: this.#columns, rows, truncated, notes, isOutOfRoom: this.#room.isExceeded };
  }
}
