/** Answers questions with the composition of the working directory where no server runs. */
import { Readable } from 'node:stream';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { type App, AtlasError, type CliRun, createApp, datasourceList, type PluginRef } from '../../kernel/index.ts';
import type { Cli } from './api.ts';
import { withHttpOptions } from './http-options.ts';
import { printableText } from './render.ts';
import { type Server, serverOf } from './server-client.ts';

/** The part of the `http` plugin's API that is needed here. */
const http: PluginRef<{ inject(request: InjectOptions): Promise<LightMyRequestResponse> }> = { pluginName: 'http' };

const WAIT_MS = 3_000;

export type OpenServer = Server & AsyncDisposable;

/**
 * The server that SVC_API_URL names; without one, the server that this machine runs on PORT; without that, the composition
 * of the working directory, in this process and without taking a port. Who asks is decided there as in any server: by
 * SVC_API_KEY, a key or token.
 */
export async function openServer(run: CliRun, cli: Cli): Promise<OpenServer> {
  const server = serverOf(run);
  if (run.env.SVC_API_URL || (await isRunning(server))) {
    if (!run.env.SVC_API_URL && run.env.SVC_DATASOURCE_URL)
      run.stderr.write(
        `The server at ${server.url} answers from its own database. To ask that of SVC_DATASOURCE_URL, stop it or set another PORT.\n`,
      );
    return { ...server, [Symbol.asyncDispose]: async () => {} };
  }
  const { config, options, warnings } = await cli.compose(run);
  for (const warning of warnings) run.stderr.write(`${printableText(warning)}\n`);
  const { log: _, ...quiet } = options;
  // A log that nobody asked for would stand between the answers.
  const settings = run.env.SVC_LOG_LEVEL ? options : quiet;
  const app = await createApp(withHttpOptions(config, { listen: false }), settings);
  try {
    if ((await app.call(datasourceList, undefined, app.scope({ signal: run.signal }))).length === 0) {
      throw new AtlasError(`No server answers at ${server.url}, and this folder has no database.`, {
        hint: 'Start a server with "atlas serve", name another in SVC_API_URL, or name a database in SVC_DATASOURCE_URL.',
      });
    }
  } catch (error) {
    await app.close();
    throw error;
  }
  return {
    ...server,
    send: (url, init) => inject(app, url, init),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

/** A server that does not answer in time is there: what is wrong with it shows with the question. */
async function isRunning({ url, signal }: Server): Promise<boolean> {
  const timeout = AbortSignal.timeout(WAIT_MS);
  try {
    const reply = await fetch(new URL('api/health/live', `${url}/`), { signal: AbortSignal.any([signal, timeout]) });
    await reply.body?.cancel();
    return true;
  } catch (error) {
    if (signal.aborted) throw new AtlasError('Cancelled.', { cause: error });
    return timeout.aborted;
  }
}

/** The request as the server would get it over the network. */
async function inject(app: App, url: URL, { method, headers, body, signal }: RequestInit): Promise<Response> {
  const reply = await app.get(http).inject({
    method: method as 'POST',
    url: url.pathname,
    headers: { host: url.host, ...(headers as Record<string, string>) },
    ...(body !== undefined && { payload: String(body) }),
    payloadAsStream: true,
    ...(signal && { signal }),
  });
  const shown = Object.entries(reply.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Response(Readable.toWeb(reply.stream()) as ReadableStream, { status: reply.statusCode, headers: shown });
}
