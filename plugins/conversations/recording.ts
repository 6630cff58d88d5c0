/** Stores an answer while it is given. Neither the stream's first event nor its text waits for it. */
import { type Logger, messageOf } from '../../kernel/index.ts';
import type { AgentEvent } from '../agent/index.ts';
import { AnswerParts } from './parts.ts';
import type { MessageState } from './rows.ts';
import type { ConversationStore } from './store.ts';

const WRITE_INTERVAL_MS = 500;
/** After so many intervals without news it is written all the same, as a sign of life. */
const MAX_QUIET_INTERVALS = 20;

export class Recording {
  readonly #store: ConversationStore;
  readonly #messageId: string;
  readonly #now: () => number;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  readonly #parts = new AnswerParts();
  #quietIntervals = 0;
  #isNew = false;
  #isWriting = true;
  #hasEnded = false;
  /** Whether there is a row to write to. Never rejects. */
  readonly begun: Promise<boolean>;
  /** Every write waits for the one before. Never rejects; whether the last one was stored, which holds all before. */
  #written: Promise<boolean>;

  /** `begun`: the question and the empty answer are being stored. */
  constructor(store: ConversationStore, messageId: string, begun: Promise<void>, now: () => number, log: Logger) {
    this.#store = store;
    this.#messageId = messageId;
    this.#now = now;
    this.#log = log;
    this.begun = this.#stored(() => begun, true);
    this.#written = this.begun;
    this.#timer = setInterval(() => this.#writeNews(), WRITE_INTERVAL_MS).unref();
  }

  /** Never throws: an event that cannot be kept must not keep the answer from its reader. */
  add(event: AgentEvent): void {
    if (event.type === 'reasoning') return;
    try {
      this.#parts.add(event);
      this.#isNew = true;
    } catch (error) {
      this.#log.error({ error: messageOf(error) }, 'A part of an answer cannot be kept in its conversation.');
    }
  }

  /** The first call counts. Resolves to whether all of it is stored. */
  end(state: Exclude<MessageState, 'running'>): Promise<boolean> {
    clearInterval(this.#timer);
    if (!this.#hasEnded) this.#write(state);
    this.#hasEnded = true;
    return this.#written;
  }

  #writeNews(): void {
    this.#quietIntervals += 1;
    // A database that is slow gets the newest state once, not every state in turn.
    if (!this.#isWriting && (this.#isNew || this.#quietIntervals >= MAX_QUIET_INTERVALS)) this.#write('running');
  }

  #write(state: MessageState): void {
    this.#isWriting = true;
    this.#written = this.#written.then(async (wasStored) => {
      if (!(await this.begun)) return false;
      this.#isNew = false;
      this.#quietIntervals = 0;
      return this.#stored(() => {
        const updated_at = new Date(this.#now()).toISOString();
        return this.#store.update({ id: this.#messageId, state, updated_at, parts: JSON.stringify(this.#parts) });
      }, wasStored);
    });
  }

  /** Never rejects. Says once that the database is away; the next interval tries again. */
  async #stored(write: () => Promise<void>, wasStored: boolean): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      this.#isNew = true;
      if (wasStored) this.#log.error({ error: messageOf(error) }, 'A conversation could not be stored.');
      return false;
    } finally {
      this.#isWriting = false;
    }
  }
}
