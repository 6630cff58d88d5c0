/**
 * A database process: answers one request after the other and ends with the server. It loads DuckDB and nothing else.
 * Its arguments: the file's path, what it may use, and a folder for temporary files.
 */
import { flushCompileCache } from 'node:module';
import type { Interrupt, ProcessMessage, ProcessRequest } from '../datasource/process-protocol.ts';
import { partsOf } from '../datasource/reply-parts.ts';
import { Engine } from './engine.ts';
import type { EngineLimits } from './settings.ts';

/** A process that keeps more than this between statements is replaced after its answer. */
const RETIRE_ABOVE_BYTES = 384 * 1024 * 1024;

const [path = '', limits = '{}', scratch = ''] = process.argv.slice(2);
const engine = new Engine(path, JSON.parse(limits) as EngineLimits, scratch);

function send(message: ProcessMessage): void {
  process.send?.(message);
}

process.on('message', async (request: ProcessRequest | Interrupt) => {
  if (request.kind === 'interrupt') {
    engine.interrupt();
    return;
  }
  const answer = await engine.answer(request);
  const retire = process.memoryUsage.rss() > RETIRE_ABOVE_BYTES;
  for (const part of partsOf({ kind: 'reply', ...answer, retire })) send(part);
});
process.on('disconnect', () => process.exit());
// A signal to the whole group is the server's to handle: it lets running statements finish.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

send({ kind: 'ready' });
flushCompileCache();
