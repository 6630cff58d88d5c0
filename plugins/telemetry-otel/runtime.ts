/** Measures the process itself: the delay and use of its event loop, and its memory. Reads only when asked. */
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import type { Meter } from '@opentelemetry/api';

const RESOLUTION_MS = 20;
/** Delays are those of at least this long, however often metrics are collected. */
const WINDOW_MS = 10_000;
const NANOSECONDS = 1e9;
const HEAP_SPACE = 'v8js.heap.space.name';

/** Returns what ends it. */
export function watchRuntime(meter: Meter): () => void {
  const stop = watchEventLoop(meter);
  watchMemory(meter);
  return stop;
}

function watchEventLoop(meter: Meter): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let windowBeganAt = performance.now();
  let used: EventLoopUtilization = performance.eventLoopUtilization();
  delay.enable();
  const statistics = {
    min: () => delay.min,
    max: () => delay.max,
    mean: () => delay.mean,
    stddev: () => delay.stddev,
    p50: () => delay.percentile(50),
    p90: () => delay.percentile(90),
    p99: () => delay.percentile(99),
  };
  const gauges = Object.entries(statistics).map(([name, read]) => {
    const options = { description: `Delay of the event loop: ${name}.`, unit: 's' };
    return { gauge: meter.createObservableGauge(`nodejs.eventloop.delay.${name}`, options), read };
  });
  const utilization = meter.createObservableGauge('nodejs.eventloop.utilization', {
    description: 'Share of the time in which the event loop was busy.',
    unit: '1',
  });
  meter.addBatchObservableCallback(
    (result) => {
      result.observe(utilization, performance.eventLoopUtilization(used).utilization);
      // Before the first measurement the library's answer is not a number.
      if (delay.count > 0) for (const { gauge, read } of gauges) result.observe(gauge, read() / NANOSECONDS);
      if (performance.now() - windowBeganAt < WINDOW_MS) return;
      delay.reset();
      used = performance.eventLoopUtilization();
      windowBeganAt = performance.now();
    },
    [utilization, ...gauges.map(({ gauge }) => gauge)],
  );
  return () => delay.disable();
}

function watchMemory(meter: Meter): void {
  const bytes = (name: string, description: string) =>
    meter.createObservableUpDownCounter(name, { description, unit: 'By' });
  const resident = bytes('process.memory.usage', 'Physical memory in use.');
  const used = bytes('v8js.memory.heap.used', 'Heap in use.');
  const reserved = bytes('v8js.memory.heap.limit', 'Heap that is reserved.');
  const max = bytes('atlas.heap.max', 'Size beyond which the heap cannot grow.');
  meter.addBatchObservableCallback(
    (result) => {
      result.observe(resident, process.memoryUsage.rss());
      result.observe(max, getHeapStatistics().heap_size_limit);
      for (const { space_name, space_used_size, space_size } of getHeapSpaceStatistics()) {
        const space = { [HEAP_SPACE]: space_name };
        result.observe(used, space_used_size, space);
        result.observe(reserved, space_size, space);
      }
    },
    [resident, max, used, reserved],
  );
}
