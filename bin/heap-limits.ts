/**
 * Limits how V8's heap grows. V8 lets the young generation grow to 128 MB under load although a few suffice here; the
 * flag that limits it is read at the start of a process only, but growth can be stopped at run time.
 */
import { subscribe } from 'node:diagnostics_channel';
import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';

/** With half of it, more outlives a collection and has to be moved; twice as much saves no more time. */
const YOUNG_GENERATION_BYTES = 16 * 1024 * 1024;

/**
 * By how much the heap grows between two full collections; by default V8 lets it grow to four times what is in use. A
 * question leaves little that outlives it, so that more collections than by default cost no time that could be measured.
 */
const GROWTH_PERCENT = 10;

/**
 * Memory is worth more than time from when questions hold as much as the first of these until they hold less than the
 * second: V8 then closes gaps between what is in use, and keeps the young generation small. With 40 MB of results that nobody
 * takes, the process has 20 MB less; ordinary questions, which hold almost nothing, would cost two thirds more time.
 */
const MUCH_HELD_BYTES = 16 * 1024 * 1024;
const LITTLE_HELD_BYTES = 8 * 1024 * 1024;

/**
 * Applies to the running process, in which `atlas.mjs` has stopped all growth: while modules are loaded, nothing could stop
 * it in time. The young generation grows to its limit first, and again when V8 has shrunk it.
 */
export function limitHeapGrowth(): void {
  v8.setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  let mayGrow = false;
  const observer = new PerformanceObserver(() => {
    const young = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    const isSmall = young === undefined || young.space_size < YOUNG_GENERATION_BYTES;
    if (isSmall === mayGrow) return;
    mayGrow = isSmall;
    v8.setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  });
  observer.observe({ entryTypes: ['gc'] });
  let isTight = false;
  // Of the plugin `agent`, `budget.ts`.
  subscribe('atlas:agent:held', (message) => {
    const { bytes } = message as { readonly bytes: number };
    if (isTight ? bytes > LITTLE_HELD_BYTES : bytes < MUCH_HELD_BYTES) return;
    isTight = !isTight;
    v8.setFlagsFromString(isTight ? '--optimize-for-size' : '--no-optimize-for-size');
  });
}
