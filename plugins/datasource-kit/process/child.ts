/**
 * Runs one engine in a separate process: answers one request after the other and ends with the server. It loads the
 * engine's module and nothing else, for a quick start and a small memory. Arguments: the module's URL, the engine's own.
 */
import { flushCompileCache } from 'node:module';
import * as values from '../values.ts';
import type { OpenEngine } from './engine.ts';
import type { ExecuteRequest, Failure, Interrupt, ProcessMessage, ProcessRequest, WireResult } from './protocol.ts';
import { RowSender } from './row-sender.ts';

/** Short statements cannot make the process grow, and asking for its memory costs a system call. */
const CHECK_MEMORY_AFTER_MS = 20;

const [url = '', ...args] = process.argv.slice(2);
const { openEngine } = (await import(url)) as { readonly openEngine: OpenEngine };
const engine = openEngine(args, values);

/** Reads the rows of one statement as far as its limits go, and sends the first ones of many. */
async function execute(request: ExecuteRequest): Promise<{ value: WireResult } | { failure: Failure }> {
  const rows = new RowSender(request, request.isWhole ? handOn : send);
  try {
    await engine.execute(request, rows);
    return { value: rows.rest() };
  } catch (error) {
    const failure = engine.failureOf(error);
    return { failure: rows.hasBegun ? { ...failure, metData: true } : failure };
  }
}

async function answer(request: ProcessRequest): Promise<{ value: unknown } | { failure: Failure }> {
  if (request.kind === 'execute') return execute(request);
  try {
    if (request.kind === 'estimate') return { value: await engine.estimate?.(request) };
    return { value: await engine[request.kind]?.() };
  } catch (error) {
    return { failure: engine.failureOf(error) };
  }
}

function mustRetire(tookMs: number): boolean {
  if (engine.isStuck?.() === true) return true;
  return tookMs > CHECK_MEMORY_AFTER_MS && process.memoryUsage.rss() > engine.retireAboveBytes;
}

function send(message: ProcessMessage, written = () => {}): void {
  process.send?.(message, written);
}

/** What is called when the server has taken the rows that it was sent, in order. */
const awaiting: (() => void)[] = [];

function handOn(message: ProcessMessage, taken: () => void): void {
  awaiting.push(taken);
  send(message);
}

process.on('message', async (request: ProcessRequest | Interrupt) => {
  if (request.kind === 'taken') {
    awaiting.shift()?.();
    return;
  }
  if (request.kind === 'interrupt') {
    engine.interrupt?.();
    // What has stopped must not wait for the server either.
    for (const taken of awaiting.splice(0)) taken();
    return;
  }
  awaiting.length = 0;
  const startedAt = performance.now();
  const reply = await answer(request);
  const retire = mustRetire(performance.now() - startedAt);
  send({ kind: 'reply', ...reply, retire });
});
process.on('disconnect', () => process.exit());
// A signal to the whole group is for the server to handle: it lets running statements finish.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

send({ kind: 'ready' });
flushCompileCache();
