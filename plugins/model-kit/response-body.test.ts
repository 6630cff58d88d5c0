import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { blockingTime, maxBlockingMs } from '../../test/growth/blocking.ts';
import { HeldBytes, limitedBytes, textOf } from './response-body.ts';

/** Takes about 30 ms to find out that it is no JSON. */
const LONG = '['.repeat(1_000_000);
const parsed = (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

function replyOf(text: string, type: string): IncomingMessage {
  return Object.assign(Readable.from([Buffer.from(text)]), { headers: { 'content-type': type } }) as never;
}

async function document(held: HeldBytes): Promise<void> {
  parsed(await textOf(replyOf(LONG, 'application/json'), held));
}

async function event(held: HeldBytes): Promise<void> {
  const incoming = Object.assign(Readable.from([Buffer.from(LONG), Buffer.from('\n\n')]), {
    headers: { 'content-type': 'text/event-stream' },
  });
  const pieces: Buffer[] = [];
  for await (const piece of limitedBytes(incoming as never, held)) pieces.push(piece);
  parsed(Buffer.concat(pieces).toString());
}

test.each([
  ['documents', document],
  ['events', event],
])('long %s that are complete at the same time are read one in each turn', async (_, read) => {
  const all = () => Promise.all(Array.from({ length: 20 }, () => read(new HeldBytes())));
  expect(await blockingTime(all)).toBeLessThan(2 * maxBlockingMs());
});

test('a document that waits to be read counts for those that still arrive', async () => {
  const held = new HeldBytes();
  const hold = held.of(replyOf('', 'application/json'));
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting = held.during(40 * 1024 * 1024, promise);
  expect(() => hold(100_000)).toThrow('All replies together');
  resolve();
  await waiting;
  expect(() => hold(100_000)).not.toThrow();
});
