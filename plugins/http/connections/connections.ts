/**
 * Bounds what connections can take from the process: how many there are, how many requests wait on one, how long an
 * answer may stand still, and how many bytes of answers wait to be sent.
 */
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../../kernel/index.ts';

/** Beyond those on which requests run, so that health is still answered. */
const RESERVED_CONNECTIONS = 16;
/** Requests sent on one connection without waiting for answers. They are worked on one after another. */
const MAX_PIPELINED_REQUESTS = 100;
/** The same on all connections: each takes about 5 KB. */
const MAX_WAITING_REQUESTS = 2_000;
/** Bytes of the bodies of those, on one connection. Clients wait for an answer before they send another large request. */
const MAX_PIPELINED_BYTES = 16 * 1024;
/** A client that takes something every second is not closed to make room. */
const ACTIVE_WITHIN_MS = 1_000;
const SWEEP_MS = 500;

export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly stallTimeoutMs: number;
  readonly maxUnsentBytes: number;
}

interface Connection {
  readonly socket: Socket;
  hasRequest: boolean;
  /** Starts the requests that came before the answer of the one that runs. */
  readonly waiting: (() => void)[];
  waitingBytes: number;
  /** How much the system had taken at `movedAt`. */
  sentBytes: number;
  movedAt: number;
}

/** How long the body of a request says that it is; in chunks it may have any length. */
function announcedBytes(headers: IncomingHttpHeaders): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #log: Logger;
  /** Logs that connections are refused. */
  readonly #refused: (why: object) => void;
  readonly #all = new Map<Socket, Connection>();
  /** Those that may be closed to make room, the longest idle first. */
  readonly #idle = new Set<Connection>();
  #waitingCount = 0;

  constructor(limits: ConnectionLimits, refused: (why: object) => void, log: Logger) {
    this.#limits = limits;
    this.#refused = refused;
    this.#log = log;
  }

  /** Begins with the first connection of this server, which hands its requests to `take`. */
  watch(server: Server): void {
    server.maxConnections = this.#limits.maxConnections + RESERVED_CONNECTIONS;
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('drop', () => this.#refused({ connections: this.#all.size }));
    server.on('error', (error) => {
      // No descriptor is left to take a connection with. Before it listens, the error is that of the start.
      if (!server.listening) return;
      this.#refused({ error: error.message });
      this.#makeRoom();
    });
    const sweeping = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, this.#limits.stallTimeoutMs / 4)).unref();
    server.once('close', () => clearInterval(sweeping));
  }

  /** Hands the request to `handle` when those before it on its connection have been answered. */
  take(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const { socket, headers, method } = request;
    const connection = this.#all.get(socket);
    if (connection === undefined) return;
    // Nobody reads it: 128 KiB of it would stay in memory until the request is answered.
    if ((method === 'GET' || method === 'HEAD') && announcedBytes(headers) > 0) request.resume();
    response.once('close', () => this.#end(connection));
    if (!connection.hasRequest) {
      this.#begin(connection);
      handle();
      return;
    }
    connection.waiting.push(handle);
    this.#waitingCount += 1;
    connection.waitingBytes += announcedBytes(headers);
    const isTooMany = connection.waiting.length > MAX_PIPELINED_REQUESTS || this.#waitingCount > MAX_WAITING_REQUESTS;
    if (isTooMany || connection.waitingBytes > MAX_PIPELINED_BYTES) {
      this.#close(connection, 'A connection was closed: its client sends requests without waiting for answers.');
    }
  }

  /** The request that runs on the connection has arrived completely: it is not closed to make room. */
  received(socket: Socket): void {
    const connection = this.#all.get(socket);
    if (connection !== undefined) this.#idle.delete(connection);
  }

  /** Until it is complete, a request does not protect its connection, but it comes after those without one. */
  #begin(connection: Connection): void {
    connection.hasRequest = true;
    this.#idle.delete(connection);
    this.#idle.add(connection);
  }

  /** The answer is complete. A closed connection has been removed before, or is about to be. */
  #end(connection: Connection): void {
    if (connection.socket.destroyed) return;
    connection.hasRequest = false;
    this.#idle.add(connection);
    const next = connection.waiting.shift();
    if (next === undefined) return;
    this.#waitingCount -= 1;
    if (connection.waiting.length === 0) connection.waitingBytes = 0;
    this.#begin(connection);
    next();
  }

  #add(socket: Socket): void {
    // One place stays free, or else Node drops whoever comes next.
    if (this.#all.size + 1 >= this.#limits.maxConnections + RESERVED_CONNECTIONS) this.#makeRoom();
    const connection: Connection = {
      socket,
      hasRequest: false,
      waiting: [],
      waitingBytes: 0,
      sentBytes: 0,
      movedAt: performance.now(),
    };
    this.#all.set(socket, connection);
    this.#idle.add(connection);
    socket.once('close', () => this.#remove(connection));
  }

  /** Closes the connection that has been idle longest, if any is. */
  #makeRoom(): void {
    const [oldest] = this.#idle;
    if (oldest !== undefined) this.#close(oldest, 'An idle connection was closed to make room.');
  }

  #remove(connection: Connection): void {
    this.#all.delete(connection.socket);
    this.#idle.delete(connection);
    this.#waitingCount -= connection.waiting.splice(0).length;
  }

  /** Also drops what the system still holds for a client that does not take it. */
  #close(connection: Connection, why: string): void {
    this.#remove(connection);
    this.#log.debug({}, why);
    connection.socket.resetAndDestroy();
  }

  /**
   * Closes connections whose clients take nothing of their answers, and keeps the bytes that wait to be sent within their
   * limit, at the cost of those who take least.
   */
  #sweep(): void {
    const now = performance.now();
    let unsentBytes = 0;
    const stale: Connection[] = [];
    for (const connection of this.#all.values()) {
      const { writableLength, bytesWritten } = connection.socket;
      const sent = bytesWritten - writableLength;
      unsentBytes += writableLength;
      if (writableLength === 0 || sent !== connection.sentBytes) {
        connection.sentBytes = sent;
        connection.movedAt = now;
      } else if (now - connection.movedAt >= this.#limits.stallTimeoutMs) {
        this.#close(connection, 'A connection was closed: its client takes nothing of the answer.');
      } else if (now - connection.movedAt >= ACTIVE_WITHIN_MS) stale.push(connection);
    }
    stale.sort((a, b) => a.movedAt - b.movedAt);
    for (const connection of stale) {
      if (unsentBytes <= this.#limits.maxUnsentBytes) return;
      unsentBytes -= connection.socket.writableLength;
      this.#close(connection, 'A connection was closed: too many answers wait for clients that do not take them.');
    }
  }
}
