/** What the process itself does: how late its event loop is, and its memory. Read only when somebody collects. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Meter } from '@opentelemetry/api';

const RESOLUTION_MS = 20;
/** Delays are those of the last so many milliseconds at least, whoever collects how often. */
const WINDOW_MS = 10_000;
const NANOSECONDS = 1e9;

/** Returns what ends it. */
export function watchRuntime(meter: Meter): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let resetAt = performance.now();
  delay.enable();
  const gauge = (name: string, description: string, unit: string) =>
    meter.createObservableGauge(name, { description, unit });
  const mean = gauge('nodejs.eventloop.delay.mean', 'Mean delay of the event loop.', 's');
  const p99 = gauge('nodejs.eventloop.delay.p99', '99th percentile of the delay of the event loop.', 's');
  const max = gauge('nodejs.eventloop.delay.max', 'Longest delay of the event loop.', 's');
  meter.addBatchObservableCallback(
    (result) => {
      // Nothing was measured yet: the library's answer is not a number then.
      if (delay.count > 0) {
        result.observe(mean, delay.mean / NANOSECONDS);
        result.observe(p99, delay.percentile(99) / NANOSECONDS);
        result.observe(max, delay.max / NANOSECONDS);
      }
      if (performance.now() - resetAt < WINDOW_MS) return;
      delay.reset();
      resetAt = performance.now();
    },
    [mean, p99, max],
  );

  const resident = gauge('process.memory.usage', 'Physical memory in use.', 'By');
  const heap = gauge('v8js.memory.heap.used', 'Heap in use.', 'By');
  const limit = gauge('v8js.memory.heap.limit', 'Largest heap.', 'By');
  meter.addBatchObservableCallback(
    (result) => {
      const { used_heap_size, heap_size_limit } = getHeapStatistics();
      result.observe(resident, process.memoryUsage.rss());
      result.observe(heap, used_heap_size);
      result.observe(limit, heap_size_limit);
    },
    [resident, heap, limit],
  );
  return () => delay.disable();
}
