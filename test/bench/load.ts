/** Many requests over kept connections, from a separate process. Run by `startChild`. */
import autocannon, { type Result } from 'autocannon';
import { childInput } from './child.ts';

export interface LoadInput {
  readonly url: string;
  /** JSON bodies, sent in turn on each connection. */
  readonly bodies: readonly string[];
  readonly connections: number;
  readonly amount: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Responses other than 2xx, and requests without one. */
  readonly failed: number;
}

if (import.meta.main) {
  const { url, bodies, connections, amount } = await childInput<LoadInput>();
  const headers = { 'content-type': 'application/json' };
  const startedAt = performance.now();
  // It notices the end only once a second.
  let lastAt = startedAt;
  const result = await new Promise<Result>((resolve, reject) => {
    const requests = bodies.map((body) => ({ method: 'POST' as const, headers, body }));
    const settle = (error: unknown, ended: Result) => (error ? reject(error) : resolve(ended));
    autocannon({ url, connections, amount, requests }, settle).on('response', () => {
      lastAt = performance.now();
    });
  });
  const seconds = (lastAt - startedAt) / 1000;
  const report: LoadResult = {
    requestsPerSecond: result['2xx'] / seconds,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failed: amount - result['2xx'],
  };
  process.send?.(report);
}
