import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { CountedRequest } from './counted-request.ts';

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

it('makes no more requests of what one read has brought once their connection is closed', async () => {
  let made = 0;
  class Counted extends CountedRequest {
    constructor(...[socket]: ConstructorParameters<typeof CountedRequest>) {
      super(socket);
      made += 1;
    }
  }
  const server = createServer({ IncomingMessage: Counted }, ({ socket, url }, response) => {
    if (url === '/') socket.resetAndDestroy();
    else response.end('answer');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1').on('error', () => {});
  client.write(GET.repeat(2_000));
  await new Promise((resolve) => client.once('close', resolve));
  expect(made).toBe(2);
  expect(await (await fetch(`http://127.0.0.1:${port}/other`)).text()).toBe('answer');
  server.closeAllConnections();
  server.close();
});
