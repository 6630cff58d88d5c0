/** Declares the bus events of the server: each request begins and ends, for observers such as telemetry. */
import type { IncomingHttpHeaders } from 'node:http';
import { defineEvent, type Scope } from '../../kernel/index.ts';

export interface RequestBegun {
  readonly scope: Scope;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** The server is told to stop: no more requests should be sent here. */
export const httpRetiring = defineEvent<Readonly<Record<string, never>>>('http:retiring');

export interface RequestEnded {
  readonly scope: Scope;
  readonly method: string;
  /** The route's path with its `:name` parameters; `undefined` where there is none. */
  readonly route: string | undefined;
  /** 499: the client left before the answer was complete. */
  readonly status: number;
  readonly durationMs: number;
}

export const requestBegun = defineEvent<RequestBegun>('http-request:begun');
/** Follows every `requestBegun`, with the same scope. */
export const requestEnded = defineEvent<RequestEnded>('http-request:ended');
