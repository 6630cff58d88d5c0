/** Many requests over kept connections, from a separate process. Run by `startChild`. */
import { Agent } from 'node:http';
import { childInput } from './child.ts';
import { send, textOf } from './client.ts';

export interface LoadInput {
  readonly url: string;
  /** JSON bodies, sent in turn. */
  readonly bodies: readonly string[];
  readonly connections: number;
  readonly amount: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Responses with another status than 200, and requests without one. */
  readonly failed: number;
  /** What the first of them said. */
  readonly why?: string;
}

if (import.meta.main) {
  const { url, bodies, connections, amount } = await childInput<LoadInput>();
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const requests = Array.from({ length: amount }, (_, index) => bodies[index % bodies.length] ?? '').values();
  let failed = 0;
  let why: string | undefined;
  // One iterator for all connections: each takes the next request.
  const ask = async () => {
    for (const body of requests) {
      try {
        await textOf(await send(agent, url, body));
      } catch (error) {
        failed += 1;
        why ??= (error as Error).message;
      }
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, ask));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  const report: LoadResult = { requestsPerSecond: (amount - failed) / seconds, failed, ...(why && { why }) };
  process.send?.(report);
}
