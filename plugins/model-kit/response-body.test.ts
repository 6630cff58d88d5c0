/** Checks that many replies that have arrived at the same time are read in short turns of the event loop. */
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { blockingTime } from '../../test/growth/blocking.ts';
import { keptConnections } from './connections.ts';
import { HeldBytes, piecesOf, textOf } from './response-body.ts';

const REPLIES = 40;
const REPLY = Buffer.alloc(32 * 1024, ':\n');

/** Makes much of a piece. */
function work(ms: number): void {
  const { user, system } = process.cpuUsage();
  const spentMs = () => {
    const spent = process.cpuUsage({ user, system });
    return (spent.user + spent.system) / 1000;
  };
  while (spentMs() < ms);
}

function arrived(type: string, text = REPLY, statusCode = 200): IncomingMessage {
  const body = new Readable({ read() {} });
  body.push(text);
  body.push(null);
  return Object.assign(body, { headers: { 'content-type': type }, statusCode }) as unknown as IncomingMessage;
}

const readers: Readonly<Record<string, (held: HeldBytes) => Promise<void>>> = {
  streams: async (held) => {
    for await (const _ of piecesOf(arrived('text/event-stream'), held)) work(2);
  },
  documents: async (held) => {
    await textOf(arrived('application/json'), held);
    work(8);
  },
};

describe.each(Object.entries(readers))('%s', (_, read) => {
  test('take their turns', async () => {
    const held = new HeldBytes();
    const blockedMs = await blockingTime(() => Promise.all(Array.from({ length: REPLIES }, () => read(held))));
    // All of the work at once is 320 ms.
    expect(blockedMs).toBeLessThan(80);
  });
});

test('of the document of a failed call the beginning is read', async () => {
  const document = Buffer.alloc(1_000_000, 'It failed. ');
  const read = (status: number) => textOf(arrived('application/json', document, status), new HeldBytes());
  expect(await read(200)).toHaveLength(1_000_000);
  const said = await read(500);
  expect(document.toString().startsWith(said)).toBe(true);
  expect(said).toHaveLength(256 * 1024);
});

test('a document that waits to be read counts for those that still arrive', async () => {
  const held = new HeldBytes();
  const hold = held.of(arrived('application/json'));
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting = held.during(40 * 1024 * 1024, promise);
  expect(() => hold(100_000)).toThrow('All replies together');
  resolve();
  await waiting;
  expect(() => hold(100_000)).not.toThrow();
});

test.each([
  ['x', 20_000, false],
  ['x', 1_000, true],
  ['x'.repeat(20), 20_000, true],
])('of parts such as %j, %i are read: %s', async (part, count, isRead) => {
  const chunk = `${part.length.toString(16)}\r\n${part}\r\n`;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(count)}0\r\n\r\n`),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connections = keptConnections();
  try {
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const incoming = await connections.send('POST', url, {}, [Buffer.from('{}')], undefined);
    const text = textOf(incoming, connections.held);
    if (isRead) expect(await text).toBe(part.repeat(count));
    else await expect(text).rejects.toThrow('tiny parts');
  } finally {
    connections.close();
    server.close();
  }
});
