/** Declares the options of the server. */
import { type Static, Type } from '../../kernel/index.ts';

/**
 * 500 clients that ask for 8 MiB and read nothing cost the server 246 MB with 256, and 167 MB with 160. Event streams of
 * MCP clients, of which there may be 100, count all the time.
 */
export const MOST_RUNNING = 160;

export const HttpOptions = Type.Object(
  {
    port: Type.Integer({ default: 3001, minimum: 0, maximum: 65_535, description: 'TCP port; 0 takes any free one' }),
    host: Type.String({ default: '127.0.0.1', minLength: 1, description: 'address to listen on; 0.0.0.0 for all' }),
    listen: Type.Boolean({ default: true, description: 'whether the port is taken; false: routes are mounted only' }),
    bodyLimitBytes: Type.Integer({
      default: 1_048_576,
      minimum: 1_024,
      maximum: 1024 ** 3,
      description: 'largest request body, in bytes',
    }),
    corsOrigins: Type.Array(Type.String({ pattern: '^(\\*|[a-z][a-z0-9+.-]*://[^/\\s]+/?)$' }), {
      default: [],
      description:
        'origins that may call from a browser, such as https://app.example.com; none: any, without credentials',
    }),
    allowedHosts: Type.Array(Type.String({ pattern: '^[A-Za-z0-9._-]+$|^\\[[0-9A-Fa-f:.]+\\]$' }), {
      default: [],
      expected: 'a comma-separated list of host names',
      description:
        'host names, without a port, under which clients reach the server besides localhost; others are refused by /mcp, and without authentication by every route while the server listens on localhost or names are given',
    }),
    publicUrl: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s?#@\\\\]+$',
        description:
          'base URL under which people reach the server, with the path of a reverse proxy if there is one: links in mails and answers begin with it, never with what a request says of the host',
      }),
    ),
    trustProxy: Type.Union([Type.Boolean(), Type.Array(Type.String())], {
      default: false,
      description:
        'take the address of the client from X-Forwarded-For or X-Real-IP: true behind one proxy, or the addresses and networks of several',
    }),
    requestTimeoutMs: Type.Integer({ default: 30_000, minimum: 100, description: 'time to send a whole request' }),
    keepAliveTimeoutMs: Type.Integer({
      default: 72_000,
      minimum: 0,
      description: 'time that an idle connection is kept',
    }),
    maxConnections: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'connections on which requests run or wait at once; beyond it idle ones are closed, then only health is answered; default: half of the descriptors that the process may have, at most 4,096',
      }),
    ),
    maxRunning: Type.Integer({
      default: MOST_RUNNING,
      minimum: 1,
      maximum: 4_096,
      description:
        'requests that run at once; further ones wait; more are of use where models take long, at some 0.25 MB for each open answer',
    }),
    stallTimeoutMs: Type.Integer({
      default: 30_000,
      minimum: 100,
      description: 'time after which a connection is closed whose client takes nothing of its answer',
    }),
    maxUnsentBytes: Type.Integer({
      default: 33_554_432,
      minimum: 65_536,
      description:
        'bytes that are written of all answers and wait for their clients; beyond it the slowest connections are closed',
    }),
    maxReceivedBytes: Type.Integer({
      default: 67_108_864,
      minimum: 65_536,
      description:
        'bytes of the bodies of all running requests; beyond it further ones are refused, or cut off while they arrive',
    }),
    stopDelayMs: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 600_000,
      description:
        'milliseconds for which a server that is told to stop still takes connections, while it reports that it is not ready: for a proxy to notice',
    }),
    gracefulCloseMs: Type.Integer({
      default: 6_000,
      minimum: 0,
      description: 'time that running requests get to finish when Atlas stops, before they are cancelled',
    }),
  },
  { additionalProperties: false },
);

export type HttpOptions = Static<typeof HttpOptions>;
