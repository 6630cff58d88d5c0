/** Bounds the memory that the bodies of requests take. */
import type { Socket } from 'node:net';

/** What a part of a body takes beside its bytes. */
const PART_BYTES = 400;
/** A body that takes no more is never refused for what the others take. */
const SHORT_BYTES = 16 * 1024;
/** A body in more parts is cut off when they are as small as nobody but an attacker makes them. */
const MOST_SMALL_PARTS = 2_000;
const SMALL_PART_BYTES = 16;

export class RequestBodies {
  readonly #limitBytes: number;
  /** Bytes of the body of the request that runs on a connection. */
  readonly #held = new Map<Socket, number>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Whether so many further bytes of the body have room. A short body always has, and a single one. */
  hasRoom(socket: Socket, bytes: number): boolean {
    const held = this.#held.get(socket) ?? 0;
    return this.#bytes === held || held + bytes <= SHORT_BYTES || this.#bytes + bytes <= this.#limitBytes;
  }

  /** Counts bytes that the body takes; `false`, and not counted, when there is no room for them. */
  hold(socket: Socket, bytes: number): boolean {
    // It has been forgotten, and would not be again.
    if (socket.destroyed) return true;
    if (!this.hasRoom(socket, bytes)) return false;
    this.#held.set(socket, (this.#held.get(socket) ?? 0) + bytes);
    this.#bytes += bytes;
    return true;
  }

  /** Returns what to call with each part of a body as it arrives; `false`: it is to be cut off. */
  arriving(socket: Socket): (part: Buffer) => boolean {
    let parts = 0;
    let bytes = 0;
    return ({ length }) => {
      parts += 1;
      bytes += length;
      const isTiny = parts > MOST_SMALL_PARTS && bytes < parts * SMALL_PART_BYTES;
      return !isTiny && this.hold(socket, length + PART_BYTES);
    };
  }

  /** The request has been answered, or its connection is closed. */
  forget(socket: Socket): void {
    this.#bytes -= this.#held.get(socket) ?? 0;
    this.#held.delete(socket);
  }
}
