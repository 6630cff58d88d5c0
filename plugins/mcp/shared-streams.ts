/**
 * Passes on messages for an event stream to the server that holds it, over the internal database on PostgreSQL: the server that
 * gets a message stores it, and the one with the stream takes it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { AtlasError, type Logger, messageOf, withTimeout } from '../../kernel/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { MESSAGES_TABLE, STREAMS_TABLE } from './migrations.ts';

/** How often a server looks for messages, while it holds streams. */
const TAKE_EVERY_MS = 250;
/** Messages that are taken with one statement; the others follow at once. */
const MOST_TAKEN = 10;
/** Messages that wait for one stream. */
const MOST_WAITING = 20;
/** A stream opens then also if the database does not know of it yet. */
const HOLD_MS = 1_000;
/** How often the database is told that the streams are still held. */
const RENEW_EVERY_MS = 10_000;
/** Time without a renewal after which a stream is gone with its server. */
const EXPIRES_MS = 30_000;
/** Time after which a message that is not taken is refused. */
const TAKEN_MS = 5_000;
const LOOK_EVERY_MS = 50;

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const RENEW = `
  INSERT INTO ${STREAMS_TABLE} (id, owner, expires_at)
  SELECT (item ->> 'id')::uuid, item ->> 'owner', ${NOW} + ${EXPIRES_MS} FROM json_array_elements(:given::json) AS item
  ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`;

const PURGE = `
  DELETE FROM ${STREAMS_TABLE} WHERE id = ANY(array(
    SELECT id FROM ${STREAMS_TABLE} WHERE expires_at < ${NOW} FOR UPDATE SKIP LOCKED))`;

const TAKE = `
  DELETE FROM ${MESSAGES_TABLE} WHERE id = ANY(array(
    SELECT id FROM ${MESSAGES_TABLE} WHERE stream_id = ANY(:ids) ORDER BY id LIMIT ${MOST_TAKEN}))
  RETURNING id, stream_id, body`;

/** Answers a row where the owner has such a stream, with the number of the message unless too many wait. */
const ADD = `
  WITH stream AS MATERIALIZED (
    SELECT id FROM ${STREAMS_TABLE} WHERE id = :id AND owner = :owner AND expires_at > ${NOW} FOR KEY SHARE
  ),
  added AS (
    INSERT INTO ${MESSAGES_TABLE} (stream_id, body) SELECT id, :body FROM stream
    WHERE (SELECT count(*) FROM ${MESSAGES_TABLE} WHERE stream_id = :id) < ${MOST_WAITING}
    RETURNING id
  )
  SELECT added.id FROM stream LEFT JOIN added ON true`;

interface HeldStream {
  readonly id: string;
  /** Who may send messages to it. */
  readonly owner: string;
  receive(message: JSONRPCMessage): void;
}

export class SharedStreams {
  readonly #db: InternalDb;
  readonly #log: Logger;
  readonly #held = new Map<string, HeldStream>();
  #timer: NodeJS.Timeout | undefined;
  #renewedAt = performance.now();
  #isLooking = false;
  /** Whether the database was there when it was last asked. */
  #isReached = true;

  constructor(db: InternalDb, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Takes messages for the stream from other servers, until it is let go of. Never rejects. */
  async hold(stream: HeldStream): Promise<void> {
    this.#held.set(stream.id, stream);
    this.#timer ??= setInterval(() => void this.#look(), TAKE_EVERY_MS).unref();
    await withTimeout(
      this.#tried(() => this.#renew([stream])),
      HOLD_MS,
      () => {},
    );
  }

  letGo(id: string): void {
    if (!this.#held.delete(id)) return;
    void this.#tried(() => this.#db.run((db) => db(STREAMS_TABLE).where({ id }).delete()));
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Resolves to true once the server with the stream has taken the message, to false when the owner has no such stream.
   * Rejects with `unavailable` when it is not taken in time, or without the database, and with `rate_limited`.
   */
  async pass(id: string, owner: string, message: JSONRPCMessage, signal: AbortSignal): Promise<boolean> {
    const [found] = await this.#rows<{ id: string | null }>(ADD, { id, owner, body: JSON.stringify(message) });
    if (found === undefined) return false;
    if (found.id === null) throw tooMany();
    const waiting = { id: found.id };
    const until = performance.now() + TAKEN_MS;
    while (performance.now() < until) {
      await sleep(LOOK_EVERY_MS, undefined, { signal });
      const [row] = await this.#db.run((db) => db(MESSAGES_TABLE).where(waiting).select('id'));
      if (row === undefined) return true;
    }
    const withdrawn = await this.#db.run((db) => db(MESSAGES_TABLE).where(waiting).delete());
    if (withdrawn > 0) throw notTaken();
    return true;
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    await this.#tried(async () => {
      if (performance.now() - this.#renewedAt >= RENEW_EVERY_MS) {
        this.#renewedAt = performance.now();
        await this.#renew([...this.#held.values()]);
        await this.#rows(PURGE, {});
      }
      // What comes meanwhile waits for the next look, as under load there is always some.
      for (let left = this.#held.size * MOST_WAITING; left > 0; left -= MOST_TAKEN)
        if ((await this.#take()) < MOST_TAKEN) return;
    });
    this.#isLooking = false;
  }

  async #take(): Promise<number> {
    const ids = [...this.#held.keys()];
    const rows = await this.#rows<{ id: string; stream_id: string; body: string }>(TAKE, { ids });
    for (const { stream_id: id, body } of rows.toSorted((a, b) => Number(a.id) - Number(b.id))) {
      try {
        this.#held.get(id)?.receive(JSON.parse(body));
      } catch (error) {
        // The next ones are of other streams, too.
        this.#log.warn({ error: messageOf(error) }, 'A message of an MCP client was not understood.');
      }
    }
    return rows.length;
  }

  async #renew(streams: readonly HeldStream[]): Promise<void> {
    await this.#rows(RENEW, { given: JSON.stringify(streams.map(({ id, owner }) => ({ id, owner }))) });
  }

  /** Without the database a stream still has the messages that reach its own server. */
  async #tried(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.#isReached = true;
    } catch (error) {
      if (this.#isReached) {
        this.#log.warn({ error: messageOf(error) }, 'Messages of MCP clients cannot be passed on between servers.');
      }
      this.#isReached = false;
    }
  }

  async #rows<R>(sql: string, values: Readonly<Record<string, string | readonly string[]>>): Promise<R[]> {
    const { rows } = await this.#db.run<{ rows: R[] }>((db) => db.raw(sql, values as never));
    return rows;
  }
}

const tooMany = () =>
  new AtlasError(`${MOST_WAITING} messages wait for this event stream.`, {
    code: 'rate_limited',
    retryAfterSeconds: 1,
    hint: 'Send the message again in a second.',
  });

const notTaken = () =>
  new AtlasError('The server that has this event stream does not answer.', {
    code: 'unavailable',
    retryAfterSeconds: 1,
    hint: 'Open a new one with GET /sse.',
  });
