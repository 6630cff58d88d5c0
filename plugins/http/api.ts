/** Types the API of the `http` plugin. */
import type { AddressInfo } from 'node:net';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Collected, Route, Scope } from '../../kernel/index.ts';
import type { Failure } from './answer/failure.ts';
import type { ErrorCode } from './errors.ts';

/** Work for a request that may go on when its client has left. */
export interface OutlastingWork {
  /** Its client has got the whole answer, or has left. `true`: the request goes on, and its scope is not aborted. */
  closed(isComplete: boolean): boolean;
  /** Until then the request counts as running, for admission and for a stop. Never rejects. */
  readonly ended: Promise<void>;
}

export interface HttpServer {
  /** Where it can be reached: `http://127.0.0.1:3001`. Throws before it listens. */
  url(): string;
  /** The address of `path` (`/api/health`) below the public URL, for people; `undefined` where none is configured. */
  link(path: string): string | undefined;
  /** `undefined` before it listens. */
  address(): AddressInfo | undefined;
  /**
   * Reports that it is not ready, takes no new connections after `stopDelayMs`, and has each close with its next answer.
   * Resolves when none is left, or half a second later; a stop then loses nothing but what runs too long.
   */
  retire(): Promise<void>;
  /** Ends all running requests with an error and takes no new ones: the process is about to end. */
  cancel(): void;
  /** Lets the work decide whether the request goes on when its client leaves. A stop ends it all the same. */
  outlast(scope: Scope, work: OutlastingWork): void;
  /** Answers a request without a socket, for tests. */
  inject(request: InjectOptions | string): Promise<LightMyRequestResponse>;
  /** Every mounted route with the plugin that brought it; empty until the server is ready. */
  routes(): readonly Collected<Route>[];
  /** Every error code that a client may see. */
  readonly errorCodes: Readonly<Record<string, ErrorCode>>;
  /** What a client may see of an error that arose after the answer had begun; the rest of it is logged. */
  failure(error: unknown, scope: Scope): Failure;
}
