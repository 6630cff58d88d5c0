/** Has clients ask three servers without a pause while each of them is restarted twice, and counts what failed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster } from './cluster.ts';

const CLIENTS = 12;
/** Between two restarts: the clients reach the new server. */
const PAUSE_MS = 500;

export interface RollingFigures {
  readonly restarts: number;
  /** Questions answered as a whole, and as a stream with its end. */
  readonly answered: number;
  readonly streamed: number;
  /** What failed, one line each: nothing may. */
  readonly failed: readonly string[];
  /** How servers ended that were stopped: with 0. */
  readonly exits: readonly string[];
}

/** `restarts`: of each server, one after the other. */
export async function rollServers(restarts: number): Promise<RollingFigures> {
  await using cluster = await startCluster();
  const failed: string[] = [];
  let [answered, streamed, isOver] = [0, 0, false];
  const question = 'How many boats are there?';

  async function client(n: number): Promise<void> {
    for (let turn = n; !isOver; turn += 1) {
      try {
        if (turn % 2 === 0) {
          const { status, text } = await cluster.send('/api/v1/query', { question });
          if (status === 200 && text.includes('Three boats')) answered += 1;
          else failed.push(`query ${status}: ${text.slice(0, 300)}`);
        } else {
          const message = { id: '1', role: 'user', parts: [{ type: 'text', text: question }] };
          const { status, text } = await cluster.send('/api/v1/chat', { messages: [message] });
          if (status === 200 && /\nd:\{/.test(text.replaceAll('data: ', '')) && text.includes('Three boats'))
            streamed += 1;
          else failed.push(`chat ${status}: …${text.slice(-300)}`);
        }
      } catch (error) {
        const { message, cause } = error as Error;
        failed.push(`${message}: ${(cause as Error | undefined)?.message}`);
      }
    }
  }

  const clients = Array.from({ length: CLIENTS }, (_, n) => client(n));
  const exits: string[] = [];
  for (let at = 0; at < restarts * cluster.size; at += 1) {
    await sleep(PAUSE_MS);
    const code = await cluster.restart(at % cluster.size);
    if (code !== 0) exits.push(`${code}`);
  }
  await sleep(PAUSE_MS);
  isOver = true;
  await Promise.all(clients);
  return { restarts: restarts * cluster.size, answered, streamed, failed, exits: [...exits, ...cluster.exits] };
}
