/** Passes bytes between clients and a server, and can fall silent as a cut network does: nothing passes, nothing is closed. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, connect as open, type Socket } from 'node:net';

export interface Relay extends AsyncDisposable {
  /** The URL with the relay's address in the place of its own. */
  readonly url: string;
  cut(): void;
  mend(): void;
}

/** Starts a relay to the server of `url`. */
export async function startRelay(url: string): Promise<Relay> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    if (isCut) socket.pause();
  };
  const server = createServer((client) => {
    const upstream = open(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) keep(socket);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (bytes) => to.write(bytes));
      from.on('close', () => to.destroy());
    };
    pass(client, upstream);
    pass(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = new URL(url);
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: own.href,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    mend() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
