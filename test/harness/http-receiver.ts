/** Serves HTTP on loopback and keeps what it was asked: a receiver of webhooks and callbacks. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface HttpReceiver extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** `127.0.0.1:<port>`, as the option `allowPrivate` takes it. */
  readonly host: string;
  readonly received: ReceivedRequest[];
  connections(): number;
}

/** `answer` runs when the whole body is there. Default: an empty 200. */
export async function startHttpReceiver(
  answer: (request: ReceivedRequest, response: Parameters<RequestListener>[1]) => void = (_, response) =>
    response.end(),
): Promise<HttpReceiver> {
  const received: ReceivedRequest[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const { method, url, headers } = request;
    const one = { method, url, headers, body };
    received.push(one);
    answer(one, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    received,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
