/** Asks for health every 50 ms, in a separate thread so that the load does not delay it. */
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';

const EVERY_MS = 50;
const GIVE_UP_MS = 10_000;

export interface HealthTimes {
  /** Milliseconds of every answer, ascending. */
  readonly times: readonly number[];
  /** Answers that did not come, or with a status other than 200. */
  readonly failures: number;
}

function ask(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: GIVE_UP_MS }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}

/** Begins to ask; the function that it returns ends that and resolves to what was seen. */
export function watchHealth(url: string): () => Promise<HealthTimes> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { healthUrl: `${url}/api/health` } });
  return () =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.postMessage('end');
    });
}

const { healthUrl } = (workerData ?? {}) as { healthUrl?: string };
if (healthUrl !== undefined && parentPort !== null) {
  const times: number[] = [];
  let failures = 0;
  let isOver = false;
  parentPort.once('message', () => (isOver = true));
  while (!isOver) {
    const startedAt = performance.now();
    if ((await ask(healthUrl)) === 200) times.push(performance.now() - startedAt);
    else failures += 1;
    await sleep(EVERY_MS);
  }
  parentPort.postMessage({ times: times.sort((a, b) => a - b), failures } satisfies HealthTimes);
  parentPort.close();
}
