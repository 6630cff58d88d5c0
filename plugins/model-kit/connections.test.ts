import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { startHttpReceiver } from '../../test/harness/http-receiver.ts';
import { openOutbound } from '../outbound/index.ts';
import { keptConnections } from './connections.ts';
import { textOf } from './response-body.ts';

it('lets a response end that is read while they are closed, and keeps nothing afterwards', async () => {
  let end = () => {};
  await using server = await startHttpReceiver((_request, response) => {
    response.write('first ');
    end = () => void response.end('last');
  });
  const connections = keptConnections();
  const incoming = await connections.send('POST', new URL(server.url), {}, '', undefined);
  connections.close();
  end();
  expect(await textOf(incoming, connections.held)).toBe('first last');
  const again = await connections.send('POST', new URL(server.url), {}, '', undefined);
  end();
  await textOf(again, connections.held);
  expect(server.connections()).toBe(2);
});

it('asks its guard where each connection may go', async () => {
  await using server = await startHttpReceiver();
  const resolved: string[] = [];
  const outbound = openOutbound({ allowPrivate: [], timeoutMs: 1_000, maxBytes: 1_000 }, async (name) => {
    resolved.push(name);
    return [{ address: '127.0.0.1', family: 4 }];
  });
  const connections = keptConnections({ guard: outbound.guard });
  const send = (url: string) => connections.send('GET', new URL(url), {}, '', undefined);
  const refused = { code: 'invalid_request', message: expect.stringContaining('private') };
  await expect(send(server.url)).rejects.toMatchObject(refused);
  await expect(send(`http://models.example.com:${server.port}/`)).rejects.toMatchObject(refused);
  expect([resolved, server.received]).toEqual([['models.example.com'], []]);
  connections.close();
});

it('refuses long responses, not short ones, when all together hold too much', async () => {
  const MIB = 1024 * 1024;
  await using server = await startHttpReceiver((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(Buffer.alloc(3 * MIB, 'x'));
  });
  const connections = keptConnections();
  const stop = new AbortController();
  const reading = Array.from({ length: 12 }, async () => {
    const incoming = await connections.send('POST', new URL(server.url), {}, '', stop.signal);
    return textOf(incoming, connections.held);
  });
  await expect(Promise.race(reading)).rejects.toThrow('All replies together are longer than');
  stop.abort();
  await Promise.allSettled(reading);
  const incoming = await connections.send('POST', new URL(server.url), {}, '', undefined);
  const hold = connections.held.of(incoming);
  expect(() => hold(31 * MIB)).not.toThrow();
  expect(() => hold(33 * MIB)).toThrow('All replies together are longer than');
  const other = await connections.send('POST', new URL(server.url), {}, '', undefined);
  const holdOther = connections.held.of(other);
  expect(() => holdOther(64 * 1024)).not.toThrow();
  expect(() => holdOther(64 * 1024 + 1)).toThrow('All replies together are longer than');
  for (const response of [incoming, other]) response.destroy();
});

/** A server that answers each request with these bytes, and then is silent. */
async function rawServer(bytes: string) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return { url, [Symbol.dispose]: () => void server.close() };
}

it('rejects at once when the server switches protocols', async () => {
  using server = await rawServer('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
  const connections = keptConnections();
  await expect(connections.send('POST', server.url, {}, '', undefined)).rejects.toMatchObject({ code: 'ECONNRESET' });
  connections.close();
});

it('takes a few informational responses, and not without end', async () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';
  using honest = await rawServer(`${hints.repeat(4)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`);
  using endless = await rawServer(hints.repeat(20));
  const connections = keptConnections();
  const incoming = await connections.send('POST', honest.url, {}, '', undefined);
  expect(incoming.statusCode).toBe(200);
  incoming.resume();
  const refused = connections.send('POST', endless.url, {}, '', undefined);
  await expect(refused).rejects.toThrow('There are too many informational responses.');
  connections.close();
});
