/** Has clients ask three servers without a pause while each is restarted, also after a lost connection, and counts what failed. */
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
  /** Streams whose connection was lost, and that were taken up again from any server to their end. */
  readonly resumed: number;
  /** What failed, one line each: nothing may. */
  readonly failed: readonly string[];
  /** How servers ended that were stopped: with 0. */
  readonly exits: readonly string[];
}

/** `restarts`: of each server, one after the other. */
export async function rollServers(restarts: number): Promise<RollingFigures> {
  await using cluster = await startCluster();
  const failed: string[] = [];
  let [answered, streamed, resumed, isOver] = [0, 0, 0, false];
  const question = 'How many boats are there?';
  const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: question }] }];

  async function resume(): Promise<void> {
    const id = await cluster.loseChat({ messages, resumable: true });
    while (id !== undefined) {
      try {
        const { status, text } = await cluster.send(`/api/v1/chat/${id}/stream`);
        if (status === 200 && text.includes('"finishReason":"stop"') && text.includes('boats are there.')) resumed += 1;
        // Its end was on its way when the connection was lost, and is read as it is stored.
        else if (status === 204) await storedAs(id);
        else failed.push(`resumed ${status}: …${text.slice(-300)}`);
        return;
      } catch (error) {
        // A server that stops cuts what it follows for another one.
        if (!(error instanceof TypeError)) throw error;
      }
    }
  }

  async function storedAs(id: string): Promise<void> {
    const { text } = await cluster.send(`/api/v1/conversations/${id}`);
    if (!text.includes('Three boats')) failed.push(`stored: …${text.slice(-300)}`);
  }

  async function client(n: number): Promise<void> {
    for (let turn = n; !isOver; turn += 1) {
      try {
        if (turn % 3 === 2) await resume();
        else if (turn % 3 === 0) {
          const { status, text } = await cluster.send('/api/v1/query', { question });
          if (status === 200 && text.includes('Three boats')) answered += 1;
          else failed.push(`query ${status}: ${text.slice(0, 300)}`);
        } else {
          const { status, text } = await cluster.send('/api/v1/chat', { messages });
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
  return {
    restarts: restarts * cluster.size,
    answered,
    streamed,
    resumed,
    failed,
    exits: [...exits, ...cluster.exits],
  };
}
