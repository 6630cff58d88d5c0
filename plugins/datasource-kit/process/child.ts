/**
 * Runs one engine in a separate process: answers one request after the other and ends with the server. It loads the
 * engine's module and nothing else, for a quick start and a small memory. Arguments: the module's URL, the engine's own.
 */
import { flushCompileCache } from 'node:module';
import * as values from '../values.ts';
import type { OpenEngine, RowWriter } from './engine.ts';
import type { ExecuteRequest, Failure, Interrupt, ProcessMessage, ProcessRequest, WireResult } from './protocol.ts';
import { partsOf } from './reply-parts.ts';

/** Short statements cannot make the process grow, and asking for its memory costs a system call. */
const CHECK_MEMORY_AFTER_MS = 20;

const [url = '', ...args] = process.argv.slice(2);
const { openEngine } = (await import(url)) as { readonly openEngine: OpenEngine };
const engine = openEngine(args, values);

/** Reads the rows of one statement as far as its limits go. */
async function execute(request: ExecuteRequest): Promise<{ value: WireResult } | { failure: Failure }> {
  let columns: readonly string[] = [];
  let collector: values.RowCollector | undefined;
  const rows: RowWriter = {
    begin(names) {
      columns = values.uniqueNames(names);
      collector = new values.RowCollector(columns, request);
    },
    add: (row) => collector?.add(row) ?? false,
  };
  try {
    await engine.execute(request, rows);
  } catch (error) {
    const failure = engine.failureOf(error);
    return { failure: collector === undefined ? failure : { ...failure, metData: true } };
  }
  const { rows: found = [], truncated = false, notes = [] } = collector ?? {};
  return { value: { columns, rows: found, truncated, notes } };
}

async function answer(request: ProcessRequest): Promise<{ value: unknown } | { failure: Failure }> {
  if (request.kind === 'execute') return execute(request);
  try {
    return { value: await engine[request.kind]() };
  } catch (error) {
    return { failure: engine.failureOf(error) };
  }
}

function mustRetire(tookMs: number): boolean {
  if (engine.isStuck?.() === true) return true;
  return tookMs > CHECK_MEMORY_AFTER_MS && process.memoryUsage.rss() > engine.retireAboveBytes;
}

function send(message: ProcessMessage): void {
  process.send?.(message);
}

process.on('message', async (request: ProcessRequest | Interrupt) => {
  if (request.kind === 'interrupt') {
    engine.interrupt?.();
    return;
  }
  const startedAt = performance.now();
  const reply = await answer(request);
  const retire = mustRetire(performance.now() - startedAt);
  for (const part of partsOf({ kind: 'reply', ...reply, retire })) send(part);
});
process.on('disconnect', () => process.exit());
// A signal to the whole group is for the server to handle: it lets running statements finish.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

send({ kind: 'ready' });
flushCompileCache();
