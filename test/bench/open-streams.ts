/** Opens chat streams over several servers, reads them to their ends, and asks for health meanwhile. Run by `startChild`. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { childInput } from './child.ts';
import { get, send, textOf } from './client.ts';
import { percentile } from './measure.ts';

export interface StreamsInput {
  readonly urls: readonly string[];
  /** Asked in turn. */
  readonly questions: readonly string[];
  readonly streams: number;
}

export interface StreamsResult {
  /** Streams whose headers had come and that had not ended, at the most. */
  readonly mostOpen: number;
  /** Streams that ended with the event that says so. */
  readonly complete: number;
  /** Over all servers; without those that failed. */
  readonly healthP99Ms: number;
}

/** Opened in bursts of so many, one for each pause. */
const BURST = 25;
const PAUSE_MS = 100;
const HEALTH_EVERY_MS = 250;

if (import.meta.main) {
  const { urls, questions, streams } = await childInput<StreamsInput>();
  const agent = new Agent({ keepAlive: false });
  let [open, mostOpen, complete, isOver] = [0, 0, 0, false];

  async function stream(n: number): Promise<void> {
    const text = questions[n % questions.length];
    const body = JSON.stringify({ messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text }] }] });
    const response = await send(agent, `${urls[n % urls.length]}/api/v1/chat`, body);
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    const answer = await textOf(response).finally(() => {
      open -= 1;
    });
    if (/^data: d:\{/m.test(answer)) complete += 1;
    else process.stderr.write(`${answer.slice(-300)}\n`);
  }

  async function watchHealth(): Promise<number> {
    const times: number[] = [];
    for (let turn = 0; !isOver; turn += 1) {
      const startedAt = performance.now();
      await textOf(await get(agent, `${urls[turn % urls.length]}/api/health/live`));
      times.push(performance.now() - startedAt);
      await sleep(HEALTH_EVERY_MS);
    }
    return percentile(times, 0.99);
  }

  const health = watchHealth();
  const running: Promise<void>[] = [];
  for (let n = 0; n < streams; n += 1) {
    running.push(stream(n).catch((error: Error) => void process.stderr.write(`${error.message}\n`)));
    if (n % BURST === BURST - 1) await sleep(PAUSE_MS);
  }
  await Promise.all(running);
  isOver = true;
  const result: StreamsResult = { mostOpen, complete, healthP99Ms: await health };
  process.send?.(result);
}
