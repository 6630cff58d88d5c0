/** Starts a scripted server that speaks the protocol of a provider, so that its real package is what runs. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderStep, ProviderWire } from './provider-wire.ts';

/** An answer, or the status of a failure. */
export type ScriptedStep = ProviderStep | { readonly status: number; readonly message: string };

export interface ProviderServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[];
}

/** Answers with the steps in order; the last one is repeated. */
export async function startProviderServer(wire: ProviderWire, steps: readonly ScriptedStep[]): Promise<ProviderServer> {
  const requests: ProviderServer['requests'] = [];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const path = request.url ?? '';
    const step = steps[Math.min(requests.length, steps.length - 1)] as ScriptedStep;
    requests.push({ path, headers: request.headers, text });
    if ('status' in step) {
      response.writeHead(step.status, { 'content-type': 'application/json', 'retry-after': '0' });
      response.end(JSON.stringify(wire.failure(step.status, step.message)));
    } else if (wire.isStream(path, JSON.parse(text))) {
      response.writeHead(200, { 'content-type': wire.streamType });
      for (const piece of wire.stream(step)) response.write(piece);
      response.end();
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(wire.document(step)));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
