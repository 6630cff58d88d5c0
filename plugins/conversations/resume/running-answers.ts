/**
 * Watches the answers of this server that their clients can take up again: ends them when their user stops them on any
 * server, or when nobody has read them for too long. Asks the database for all of them at once, while there are any.
 */
import { AtlasError, type Logger, messageOf, type Scope } from '../../../kernel/index.ts';
import type { AnswerKeeper, AnswerLine } from '../../query-api/index.ts';
import { ownerOf } from '../conversations.ts';
import type { ConversationsOptions } from '../options.ts';
import type { StreamRow } from '../rows.ts';
import type { StreamStore } from './stream-store.ts';

/** An answer that is stopped ends within about this time on every server. */
const WATCH_EVERY_MS = 500;

export interface RunningAnswersInit extends Omit<ConversationsOptions, 'deletedUsers' | 'reuseStatements'> {
  readonly store: Pick<StreamStore, 'streams' | 'delivered'>;
  readonly now: () => number;
  readonly log: Logger;
}

interface RunningAnswer {
  readonly line: AnswerLine;
  /** Whose it is. */
  readonly user: string;
  /** As it was last seen in the database. */
  readings: number | undefined;
  /** When it was last known to be read; `undefined` while its own client reads it. */
  readAt: number | undefined;
}

export class RunningAnswers {
  readonly #init: RunningAnswersInit;
  readonly #answers = new Map<string, RunningAnswer>();
  #timer: NodeJS.Timeout | undefined;
  #watching: Promise<void> | undefined;
  /** Whether the database was there when it was last asked. */
  #isReached = true;

  constructor(init: RunningAnswersInit) {
    this.#init = init;
  }

  /** The answer is stored as this message, and can be taken up again from there. */
  add(messageId: string, line: AnswerLine, scope: Scope): void {
    const answer: RunningAnswer = {
      line,
      user: JSON.stringify(ownerOf(scope)),
      readings: undefined,
      readAt: undefined,
    };
    this.#answers.set(messageId, answer);
    this.#timer ??= setInterval(() => void this.watch(), WATCH_EVERY_MS).unref();
    line.keep({
      clientLeft: () => this.#clientLeft(answer),
      delivered: () => {
        this.#init.store.delivered(messageId).catch((error) => this.#failed(error));
      },
    } satisfies AnswerKeeper);
  }

  /** The answer is over. */
  delete(messageId: string): void {
    this.#answers.delete(messageId);
    if (this.#answers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Looks at once, as it does twice a second. Never rejects. */
  watch(): Promise<void> {
    this.#watching ??= this.#watch().finally(() => {
      this.#watching = undefined;
    });
    return this.#watching;
  }

  async #watch(): Promise<void> {
    if (this.#answers.size === 0) return;
    const asked = [...this.#answers];
    try {
      const rows = await this.#init.store.streams(asked.map(([id]) => id));
      this.#isReached = true;
      const found = new Map(rows.map((row) => [row.id, row]));
      for (const [id, answer] of asked) this.#follow(answer, found.get(id));
    } catch (error) {
      // Without the database there are no other readers, and nobody can stop an answer there.
      if (this.#isReached) this.#failed(error);
      this.#isReached = false;
    }
    const { now, unattendedMs } = this.#init;
    for (const { readAt, line } of this.#answers.values())
      if (readAt !== undefined && now() - readAt > unattendedMs) line.abort(unread());
  }

  #follow(answer: RunningAnswer, row: StreamRow | undefined): void {
    const { readings, readAt, line } = answer;
    // One that is not stored any more was deleted with its conversation, or asked for again.
    if (row === undefined || row.stream === 'stopped') line.abort(stopped());
    if (row === undefined) return;
    const isRead = readings !== undefined && row.readings !== readings;
    if (isRead && readAt !== undefined) answer.readAt = this.#init.now();
    answer.readings = row.readings;
  }

  #clientLeft(answer: RunningAnswer): boolean {
    const { maxUnattended, maxUnattendedPerUser, now } = this.#init;
    const unattended = [...this.#answers.values()].filter(({ readAt }) => readAt !== undefined);
    const ofUser = unattended.filter(({ user }) => user === answer.user);
    const { log } = this.#init;
    if (unattended.length >= maxUnattended || ofUser.length >= maxUnattendedPerUser) {
      const figures = { unattended: unattended.length, ofUser: ofUser.length };
      log.info(figures, 'An answer ends with its client: as many as may go on without theirs.');
      return false;
    }
    answer.readAt = now();
    log.debug({ unattended: unattended.length + 1 }, 'A client has left, and its answer goes on.');
    return true;
  }

  #failed(error: unknown): void {
    this.#init.log.warn({ error: messageOf(error) }, 'The streams of running answers could not be looked up.');
  }
}

export const stopped = () =>
  new AtlasError('The answer was stopped.', { code: 'conflict', hint: 'Ask again for a whole one.' });

const unread = () => new AtlasError('Nobody has read the answer for too long.', { code: 'conflict' });
