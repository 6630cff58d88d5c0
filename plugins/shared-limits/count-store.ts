/** Declares where servers keep the counts that they share. */
import { createHash } from 'node:crypto';
import type { Attempts } from './api.ts';

/** Parts of a window for which other servers know the requests. */
export const STEPS = 30;

/** Requests of a key to one server, in each part of the window, latest first. */
export interface WindowCounts {
  readonly key: string;
  readonly counts: readonly number[];
}

export interface SentCounts extends WindowCounts {
  readonly windowMs: number;
}

export interface ReceivedCounts extends WindowCounts {
  /** Since another server sent them, by the clock of the store. */
  readonly ageMs: number;
}

/** Every method rejects while the store does not answer. */
export interface CountStore extends Attempts {
  /** Replaces what this server has sent of the keys, and answers what others have. */
  exchange(sent: readonly SentCounts[]): Promise<ReceivedCounts[]>;
  close(): Promise<void>;
}

/** Names a key in the store, which so holds neither addresses nor ids of users. */
export function storedKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 32);
}

/** Counts as a short text, without the zeros at the end. */
export function textOf(counts: readonly number[]): string {
  return counts.slice(0, counts.findLastIndex((count) => count > 0) + 1).join(',');
}

export function countsIn(text: string): number[] {
  return text.split(',').map(Number);
}
