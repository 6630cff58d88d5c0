/**
 * Admits requests to their handlers: so many run at once, others wait in a room with a bounded number of places and for a
 * bounded time. What is essential, such as health, neither waits nor counts.
 */
import { getHeapStatistics } from 'node:v8';
import type { FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { AtlasError, type Logger } from '../../../kernel/index.ts';
import { clientGone } from '../answer/failure.ts';
import type { Connections } from '../connections/connections.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives the place of the request to the next one: at its end, or before its answer has been sent. */
    leave: (() => void) | undefined;
  }
  interface FastifyContextConfig {
    /** Neither refused nor queued. */
    essential?: boolean;
  }
}

/** By then most clients have given up. */
const MAX_WAIT_MS = 30_000;
const LEAST_RETRY_SECONDS = 2;
/** At the limit of the heap the process ends. */
export const MAX_HEAP_SHARE = 0.85;
/** Weight of the latest request in the mean duration. */
const LATEST_SHARE = 1 / 16;

const LOG_EVERY_MS = 10_000;

/** Logs that an overloaded server refuses connections and requests: one line for many of them. */
export function refusalLog(log: Logger): (why: object) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let refused = 0;
  return (why) => {
    refused += 1;
    const now = performance.now();
    if (now - loggedAt < LOG_EVERY_MS) return;
    log.warn({ ...why, refused }, 'The server is overloaded and refuses connections or requests.');
    loggedAt = now;
    refused = 0;
  };
}

function overloaded(waitMs: number): AtlasError {
  const seconds = Number.isFinite(waitMs) ? Math.ceil(waitMs / 1_000) : 0;
  return new AtlasError('Atlas is overloaded.', {
    code: 'overloaded',
    retryAfterSeconds: Math.max(LEAST_RETRY_SECONDS, seconds),
    hint: 'Try again shortly.',
  });
}

/** A counting semaphore with a waiting room: first come, first served. */
export class Admission {
  readonly #places: number;
  readonly #room: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;
  #meanMs = 0;

  constructor(places: number, room: number) {
    this.#places = places;
    this.#room = room;
  }

  /** How long who comes now is expected to wait, in milliseconds; `Infinity` when the waiting room is full. */
  get expectedMs(): number {
    if (this.#running < this.#places) return 0;
    if (this.#waiting.size >= this.#room) return Number.POSITIVE_INFINITY;
    return ((this.#waiting.size + 1) / this.#places) * this.#meanMs;
  }

  /** `undefined`: admitted. Otherwise resolves at the request's turn; rejects when the signal aborts, or that takes too long. */
  enter(signal: AbortSignal): Promise<void> | undefined {
    if (this.#running < this.#places) {
      this.#running += 1;
      return undefined;
    }
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const settle = (how: () => void) => {
        this.#waiting.delete(start);
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        how();
      };
      const start = () => settle(resolve);
      const giveUp = () => settle(() => reject(signal.reason));
      const timer = setTimeout(() => settle(() => reject(overloaded(this.expectedMs))), MAX_WAIT_MS);
      signal.addEventListener('abort', giveUp);
      this.#waiting.add(start);
    });
  }

  /** A request that was admitted has ended after so many milliseconds; its place goes to the next in turn. */
  leave(durationMs: number): void {
    // A stream that lasted for hours says nothing about the wait.
    this.#meanMs += (Math.min(durationMs, MAX_WAIT_MS) - this.#meanMs) * LATEST_SHARE;
    const [next] = this.#waiting;
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

function isHeapFull(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > MAX_HEAP_SHARE * limit;
}

export interface AdmissionOptions {
  readonly connections: Connections;
  /** How many requests may run or wait. */
  readonly maxConnections: number;
  /** How many requests may run. */
  readonly maxRunning: number;
  refused(why: object): void;
}

export const requestAdmission = fastifyPlugin<AdmissionOptions>(
  async (app, options) => {
    const { connections, maxConnections, maxRunning, refused } = options;
    const places = Math.min(maxConnections, maxRunning);
    const admission = new Admission(places, maxConnections - places);
    const refusal = ({ routeOptions }: FastifyRequest): AtlasError | undefined => {
      if (routeOptions.config.essential === true) return undefined;
      const { expectedMs } = admission;
      if (expectedMs <= MAX_WAIT_MS && !isHeapFull()) return undefined;
      refused({ expectedMs });
      return overloaded(expectedMs);
    };
    app.decorateRequest('leave');
    // Before anything is done for it.
    app.addHook('onRequest', (request, _reply, done) => done(refusal(request)));
    app.addHook('preHandler', (request, { raw: response }, done) => {
      connections.received(request.raw.socket);
      // Its client has left meanwhile: nothing would give its place back.
      const fault = response.destroyed ? clientGone() : refusal(request);
      if (fault !== undefined || request.routeOptions.config.essential === true) return done(fault);
      const run = () => {
        const startedAt = performance.now();
        request.leave = () => {
          request.leave = undefined;
          admission.leave(performance.now() - startedAt);
        };
        done();
      };
      const turn = admission.enter(request.scope.signal);
      if (turn === undefined) run();
      else turn.then(run, done);
    });
  },
  { name: 'request-admission', dependencies: ['request-scope'] },
);
