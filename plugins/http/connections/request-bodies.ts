/** Bounds the memory that the bodies of requests take. */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { AtlasError } from '../../../kernel/index.ts';

/** What a part of a body takes beside its bytes. */
const PART_BYTES = 400;
/** Share of the limit that bodies may take while they arrive: whoever sends them slowly or never ends holds no question. */
const ARRIVING_SHARE = 1 / 2;
/** A body that takes no more is never refused for what the others take. */
const SHORT_BYTES = 64 * 1024;

interface Body {
  readonly socket: Socket;
  /** While it arrives. */
  readonly parts: Buffer[];
  bytes: number;
}

/** Gives the memory back at once; of hundreds of bodies that are cut off it would wait for a collection that is far away. */
function free(parts: readonly Buffer[]): void {
  for (const { buffer, byteLength } of parts) {
    // Smaller ones may share their memory with others.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
  }
}

export class RequestBodies {
  readonly #limitBytes: number;
  readonly #cut: (socket: Socket, why: string) => void;
  readonly #all = new Map<Socket, Body>();
  /** Those that still arrive; the one whose last part came longest ago first. */
  readonly #arriving = new Set<Body>();
  #bytes = 0;
  #arrivingBytes = 0;

  /** `cut` closes a connection. */
  constructor(limitBytes: number, cut: (socket: Socket, why: string) => void) {
    this.#limitBytes = limitBytes;
    this.#cut = cut;
  }

  /** Begins with the body of the request that runs on the connection. */
  watch(socket: Socket, payload: Readable): void {
    const body: Body = { socket, parts: [], bytes: 0 };
    this.#all.set(socket, body);
    payload.once('end', () => {
      if (this.#all.get(socket) === body) this.arrived(socket);
    });
    // From then on nobody reads the parts. Of a body that ended somebody may have them.
    payload.once('close', () => {
      if (!payload.readableEnded) free(body.parts);
      body.parts.length = 0;
    });
    payload.on('data', (part: Buffer) => {
      if (this.#all.get(socket) === body) this.#receive(body, part);
    });
  }

  /** The body has arrived completely. */
  arrived(socket: Socket): void {
    const body = this.#all.get(socket);
    if (body === undefined || !this.#arriving.delete(body)) return;
    this.#arrivingBytes -= body.bytes;
  }

  /** Counts what a body takes beside its bytes. Throws `overloaded` when all of them take too much. */
  hold(socket: Socket, bytes: number): void {
    const body = this.#all.get(socket);
    if (body === undefined) return;
    const others = this.#bytes - body.bytes;
    // A single one of the largest size is always accepted, and any short one.
    if (others > 0 && body.bytes + bytes > SHORT_BYTES && this.#bytes + bytes > this.#limitBytes) {
      throw new AtlasError('Too many large requests run at once.', {
        code: 'overloaded',
        retryAfterSeconds: 2,
        hint: 'Try again shortly.',
      });
    }
    this.#count(body, bytes);
  }

  /** The request has been answered, or its connection is closed. */
  forget(socket: Socket): void {
    const body = this.#all.get(socket);
    if (body === undefined) return;
    this.#all.delete(socket);
    this.#count(body, -body.bytes);
    this.#arriving.delete(body);
  }

  #count(body: Body, bytes: number): void {
    body.bytes += bytes;
    this.#bytes += bytes;
    if (this.#arriving.has(body)) this.#arrivingBytes += bytes;
  }

  /**
   * Beyond the share for all that arrive, the one that has waited longest for its next part is cut off; beyond the limit
   * for all bodies, the one that goes on.
   */
  #receive(body: Body, part: Buffer): void {
    this.#arriving.delete(body);
    this.#arriving.add(body);
    body.parts.push(part);
    this.#count(body, part.length + PART_BYTES);
    while (this.#arrivingBytes > this.#limitBytes * ARRIVING_SHARE) {
      const [slowest] = this.#arriving;
      if (slowest === undefined) return;
      this.#cutOff(slowest, 'A request was cut off: too many large ones arrive at once.');
    }
    if (body.bytes > SHORT_BYTES && this.#bytes > this.#limitBytes) {
      this.#cutOff(body, 'A request was cut off: too many large ones run at once.');
    }
  }

  #cutOff({ socket }: Body, why: string): void {
    this.forget(socket);
    this.#cut(socket, why);
  }
}
