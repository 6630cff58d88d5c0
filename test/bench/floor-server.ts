/** The floor behind one HTTP hop: a bare server that answers question number `{"index": n}`. Run by `startChild`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { childInput } from './child.ts';
import { type Exchange, Floor, type FloorInput } from './floor.ts';

const { exchanges, ...input } = await childInput<FloorInput & { readonly exchanges: readonly Exchange[] }>();
const floor = new Floor(input);
const server = createServer(async (request, response) => {
  const { index } = JSON.parse(await text(request)) as { index: number };
  const exchange = exchanges[index];
  if (exchange === undefined) {
    response.writeHead(404).end();
    return;
  }
  const answer = await floor.answer(exchange);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
