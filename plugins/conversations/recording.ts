/**
 * Stores an answer while it is given. Neither the stream's first event nor its text waits for it. An answer that is soon
 * complete is stored by one write instead of two, where its conversation is named at its end only.
 */
import { type Logger, messageOf } from '../../kernel/index.ts';
import type { AgentEvent } from '../agent/index.ts';
import { AnswerParts } from './parts.ts';
import type { AnswerFinish, MessageRow, MessageState } from './rows.ts';
import type { ConversationStore } from './store.ts';

const WRITE_INTERVAL_MS = 500;
/** When an answer that may be stored at its end is stored as one that is being given. */
const BEGIN_AFTER_MS = 500;
/** After so many intervals without news it is written all the same, as a sign of life. */
const MAX_QUIET_INTERVALS = 20;

/** What changes of a message while it is given. */
export type GivenAnswer = Pick<MessageRow, 'state' | 'parts' | 'finish'>;

export interface RecordingInit {
  readonly store: ConversationStore;
  readonly messageId: string;
  /** Stores question and answer. */
  readonly begin: (answer: GivenAnswer) => Promise<void>;
  /** Whether that may wait for the end of an answer that is soon complete. */
  readonly isPatient: boolean;
  readonly now: () => number;
  readonly log: Logger;
}

export class Recording {
  readonly #init: RecordingInit;
  readonly #timer: NodeJS.Timeout;
  readonly #beginTimer: NodeJS.Timeout | undefined;
  readonly #parts = new AnswerParts();
  #finish: string | null = null;
  #quietIntervals = 0;
  #isNew = false;
  #isWriting = true;
  #hasEnded = false;
  #hasBegun = false;
  readonly #begun = Promise.withResolvers<boolean>();
  /** Every write waits for the one before. Never rejects; whether the last one was stored, which holds all before. */
  #written: Promise<boolean>;

  constructor(init: RecordingInit) {
    this.#init = init;
    this.#written = this.begun;
    this.#timer = setInterval(() => this.#writeNews(), WRITE_INTERVAL_MS).unref();
    if (init.isPatient) this.#beginTimer = setTimeout(() => this.#begin('running'), BEGIN_AFTER_MS).unref();
    else this.#begin('running');
  }

  /** Whether there is a row to write to. Never rejects. */
  get begun(): Promise<boolean> {
    return this.#begun.promise;
  }

  /** Never throws: an event that cannot be kept must not keep the answer from its reader. */
  add(event: AgentEvent): void {
    if (event.type === 'reasoning') return;
    try {
      this.#parts.add(event);
      if (event.type === 'finish') this.#finish = finishOf(event.answer);
      this.#isNew = true;
    } catch (error) {
      this.#init.log.error({ error: messageOf(error) }, 'A part of an answer cannot be kept in its conversation.');
    }
  }

  /** The first call counts. Resolves to whether all of it is stored. */
  end(state: Exclude<MessageState, 'running'>): Promise<boolean> {
    clearInterval(this.#timer);
    if (!this.#hasEnded && !this.#begin(state)) this.#write(state);
    this.#hasEnded = true;
    return this.#written;
  }

  /** `false`: it has begun before. */
  #begin(state: MessageState): boolean {
    if (this.#hasBegun) return false;
    this.#hasBegun = true;
    clearTimeout(this.#beginTimer);
    const parts = () => (state === 'running' ? '[]' : JSON.stringify(this.#parts));
    this.#begun.resolve(
      this.#stored(async () => this.#init.begin({ state, parts: parts(), finish: this.#finish }), true),
    );
    return true;
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
        const { store, messageId: id, now } = this.#init;
        const updated_at = new Date(now()).toISOString();
        return store.update({ id, state, updated_at, parts: JSON.stringify(this.#parts), finish: this.#finish });
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
      if (wasStored) this.#init.log.error({ error: messageOf(error) }, 'A conversation could not be stored.');
      return false;
    } finally {
      this.#isWriting = false;
    }
  }
}

function finishOf({ finishReason, usage, steps, pendingActions }: AnswerFinish): string {
  return JSON.stringify({ finishReason, usage, steps, pendingActions } satisfies AnswerFinish);
}
