/** Measures the process itself: the delay and use of its event loop, and its memory. Reads only when asked. */
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import type { Meter } from '@opentelemetry/api';
import { instrumentOptions, type MetricName } from './metric-catalog.ts';

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
  const gauge = (name: MetricName) => meter.createObservableGauge(name, instrumentOptions(name));
  const gauges = [
    { gauge: gauge('nodejs.eventloop.delay.min'), read: () => delay.min },
    { gauge: gauge('nodejs.eventloop.delay.max'), read: () => delay.max },
    { gauge: gauge('nodejs.eventloop.delay.mean'), read: () => delay.mean },
    { gauge: gauge('nodejs.eventloop.delay.stddev'), read: () => delay.stddev },
    { gauge: gauge('nodejs.eventloop.delay.p50'), read: () => delay.percentile(50) },
    { gauge: gauge('nodejs.eventloop.delay.p90'), read: () => delay.percentile(90) },
    { gauge: gauge('nodejs.eventloop.delay.p99'), read: () => delay.percentile(99) },
  ];
  const utilization = gauge('nodejs.eventloop.utilization');
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
  const sum = (name: MetricName) => meter.createObservableUpDownCounter(name, instrumentOptions(name));
  const resident = sum('process.memory.usage');
  const used = sum('v8js.memory.heap.used');
  const reserved = sum('v8js.memory.heap.limit');
  const max = sum('atlas.heap.max');
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
