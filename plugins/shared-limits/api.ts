/** Declares the service of the `shared-limits` plugin. */
import type { WindowOptions } from './sliding-window.ts';

export interface RequestWindow {
  /** Counts a request of `key` now. 0: it may pass; else the milliseconds until one may, and it is not counted. */
  take(key: string): number;
}

/** How many attempts a key has. */
export interface AttemptLimit {
  /** Attempts without consequence. */
  readonly free: number;
  /** Time after which the attempts of a key are forgotten: after the last, or without `longestWaitMs` after the first. */
  readonly forgetMs: number;
  /** Each further attempt doubles the wait before the next, from a second up to this. Without it none is left until all are forgotten. */
  readonly longestWaitMs?: number;
}

export interface CountedKey {
  readonly key: string;
  readonly limit: AttemptLimit;
  /** Not counted while the name given with it is remembered. */
  readonly isWaived?: boolean;
}

export interface AttemptCount {
  /** 0: the attempt may be made; else the milliseconds until one may, and it is not counted. */
  readonly waitMs: number;
  /** Whether the name given with it is remembered. */
  readonly isRemembered: boolean;
}

/**
 * Counts attempts strictly: of several at once, on any servers, no more are let through than may be. While database or
 * Redis do not answer, each server counts by itself. Never rejects.
 */
export interface Attempts {
  /** Counts an attempt of all keys, or of none. `remembered` waives some of them. */
  count(keys: readonly CountedKey[], remembered?: string): Promise<AttemptCount>;
  /** Takes an attempt of each key back, with the wait that it has caused. */
  undo(keys: readonly string[]): Promise<void>;
  /** Forgets all attempts of the key. */
  forget(key: string): Promise<void>;
  /** Remembers a name for so long. */
  remember(name: string, forMs: number): Promise<void>;
}

export interface SharedLimits {
  /** Counts requests without waiting for anything; `name` is the same on every server, and no other window's. */
  window(name: string, options: WindowOptions): RequestWindow;
  /** Counts attempts; `name` sets their keys apart, and is the same on every server. */
  attempts(name: string): Attempts;
}
