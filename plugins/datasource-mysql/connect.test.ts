import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openConnection } from './connect.ts';

/** A server that sends `greeting` at once, `rest` after the login, and then never stops sending. */
async function hostileServer(greeting: Buffer, rest: Buffer) {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    const flood = () => {
      while (!socket.destroyed && socket.write(rest));
    };
    socket.write(greeting);
    socket.once('data', () => socket.on('drain', flood) && flood());
    if (greeting.length > HANDSHAKE.length) socket.on('drain', flood);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    target: { host: '127.0.0.1', port: (server.address() as AddressInfo).port, user: 'reader', password: 'secret' },
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const packet = (sequence: number, body: Buffer) => Buffer.concat([Buffer.from([body.length, 0, 0, sequence]), body]);
const HANDSHAKE = packet(
  0,
  Buffer.concat([
    Buffer.from('\x0a8.4.0\0\x01\0\0\0abcdefgh\0', 'latin1'),
    // PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH.
    Buffer.from([0x00, 0x82, 0xff, 0x02, 0x00, 0x08, 0x00, 21]),
    Buffer.alloc(10),
    Buffer.from('ijklmnopqrst\0mysql_native_password\0', 'latin1'),
  ]),
);
const OK = packet(2, Buffer.from([0, 0, 0, 2, 0, 0, 0]));
const MEBIBYTE = 1024 * 1024;

test.each([
  ['packets of 16 MB', Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0]), Buffer.alloc(MEBIBYTE)])],
  ['packets without content', Buffer.alloc(MEBIBYTE)],
  ['another protocol', Buffer.alloc(MEBIBYTE, 'N')],
  ['what nobody asked for after the login', HANDSHAKE, Buffer.concat([OK, Buffer.alloc(MEBIBYTE)])],
])('leaves a server that sends %s without end', async (_, greeting, rest = greeting) => {
  await using server = await hostileServer(greeting, rest);
  const opening = openConnection(server.target as never, 5_000, AbortSignal.timeout(5_000));
  // Some greetings look like a login that was accepted.
  await opening.catch(() => {});
  await expect.poll(() => server.sockets.size).toBe(0);
});
