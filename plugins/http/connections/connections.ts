/**
 * Bounds what connections can take from the process: how many there are, how many requests wait on one, how long an
 * answer may stand still, and how many bytes of requests and answers are in memory.
 */
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Logger } from '../../../kernel/index.ts';
import { Arrivals } from './arrivals.ts';
import type { OverloadLog } from './overload-log.ts';
import { RequestBodies } from './request-bodies.ts';
import { RequestStarts } from './request-starts.ts';

/** Beyond those on which requests run, so that health is still answered. */
const RESERVED_CONNECTIONS = 16;
/** Requests sent on one connection without waiting for answers. They are worked on one after another. */
const MAX_PIPELINED_REQUESTS = 100;
/** Of those, on all connections: each takes about 5 KB. */
const MAX_WAITING_REQUESTS = 2_000;
/** Of the bodies of those, on one connection. Clients wait for an answer before they send another large request. */
const MAX_PIPELINED_BYTES = 16 * 1024;
/** A client that takes something every second is not closed to make room. */
const ACTIVE_WITHIN_MS = 1_000;
const SWEEP_MS = 1_000;

export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly stallTimeoutMs: number;
  readonly maxUnsentBytes: number;
  readonly maxReceivedBytes: number;
}

interface Connection {
  readonly socket: Socket;
  /** Whether a request runs. One that has arrived completely is not closed to make room. */
  hasRequest: boolean;
  /** Starts the requests that came before the answer of the one that runs. */
  readonly waiting: (() => void)[];
  waitingBytes: number;
  /** Of the answer that is being sent: how much of it is in memory. */
  unsentBytes: number;
  /** When the connection is closed although the answer is not complete, on the clock of `performance`. */
  sendUntil: number;
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
  readonly #overloadLog: OverloadLog;
  readonly #all = new Map<Socket, Connection>();
  /** Those that may be closed to make room, the longest idle first. */
  readonly #idle = new Set<Connection>();
  readonly #bodies: RequestBodies;
  /** Those with a request that has not begun yet. */
  readonly #held = new Set<Connection>();
  readonly #starts: RequestStarts;
  #count = 0;
  #waitingCount = 0;
  #unsentBytes = 0;

  constructor(limits: ConnectionLimits, overloadLog: OverloadLog, log: Logger) {
    this.#limits = limits;
    this.#overloadLog = overloadLog;
    this.#log = log;
    this.#bodies = new RequestBodies(limits.maxReceivedBytes, (socket, why) => {
      const connection = this.#all.get(socket);
      if (connection !== undefined) this.#close(connection, why);
    });
    const mayWait = () => this.#running + this.#held.size <= limits.maxConnections;
    this.#starts = new RequestStarts(new Arrivals(() => this.#count), mayWait);
  }

  /** Begins with the first connection of this server, which hands its requests to `take`. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('error', (error) => {
      // No descriptor is left to take a connection with. Before it listens, the error is that of the start.
      if (!server.listening) return;
      this.#overloadLog.count({ error: error.message });
      this.#makeRoom();
    });
    const sweeping = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, this.#limits.stallTimeoutMs / 4)).unref();
    server.once('close', () => clearInterval(sweeping));
  }

  /** How many have come so far. */
  get count(): number {
    return this.#count;
  }

  /** Whether requests already run on as many connections as may be. */
  get isFull(): boolean {
    return this.#running > this.#limits.maxConnections;
  }

  get #running(): number {
    return this.#all.size - this.#idle.size - this.#held.size;
  }

  /** Hands the request to `handle` when those before it on its connection have been answered, and when it is its turn. */
  take(request: IncomingMessage, response: ServerResponse, isEssential: boolean, handle: () => void): void {
    const { socket, headers, method } = request;
    const connection = this.#all.get(socket);
    if (connection === undefined) return;
    // Nobody reads it: 128 KiB of it would stay in memory until the request is answered.
    if ((method === 'GET' || method === 'HEAD') && announcedBytes(headers) > 0) request.resume();
    response.once('close', () => this.#end(connection));
    const run = () => {
      this.#idle.delete(connection);
      this.#held.add(connection);
      this.#starts.add(() => {
        // That of a client that has left meanwhile is not begun.
        if (!this.#held.delete(connection) || response.destroyed) return;
        this.#idle.add(connection);
        handle();
      }, isEssential);
    };
    if (!connection.hasRequest) {
      this.#begin(connection);
      run();
      return;
    }
    connection.waiting.push(run);
    this.#waitingCount += 1;
    connection.waitingBytes += announcedBytes(headers);
    const isTooMany = connection.waiting.length > MAX_PIPELINED_REQUESTS || this.#waitingCount > MAX_WAITING_REQUESTS;
    if (isTooMany || connection.waitingBytes > MAX_PIPELINED_BYTES) {
      this.#close(connection, 'A connection was closed: its client sends requests without waiting for answers.');
    }
  }

  /** The server stops: from now on, requests do not wait for their turn. */
  stop(): void {
    this.#starts.stop();
  }

  /** Bounds the body of the request that runs on the connection. */
  read(socket: Socket, payload: Readable): void {
    if (this.#all.has(socket)) this.#bodies.watch(socket, payload);
  }

  /** The request that runs on the connection has arrived completely. */
  received(socket: Socket): void {
    const connection = this.#all.get(socket);
    if (connection === undefined) return;
    this.#idle.delete(connection);
    this.#bodies.arrived(socket);
  }

  /** Counts what the body takes beside its bytes. Throws `overloaded` when all bodies take too much. */
  holdBody(socket: Socket, bytes: number): void {
    this.#bodies.hold(socket, bytes);
  }

  /** Counts bytes of an answer that wait to be sent; negative when they have gone. */
  hold(socket: Socket, bytes: number): void {
    const connection = this.#all.get(socket);
    if (connection === undefined) return;
    connection.unsentBytes += bytes;
    this.#unsentBytes += bytes;
    if (bytes > 0) this.#closeStalest();
  }

  /** Closes the connection at this time of `performance.now()` if the answer that runs is not complete by then. */
  sendUntil(socket: Socket, time: number): void {
    const connection = this.#all.get(socket);
    if (connection !== undefined) connection.sendUntil = time;
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
    this.#forget(connection);
    connection.hasRequest = false;
    connection.sendUntil = Number.POSITIVE_INFINITY;
    this.#idle.add(connection);
    const next = connection.waiting.shift();
    if (next === undefined) return;
    this.#waitingCount -= 1;
    if (connection.waiting.length === 0) connection.waitingBytes = 0;
    this.#begin(connection);
    next();
  }

  #add(socket: Socket): void {
    this.#count += 1;
    const isFull = this.#all.size >= this.#limits.maxConnections + RESERVED_CONNECTIONS;
    if (isFull && !this.#makeRoom()) {
      this.#overloadLog.count({ connections: this.#all.size });
      socket.destroy();
      return;
    }
    const connection: Connection = {
      socket,
      hasRequest: false,
      waiting: [],
      waitingBytes: 0,
      unsentBytes: 0,
      sendUntil: Number.POSITIVE_INFINITY,
      sentBytes: 0,
      movedAt: performance.now(),
    };
    this.#all.set(socket, connection);
    this.#idle.add(connection);
    socket.once('close', () => this.#remove(connection));
  }

  /** Closes the connection that has been idle longest; `false` when none is. */
  #makeRoom(): boolean {
    const [oldest] = this.#idle;
    if (oldest === undefined) return false;
    this.#close(oldest, 'An idle connection was closed to make room.');
    return true;
  }

  #remove(connection: Connection): void {
    this.#all.delete(connection.socket);
    this.#idle.delete(connection);
    this.#held.delete(connection);
    this.#waitingCount -= connection.waiting.splice(0).length;
    this.#forget(connection);
  }

  #forget(connection: Connection): void {
    this.#bodies.forget(connection.socket);
    this.#unsentBytes -= connection.unsentBytes;
    connection.unsentBytes = 0;
  }

  /** Also drops what the system still holds for a client that does not take it. */
  #close(connection: Connection, why: string): void {
    this.#remove(connection);
    this.#log.debug({}, why);
    connection.socket.resetAndDestroy();
  }

  #sweep(): void {
    const now = performance.now();
    for (const connection of this.#all.values()) {
      const { socket } = connection;
      const waiting = socket.writableLength;
      const sent = socket.bytesWritten - waiting;
      if (waiting === 0 || sent !== connection.sentBytes) {
        connection.sentBytes = sent;
        connection.movedAt = now;
      } else if (now - connection.movedAt >= this.#limits.stallTimeoutMs) {
        this.#close(connection, 'A connection was closed: its client takes nothing of the answer.');
      }
      if (now > connection.sendUntil) {
        this.#close(connection, 'A connection was closed: its client did not take the answer in time.');
      }
    }
    this.#closeStalest();
  }

  /** Keeps the bytes that wait to be sent within their limit, at the cost of those who take least. */
  #closeStalest(): void {
    const excess = () => this.#unsentBytes > this.#limits.maxUnsentBytes;
    if (!excess()) return;
    const before = performance.now() - ACTIVE_WITHIN_MS;
    const stale = [...this.#all.values()].filter(({ unsentBytes, movedAt }) => unsentBytes > 0 && movedAt < before);
    stale.sort((a, b) => a.movedAt - b.movedAt);
    for (const connection of stale) {
      if (!excess()) return;
      this.#close(connection, 'A connection was closed: too many answers wait for clients that do not take them.');
    }
  }
}
