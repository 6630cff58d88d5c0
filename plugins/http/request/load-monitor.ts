/** Watches whether the process can take more work: whether its event loop is late, or its heap nearly full. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** Between two looks. */
const SAMPLE_MS = 1_000;
const RESOLUTION_MS = 10;
/** The first samples are of the start, which is busy and over. */
const SAMPLES_OF_START = 2;
/** Of the heap's limit; at the limit the process ends. */
const MAX_HEAP_SHARE = 0.85;

/** Needs no descriptor and no file: it works where the process has run out of them. */
export class LoadMonitor {
  readonly #maxDelayMs: number;
  /** Made by the start: one that is never enabled stays open for good. */
  #delays: ReturnType<typeof monitorEventLoopDelay> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #samples = 0;
  #delayMs = 0;

  /** `maxDelayMs`: mean delay of the event loop over a second; 0 for any. */
  constructor(maxDelayMs: number) {
    this.#maxDelayMs = maxDelayMs;
  }

  start(): void {
    this.#delays ??= monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delays.enable();
    this.#timer ??= setInterval(() => this.#sample(), SAMPLE_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delays?.disable();
  }

  get isOverloaded(): boolean {
    return (this.#maxDelayMs > 0 && this.#delayMs > this.#maxDelayMs) || this.#isHeapFull;
  }

  get #isHeapFull(): boolean {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    return used > MAX_HEAP_SHARE * limit;
  }

  #sample(): void {
    this.#samples += 1;
    const { mean = 0 } = this.#delays ?? {};
    this.#delays?.reset();
    if (this.#samples <= SAMPLES_OF_START) return;
    // Without a single measurement in all that time, it was as late as can be.
    this.#delayMs = Number.isNaN(mean) ? Number.POSITIVE_INFINITY : mean / 1e6 - RESOLUTION_MS;
  }
}
