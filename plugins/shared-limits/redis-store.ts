/** Keeps counts in Redis. Each decision is one script, by the clock of Redis. */
import { randomUUID } from 'node:crypto';
import type { createClient } from '@redis/client';
import { withTimeout } from '../../kernel/index.ts';
import type { AttemptCount, CountedKey } from './api.ts';
import { FIRST_WAIT_MS, MOST_DOUBLINGS } from './attempt-waits.ts';
import { type CountStore, countsIn, type ReceivedCounts, type SentCounts, textOf } from './count-store.ts';

type Client = ReturnType<typeof createClient>;

/** Longest wait for an answer, and for a connection. */
const ANSWER_MS = 1_000;
const MOST_RECONNECT_MS = 2_000;
const MOST_QUEUED = 10_000;

/** Keys that one script looks at, while Redis does nothing else. */
const MOST_KEYS = 250;

/** The braces keep the keys of one script together where Redis is a cluster. */
const ATTEMPTS = '{atlas-limits}:attempts:';
const COUNTS = '{atlas-limits}:counts:';

const CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** KEYS: hashes by server of when it sent its counts, and the counts. ARGV: the server, then counts and window of each. */
const EXCHANGE = `${CLOCK}
local server, others = ARGV[1], {}
for index, key in ipairs(KEYS) do
  local windowMs = tonumber(ARGV[index * 2 + 1])
  redis.call('HSET', key, server, string.format('%.0f', now) .. ' ' .. ARGV[index * 2])
  redis.call('PEXPIRE', key, windowMs)
  local all = redis.call('HGETALL', key)
  for at = 1, #all, 2 do
    if all[at] ~= server then
      local countedAt, counts = string.match(all[at + 1], '^(%d+) (.*)$')
      if now - countedAt >= windowMs then redis.call('HDEL', key, all[at])
      else table.insert(others, string.format('%d %.0f %s', index - 1, now - countedAt, counts)) end
    end
  end
end
return others`;

/**
 * KEYS: the remembered name, then the counted keys; ARGV of each: free, forgetMs, longestWaitMs or nothing, whether it is
 * waived. See `blockedUntil`, which is the same for the memory of a server. A key expires with its attempts.
 */
const COUNT = `${CLOCK}
local isRemembered, waitMs = redis.call('EXISTS', KEYS[1]), 0
local function isCounted(index) return not (isRemembered == 1 and ARGV[(index - 2) * 4 + 4] == '1') end
for index = 2, #KEYS do
  if isCounted(index) then
    local blockedUntil = tonumber(redis.call('HGET', KEYS[index], 'blockedUntil') or 0)
    waitMs = math.max(waitMs, blockedUntil - now)
  end
end
if waitMs > 0 then return { waitMs, isRemembered } end
for index = 2, #KEYS do
  if isCounted(index) then
    local key, first = KEYS[index], (index - 2) * 4
    local free, forgetMs, longestMs = tonumber(ARGV[first + 1]), tonumber(ARGV[first + 2]), tonumber(ARGV[first + 3])
    local attempts, blockedUntil = redis.call('HINCRBY', key, 'attempts', 1), 0
    if longestMs or attempts == 1 or redis.call('PTTL', key) < 0 then redis.call('PEXPIRE', key, forgetMs) end
    local beyond = attempts - free
    if beyond >= 0 and longestMs then
      blockedUntil = now + math.min(${FIRST_WAIT_MS} * 2 ^ math.min(beyond, ${MOST_DOUBLINGS}), longestMs)
    elseif beyond >= 0 then
      blockedUntil = now + redis.call('PTTL', key)
    end
    redis.call('HSET', key, 'blockedUntil', string.format('%.0f', blockedUntil))
  end
end
return { 0, isRemembered }`;

const UNDO = `
for _, key in ipairs(KEYS) do
  if redis.call('EXISTS', key) == 1 then
    redis.call('HINCRBY', key, 'attempts', -1)
    redis.call('HSET', key, 'blockedUntil', 0)
  end
end`;

export class RedisStore implements CountStore {
  readonly #client: Client;
  readonly #server = randomUUID();

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Waits a moment for Redis, and goes on connecting in the background. Rejects for a URL that is none of Redis'. */
  static async open(url: string): Promise<RedisStore> {
    const library = await import('@redis/client');
    const client = library.createClient({
      url,
      disableOfflineQueue: true,
      commandsQueueMaxLength: MOST_QUEUED,
      socket: {
        connectTimeout: ANSWER_MS,
        reconnectStrategy: (retries) => Math.min(100 * 2 ** Math.min(retries, 10), MOST_RECONNECT_MS),
      },
    });
    // What fails is told by the calls. Without a listener it would end the process.
    client.on('error', () => {});
    const connected = client.connect().catch(() => {});
    await withTimeout(connected, ANSWER_MS, () => {});
    return new RedisStore(client as Client);
  }

  async exchange(sent: readonly SentCounts[]): Promise<ReceivedCounts[]> {
    const batches = Array.from({ length: Math.ceil(sent.length / MOST_KEYS) }, (_, index) =>
      sent.slice(index * MOST_KEYS, (index + 1) * MOST_KEYS),
    );
    return (await Promise.all(batches.map((batch) => this.#exchange(batch)))).flat();
  }

  async #exchange(sent: readonly SentCounts[]): Promise<ReceivedCounts[]> {
    const others = await this.#run<string[]>(
      EXCHANGE,
      sent.map(({ key }) => COUNTS + key),
      [this.#server, ...sent.flatMap(({ counts, windowMs }) => [textOf(counts), String(windowMs)])],
    );
    return others.map((other) => {
      const [index = '', age = '', counts = ''] = other.split(' ');
      return { key: sent[Number(index)]?.key ?? '', ageMs: Number(age), counts: countsIn(counts) };
    });
  }

  async count(keys: readonly CountedKey[], remembered = ''): Promise<AttemptCount> {
    const [waitMs = 0, isRemembered = 0] = await this.#run<number[]>(
      COUNT,
      [remembered, ...keys.map(({ key }) => key)].map((key) => ATTEMPTS + key),
      keys.flatMap(({ limit: { free, forgetMs, longestWaitMs }, isWaived }) =>
        [free, forgetMs, longestWaitMs ?? '', isWaived === true ? 1 : 0].map(String),
      ),
    );
    return { waitMs, isRemembered: isRemembered === 1 };
  }

  async undo(keys: readonly string[]): Promise<void> {
    await this.#run(
      UNDO,
      keys.map((key) => ATTEMPTS + key),
      [],
    );
  }

  async forget(key: string): Promise<void> {
    await this.#answer(this.#client.del(ATTEMPTS + key));
  }

  async remember(name: string, forMs: number): Promise<void> {
    await this.#answer(this.#client.set(ATTEMPTS + name, '', { expiration: { type: 'PX', value: forMs } }));
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  async #run<T>(script: string, keys: string[], values: string[]): Promise<T> {
    return (await this.#answer(this.#client.eval(script, { keys, arguments: values }))) as T;
  }

  #answer<T>(answer: Promise<T>): Promise<T> {
    return withTimeout(answer, ANSWER_MS, () => {
      throw new Error('Redis does not answer.');
    });
  }
}
