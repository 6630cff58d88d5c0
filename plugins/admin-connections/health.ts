/** Remembers how the connections answered when they were last asked. */
import { LRUCache } from 'lru-cache';
import { AtlasError, type ConnectionInfo, type HealthItem, messageOf, withTimeout } from '../../kernel/index.ts';
import type { ConnectionHealth } from './schemas.ts';

export interface HealthChecks {
  /** What is known, asked again in the background when it is old; waits a moment for what has never been asked. */
  known(connections: readonly ConnectionInfo[]): Promise<readonly ConnectionHealth[]>;
  /** Asks now. */
  now(connection: ConnectionInfo): Promise<ConnectionHealth>;
}

export interface HealthChecksInit {
  ask(key: string): Promise<HealthItem>;
  readonly now: () => number;
}

const FRESH_MS = 30_000;
const FIRST_WAIT_MS = 2_500;
/** Connections that are asked at the same time, and those that are remembered. */
const MAX_ASKED = 8;
const MAX_KNOWN = 2_000;
const UNKNOWN: ConnectionHealth = { status: 'unknown', latencyMs: null, checkedAt: null };

const keyOf = ({ key, id }: ConnectionInfo) => key ?? id;

export function healthChecks({ ask, now }: HealthChecksInit): HealthChecks {
  const known = new LRUCache<string, ConnectionHealth>({
    max: MAX_KNOWN,
    ttl: FRESH_MS,
    allowStale: true,
    noDeleteOnStaleGet: true,
  });
  const asking = new Map<string, Promise<ConnectionHealth>>();

  async function answerOf(key: string): Promise<ConnectionHealth> {
    let item: Pick<HealthItem, 'status' | 'latencyMs' | 'message'>;
    try {
      item = await ask(key);
    } catch (error) {
      // A datasource of other authors may not tell how one of its connections is.
      if (error instanceof AtlasError && error.reason === 'E_KEY_UNKNOWN') return UNKNOWN;
      item = { status: 'error', message: messageOf(error) };
    }
    const { status, latencyMs = null, message } = item;
    const checkedAt = new Date(now()).toISOString();
    const health = { status, latencyMs, checkedAt, ...(message !== undefined && { message }) };
    known.set(key, health);
    return health;
  }

  function askOnce(key: string): Promise<ConnectionHealth> {
    const running = asking.get(key);
    if (running !== undefined) return running;
    const answer = answerOf(key).finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
  }

  async function refresh(keys: readonly string[]): Promise<void> {
    const left = [...keys];
    const work = async () => {
      for (let key = left.shift(); key !== undefined; key = left.shift()) await askOnce(key);
    };
    await Promise.all(Array.from({ length: MAX_ASKED }, work));
  }

  return {
    async known(connections) {
      const keys = connections.map(keyOf);
      const old = keys.filter((key) => known.getRemainingTTL(key) <= 0);
      const refreshed = refresh(old);
      if (old.some((key) => known.get(key) === undefined)) await withTimeout(refreshed, FIRST_WAIT_MS, () => undefined);
      return keys.map((key) => known.get(key) ?? UNKNOWN);
    },
    now: (connection) => askOnce(keyOf(connection)),
  };
}
