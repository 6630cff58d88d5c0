/**
 * Bounds what one read of a socket brings. A request whose body comes in tiny parts is cut off, also while nobody reads
 * it: 10,000 of them take 5 MB, and as many again when the request has been refused and the rest is thrown away. On a
 * closed connection no further requests are made: there may be 2,400 of them.
 */
import { IncomingMessage } from 'node:http';

/** A body in more parts is cut off when they are as small as nobody but an attacker makes them. */
const MOST_SMALL_PARTS = 2_000;
const SMALL_PART_BYTES = 16;

export class CountedRequest extends IncomingMessage {
  /** On the clock of `performance`. */
  readonly arrivedAt = performance.now();
  #parts = 0;
  #bytes = 0;
  /** Node's constructor sets it, before there are private members. */
  declare private isUpgrade: boolean | null;

  get upgrade(): boolean | null {
    return this.isUpgrade;
  }

  /** Node sets it to the request's wish, and reads no more requests after one that may leave HTTP. */
  set upgrade(wish: boolean | null) {
    this.isUpgrade = this.socket?.destroyed === true ? true : wish;
  }

  /** Called for each part as it comes, with `null` at the end. */
  override push(part: Buffer | null): boolean {
    if (this.socket.destroyed) return false;
    if (part === null) return super.push(null);
    this.#parts += 1;
    this.#bytes += part.length;
    if (this.#parts <= MOST_SMALL_PARTS || this.#bytes >= this.#parts * SMALL_PART_BYTES) return super.push(part);
    this.socket.resetAndDestroy();
    return false;
  }

  /** Node calls it when the answer is complete before the request is. Its own would no longer call `push`. */
  _dump(): void {
    this.removeAllListeners('data');
    this.resume();
  }
}
