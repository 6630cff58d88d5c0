/** Sends the rows of one statement while they are read, in messages that the server reads in a few milliseconds each. */
import type { SinkType } from '../row-sink.ts';
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

/** Messages that may be on their way: while the server deals with one, the next is made. */
const MAX_HANDED_ON = 2;

class Exceeded extends Error {}

export class RowSender implements RowWriter {
  readonly #limits: RowLimits;
  readonly #room: Room;
  readonly #send: Send;
  readonly #maxSending: number;
  #columns: readonly string[] = [];
  #types: readonly SinkType[] | undefined;
  #collector: RowCollector | undefined;
  #sentBytes = 0;
  readonly #leaving: Promise<void>[] = [];
  #exceeded: string | undefined;

  constructor(
    { roomBytes, isWhole, ...limits }: RowLimits & Pick<ExecuteRequest, 'roomBytes' | 'isWhole'>,
    send: Send,
  ) {
    this.#room = new Room(roomBytes ?? Number.POSITIVE_INFINITY);
    this.#maxSending = isWhole ? MAX_HANDED_ON : 1;
    this.#limits = { ...limits, memory: this.#room, ...(isWhole && { fail: (message) => new Exceeded(message) }) };
    this.#send = send;
  }

  begin(names: readonly string[], types?: () => readonly SinkType[]): void {
    this.#columns = uniqueNames(names);
    this.#collector = new RowCollector(this.#columns, this.#limits);
    if (this.#limits.fail !== undefined) this.#types = types?.();
  }

  add(row: readonly Value[]): boolean {
    const collector = this.#collector;
    const isWanted = collector !== undefined && this.#added(collector, row);
    if (collector !== undefined && collector.bytes - this.#sentBytes >= PART_BYTES) {
      const bytes = collector.bytes - this.#sentBytes;
      this.#sentBytes = collector.bytes;
      const message = { kind: 'rows', columns: this.#columns, rows: collector.take(), bytes } as const;
      const types = this.#types === undefined ? {} : { types: this.#types };
      this.#leaving.push(new Promise((written) => this.#send({ ...message, ...types }, written)));
    }
    return isWanted;
  }

  #added(collector: RowCollector, row: readonly Value[]): boolean {
    try {
      return collector.add(row);
    } catch (error) {
      if (!(error instanceof Exceeded)) throw error;
      this.#exceeded = error.message;
      return false;
    }
  }

  async sent(): Promise<void> {
    await this.#leaving.shift();
  }

  get isSending(): boolean {
    return this.#leaving.length >= this.#maxSending;
  }

  /** Whether the statement has begun to answer. */
  get hasBegun(): boolean {
    return this.#collector !== undefined;
  }

  /** The result without the rows that have been sent. */
  rest(): WireResult {
    const { truncated = false, notes = [] } = this.#collector ?? {};
    const rows = this.#collector?.take() ?? [];
    return {
      columns: this.#columns,
      rows,
      truncated,
      notes,
      isOutOfRoom: this.#room.isExceeded,
      ...(this.#types !== undefined && { types: this.#types }),
      ...(this.#exceeded !== undefined && { exceeded: this.#exceeded }),
    };
  }
}
