/** Scripts of this folder in processes of their own, so that they share no event loop with what is measured. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export interface Child<T> extends AsyncDisposable {
  /** First message of the script. */
  readonly message: T;
}

/** Runs a script, hands it `input` and waits for its first message; it ends with the block. */
export async function startChild<T>(script: URL, input: unknown): Promise<Child<T>> {
  const child = fork(script, { execArgv: [] });
  child.send(JSON.stringify(input));
  const message = await firstMessage<T>(child);
  return { message, [Symbol.asyncDispose]: () => stopped(child) };
}

/** What the script was handed. */
export async function childInput<T>(): Promise<T> {
  const [text] = (await once(process, 'message')) as [string];
  return JSON.parse(text) as T;
}

/** Ends the process and resolves when it is gone. */
export async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

function firstMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`A process of the benchmark ended early, with code ${code}.`)));
  });
}
