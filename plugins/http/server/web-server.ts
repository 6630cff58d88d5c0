/** Starts and stops the server: mounts the routes, listens, opens, drains, closes. */
import { once } from 'node:events';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { AtlasError, type Collected, type PluginContext, type Route, withTimeout } from '../../../kernel/index.ts';
import { httpRetiring } from '../events.ts';
import type { HttpOptions } from '../options.ts';
import { isAnyOrigin } from '../request/cors.ts';
import { isLoopback } from '../request/host-names.ts';
import type { ServerPhase } from '../request/known-routes.ts';
import { mountRoute } from '../route/mount.ts';
import { createServer } from './create-server.ts';
import { RunningRequests } from './running-requests.ts';

/** Connections that the system keeps until they are accepted. Beyond it they are lost, and come a second later. */
const BACKLOG = 4_096;
/** For open connections to be used once more before a stop: proxies in use ask on each of theirs within this time. */
const LINGER_MS = 500;
/** After cancelling what still ran: time for it to notice and to answer. */
const CANCEL_GRACE_MS = 1_000;
/** For the answers in place of those that took no notice: time to leave. */
const ANSWER_GRACE_MS = 500;

const LISTEN_FAULTS: Readonly<Record<string, { readonly what: string; readonly hint: string }>> = {
  EADDRINUSE: { what: 'is already in use', hint: 'Stop the other program, or choose another port with PORT.' },
  EACCES: { what: 'may not be used by this account', hint: 'Choose a port above 1023 with PORT.' },
  EADDRNOTAVAIL: { what: 'is not an address of this machine', hint: 'Set SVC_HOST to 127.0.0.1 or 0.0.0.0.' },
  ENOTFOUND: { what: 'is not a known host name', hint: 'Set SVC_HOST to 127.0.0.1 or 0.0.0.0.' },
};

export class WebServer {
  readonly #ctx: PluginContext;
  readonly #options: HttpOptions;
  readonly #running = new RunningRequests();
  #app!: FastifyInstance;
  #gracefulCloseMs: number;
  #phase: ServerPhase = 'starting';
  /** Whether requests need no credentials; until it is known, they are taken for such. */
  #isOpen = true;
  /** Whether only this machine reaches the server. */
  #isLocal: boolean;
  routes: readonly Collected<Route>[] = [];

  private constructor(ctx: PluginContext, options: HttpOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#gracefulCloseMs = options.gracefulCloseMs;
    this.#isLocal = isLoopback(options.host);
  }

  static create(ctx: PluginContext, options: HttpOptions): WebServer {
    const server = new WebServer(ctx, options);
    server.#app = createServer({
      ctx,
      options,
      phase: () => server.#phase,
      routes: () => server.routes,
      isOpen: () => server.#isOpen,
      isLocal: () => server.#isLocal,
      entered: (scope, refuse) => server.#running.enter(scope, refuse),
      left: (scope) => {
        server.#running.leave(scope);
        // A connection that was busy when the drain began has just become idle: it would hold the stop up.
        if (server.#phase === 'stopping') setImmediate(() => server.#app.server.closeIdleConnections());
      },
    });
    return server;
  }

  /**
   * Adds all routes, each plugin's encapsulated. A path taken twice names both plugins. `isOpen`: requests need no
   * credentials.
   */
  async mount(routes: readonly Collected<Route>[], isOpen: boolean): Promise<void> {
    this.#isOpen = isOpen;
    const owners = new Map<string, string>();
    for (const { plugin, value } of routes) {
      const key = `${value.method} ${value.path}`;
      const owner = owners.get(key);
      if (owner !== undefined) {
        throw new AtlasError(`Plugins "${owner}" and "${plugin}" both serve ${key}.`, {
          reason: 'E_ROUTE_TAKEN',
          hint: 'Leave one of them out of the configuration.',
        });
      }
      owners.set(key, plugin);
    }
    // One part for all routes: to name a part, Fastify looks through every module that is loaded.
    this.#app.register(async (part: FastifyInstance) => {
      for (const { value } of routes) mountRoute(part, value, this.#ctx);
    });
    this.#ctx.log.debug({ routes: routes.length }, 'Routes mounted.');
    this.routes = routes;
    await this.#app.ready();
  }

  async listen(): Promise<void> {
    const { port, host } = this.#options;
    try {
      await this.#app.listen({ port, host, backlog: BACKLOG });
    } catch (error) {
      const fault = LISTEN_FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
      if (fault === undefined) throw error;
      throw new AtlasError(`Atlas cannot listen on ${host}:${port}: it ${fault.what}.`, {
        code: 'configuration_error',
        reason: 'E_HTTP_LISTEN',
        hint: fault.hint,
        cause: error,
      });
    }
    this.#isLocal = isLoopback(this.address()?.address ?? host);
    this.#warnOfPages();
  }

  /** Says what the default of `corsOrigins` means where nobody authenticates. */
  #warnOfPages(): void {
    const mayAsk = this.routes.some(({ value }) => value.right === 'query' && value.origins === 'any');
    if (!this.#isOpen || !mayAsk || !isAnyOrigin(this.#options.corsOrigins)) return;
    this.#ctx.log.warn(
      {},
      'Requests need no credentials, so every web page that a browser on this machine or network shows may ask questions here and read the answers; set SVC_CORS_ORIGIN to the origins that may.',
    );
  }

  /** Everything is ready: requests are served from now on. */
  open(): void {
    this.#phase = 'serving';
  }

  /**
   * Says that the server is not ready, and after `stopDelayMs` takes no new connections. What comes until they are gone is
   * still answered, and has its client close: a request under way on a connection that is closed from here would be lost.
   */
  async retire(): Promise<void> {
    if (this.address() === undefined) return;
    this.#phase = 'retiring';
    this.#ctx.emit(httpRetiring, {});
    await sleep(this.#options.stopDelayMs);
    const { server } = this.#app;
    const closed = once(server, 'close');
    // The HTTP server's own `close` ends idle connections at once.
    NetServer.prototype.close.call(server);
    await withTimeout(closed, LINGER_MS, () => undefined);
  }

  /** Cancels the running requests without a wait; `drain` comes next. */
  cancel(): void {
    this.#phase = 'stopping';
    this.#gracefulCloseMs = 0;
    this.#running.cancel();
  }

  /** Takes no new connections, waits for the running requests, then cancels those that are left. */
  async drain(): Promise<void> {
    // Commands compose the same plugins without listening.
    const hasServed = this.#phase === 'retiring' || this.address() !== undefined;
    this.#phase = 'stopping';
    if (hasServed) {
      this.#ctx.log.info({ requests: this.#running.size }, 'No new requests are taken; waiting for those in flight.');
    }
    this.#app.server.close();
    if (await this.#running.idle(this.#gracefulCloseMs)) return;
    this.#ctx.log.warn({ requests: this.#running.size }, 'Cancelling requests that still run.');
    this.#running.cancel();
    if (await this.#running.idle(CANCEL_GRACE_MS)) return;
    this.#running.abandon();
    await this.#running.idle(ANSWER_GRACE_MS);
  }

  async close(): Promise<void> {
    this.#app.server.closeAllConnections();
    await this.#app.close();
  }

  address(): AddressInfo | undefined {
    return (this.#app.server.address() as AddressInfo | null) ?? undefined;
  }

  url(): string {
    const address = this.address();
    if (address === undefined) throw new AtlasError('The HTTP server does not listen.', { reason: 'E_HTTP_CLOSED' });
    const everywhere = address.address === '0.0.0.0' || address.address === '::';
    const host = everywhere ? 'localhost' : address.family === 'IPv6' ? `[${address.address}]` : address.address;
    return `http://${host}:${address.port}`;
  }

  inject(request: InjectOptions | string): Promise<LightMyRequestResponse> {
    return this.#app.inject(request);
  }
}
