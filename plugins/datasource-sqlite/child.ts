/**
 * A database process: answers one request after the other and ends with the server. It loads the SQLite driver and
 * nothing else, for a quick start and a small memory. The file's path is its only argument.
 */
import { flushCompileCache } from 'node:module';
import type { ProcessMessage, ProcessRequest } from '../datasource/process-protocol.ts';
import { partsOf } from '../datasource/reply-parts.ts';
import { Engine } from './engine.ts';

/** A process that a large value has swollen is replaced after its answer. */
const RETIRE_ABOVE_BYTES = 128 * 1024 * 1024;
/** Short statements cannot swell it, and asking costs a system call. */
const CHECK_MEMORY_AFTER_MS = 20;

const engine = new Engine(process.argv[2] ?? '');

function send(message: ProcessMessage): void {
  process.send?.(message);
}

process.on('message', (request: ProcessRequest) => {
  const startedAt = performance.now();
  const answer = engine.answer(request);
  const long = performance.now() - startedAt > CHECK_MEMORY_AFTER_MS;
  const large = long && process.memoryUsage.rss() > RETIRE_ABOVE_BYTES;
  const retire = large || engine.isStuck;
  for (const part of partsOf({ kind: 'reply', ...answer, retire })) send(part);
});
process.on('disconnect', () => process.exit());
// A signal to the whole group is the server's to handle: it lets running statements finish.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

send({ kind: 'ready' });
flushCompileCache();
