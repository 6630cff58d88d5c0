/** Has a process of its own compare and time two statements, so that a slow one can be ended. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { moduleBeside } from '../../datasource-kit/index.ts';
import type { Measured, Measurement } from './measure-process.ts';

/** As long as BIRD lets both statements run. */
const TIMEOUT_MS = 30_000;

/** `undefined`: they took too long. Rejects when the run is stopped or the process cannot work. */
export async function measure(asked: Measurement, signal: AbortSignal): Promise<Measured | undefined> {
  signal.throwIfAborted();
  // No variable of the environment reaches it: a gold statement is foreign text.
  const child = fork(fileURLToPath(moduleBeside('measure-process', import.meta.url)), {
    env: { PATH: process.env.PATH },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  const timeout = AbortSignal.timeout(TIMEOUT_MS + asked.budgetMs);
  const stop = () => child.kill('SIGKILL');
  const either = AbortSignal.any([signal, timeout]);
  either.addEventListener('abort', stop, { once: true });
  try {
    child.send(asked);
    const answer = await new Promise<Measured | undefined>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Measured));
      child.once('error', reject);
      child.once('exit', () => resolve(undefined));
    });
    signal.throwIfAborted();
    if (answer !== undefined || timeout.aborted) return answer;
    throw new Error('The process that runs the statements has ended; their rows may need too much memory.');
  } finally {
    either.removeEventListener('abort', stop);
    stop();
  }
}
