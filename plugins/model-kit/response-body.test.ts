/** Checks the limits within which response bodies are read. */
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { keptConnections } from './connections.ts';
import { HeldBytes, textOf } from './response-body.ts';

function arrived(type: string, text: Buffer, statusCode = 200): IncomingMessage {
  const body = new Readable({ read() {} });
  body.push(text);
  body.push(null);
  return Object.assign(body, { headers: { 'content-type': type }, statusCode }) as unknown as IncomingMessage;
}

test('of the document of a failed call the beginning is read', async () => {
  const document = Buffer.alloc(1_000_000, 'It failed. ');
  const read = (status: number) => textOf(arrived('application/json', document, status), new HeldBytes());
  expect(await read(200)).toHaveLength(1_000_000);
  const said = await read(500);
  expect(document.toString().startsWith(said)).toBe(true);
  expect(said).toHaveLength(256 * 1024);
});

test('all replies together hold a limited amount', () => {
  const held = new HeldBytes();
  const [large, other] = [arrived('application/json', Buffer.of()), arrived('application/json', Buffer.of())].map(
    (incoming) => held.of(incoming),
  );
  large?.(32 * 1024 * 1024);
  expect(() => other?.(100_000)).toThrow('All replies together');
  expect(() => other?.(1_000)).not.toThrow();
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
    const incoming = await connections.send('POST', url, {}, '{}', undefined);
    const text = textOf(incoming, connections.held);
    if (isRead) expect(await text).toBe(part.repeat(count));
    else await expect(text).rejects.toThrow('tiny parts');
  } finally {
    connections.close();
    server.close();
  }
});
