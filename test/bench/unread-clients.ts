/** Clients that ask and never read, and one that asks for the health of the server meanwhile. Run by `startChild`. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { childInput } from './child.ts';
import { percentile } from './measure.ts';

export interface UnreadInput {
  readonly url: string;
  readonly path: string;
  readonly body: string;
  readonly clients: number;
  readonly durationMs: number;
}

export interface UnreadResult {
  /** How many clients have which status waiting for them; `closed` where the server has ended the connection. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly healthP50Ms: number;
  readonly healthP99Ms: number;
  readonly healthMaxMs: number;
  /** Requests for the health that failed, or took longer than five seconds. */
  readonly healthFailed: number;
}

const HEALTH_EVERY_MS = 100;
const HEALTH_TIMEOUT_MS = 5_000;
/** How long the first bytes of an answer may take, once a client begins to read. */
const FIRST_BYTES_MS = 1_000;

/** Sends the request; the system takes what fits into its buffers, and the client takes nothing. */
function ask({ hostname, port, host }: URL, path: string, body: string): Socket {
  const socket = connect({ port: Number(port), host: hostname }).pause();
  socket.on('error', () => {});
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}

/** The status in the first bytes of what has come. */
function statusOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    setTimeout(resolve, FIRST_BYTES_MS, 'none');
    socket.once('close', () => resolve('closed'));
    socket.once('data', (bytes: Buffer) => {
      resolve(bytes.toString('latin1', 9, 12));
      socket.destroy();
    });
    socket.resume();
  });
}

async function watchHealth(url: URL, until: number): Promise<Omit<UnreadResult, 'statuses'>> {
  const times: number[] = [];
  let failed = 0;
  while (performance.now() < until) {
    const startedAt = performance.now();
    await fetch(new URL('/api/health', url), {
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
      headers: { connection: 'close' },
    })
      .then((response) => response.text())
      .catch(() => {
        failed += 1;
      });
    times.push(performance.now() - startedAt);
    await sleep(HEALTH_EVERY_MS);
  }
  return {
    healthP50Ms: percentile(times, 0.5),
    healthP99Ms: percentile(times, 0.99),
    healthMaxMs: Math.max(...times),
    healthFailed: failed,
  };
}

if (import.meta.main) {
  const { url: base, path, body, clients, durationMs } = await childInput<UnreadInput>();
  const url = new URL(base);
  const until = performance.now() + durationMs;
  const sockets = Array.from({ length: clients }, () => ask(url, path, body));
  const health = await watchHealth(url, until);
  const statuses = Object.groupBy(await Promise.all(sockets.map(statusOf)), (status) => status);
  const counted = Object.entries(statuses).map(([status, all]) => [status, all?.length ?? 0] as const);
  const result: UnreadResult = { ...health, statuses: Object.fromEntries(counted) };
  process.send?.(result);
}
