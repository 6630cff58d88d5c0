/**
 * Bounds the part of the heap where new objects live. V8 lets it grow to 128 MB under load although a few suffice
 * here, and the option for that is only read at the start of a process; growth itself can be stopped at run time.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';

/** Large enough that collections stay rare, small beside the 100 MB that the process has anyway. */
const ENOUGH_BYTES = 16 * 1024 * 1024;

/** Watches collections until the young generation is large enough, then stops its growth. */
export function boundYoungGeneration(): void {
  const observer = new PerformanceObserver(() => {
    const young = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (young === undefined || young.space_size < ENOUGH_BYTES) return;
    v8.setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
