/** Writes an answer down while it is given. Nobody waits for it: neither the stream's first event nor its text. */
import { type Logger, messageOf } from '../../kernel/index.ts';
import type { AgentEvent } from '../agent/index.ts';
import { AnswerParts } from './parts.ts';
import type { MessageState } from './rows.ts';
import type { ConversationStore } from './store.ts';

const BEAT_MS = 500;
/** Without news, every so many beats are written all the same, as a sign of life. */
const QUIET_BEATS = 20;

export class Recording {
  private readonly store: ConversationStore;
  private readonly messageId: string;
  private readonly now: () => number;
  private readonly log: Logger;
  private readonly beats: NodeJS.Timeout;
  private readonly parts = new AnswerParts();
  private quietBeats = 0;
  private isNew = false;
  private isWriting = true;
  private hasEnded = false;
  /** Whether there is a row to write to. Never rejects. */
  readonly begun: Promise<boolean>;
  /** Every write waits for the one before. Never rejects; whether the last one was stored, which holds all before. */
  private written: Promise<boolean>;

  /** `begun`: the question and the empty answer are being stored. */
  constructor(store: ConversationStore, messageId: string, begun: Promise<void>, now: () => number, log: Logger) {
    this.store = store;
    this.messageId = messageId;
    this.now = now;
    this.log = log;
    this.begun = this.stored(() => begun, true);
    this.written = this.begun;
    this.beats = setInterval(() => this.beat(), BEAT_MS).unref();
  }

  /** Never throws: an event that cannot be kept must not keep the answer from its reader. */
  add(event: AgentEvent): void {
    if (event.type === 'finish') return;
    try {
      this.parts.add(event);
      this.isNew = true;
    } catch (error) {
      this.log.error({ error: messageOf(error) }, 'A part of an answer cannot be kept in its conversation.');
    }
  }

  /** The first call counts. Resolves to whether all of it is stored. */
  end(state: Exclude<MessageState, 'running'>): Promise<boolean> {
    clearInterval(this.beats);
    if (!this.hasEnded) this.write(state);
    this.hasEnded = true;
    return this.written;
  }

  private beat(): void {
    this.quietBeats += 1;
    // A database that is slow gets the newest state once, not every state in turn.
    if (!this.isWriting && (this.isNew || this.quietBeats >= QUIET_BEATS)) this.write('running');
  }

  private write(state: MessageState): void {
    this.isWriting = true;
    this.written = this.written.then(async (wasStored) => {
      if (!(await this.begun)) return false;
      this.isNew = false;
      this.quietBeats = 0;
      return this.stored(() => {
        const updated_at = new Date(this.now()).toISOString();
        return this.store.update({ id: this.messageId, state, updated_at, parts: JSON.stringify(this.parts) });
      }, wasStored);
    });
  }

  /** Never rejects. Says once that the database is away; the next beat tries again. */
  private async stored(write: () => Promise<void>, wasStored: boolean): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      this.isNew = true;
      if (wasStored) this.log.error({ error: messageOf(error) }, 'A conversation could not be stored.');
      return false;
    } finally {
      this.isWriting = false;
    }
  }
}
