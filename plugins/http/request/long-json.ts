/** Reads long JSON documents in pieces, so that they hold up nobody else. */
import { errorCodes } from 'fastify';

/** Of bytes: what is read in one turn of the event loop. */
const PIECE_BYTES = 32_768;

const malformed = () => new errorCodes.FST_ERR_CTP_INVALID_JSON_BODY();

interface Waiting {
  readonly bytes: number;
  readonly resolve: () => void;
}

/** Turns of the event loop, by turns for the body that has waited longest and for the shortest one. */
export class BodyTurns {
  readonly #waiting: Waiting[] = [];
  #isShortestNext = false;

  /** Resolves in a turn in which it resolves for nobody else. `bytes` are those of the body that are still to be read. */
  next(bytes: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#pass());
      this.#waiting.push({ bytes, resolve });
    });
  }

  #pass(): void {
    this.#isShortestNext = !this.#isShortestNext;
    const sizes = this.#isShortestNext ? this.#waiting.map(({ bytes }) => bytes) : [0];
    const [next] = this.#waiting.splice(sizes.indexOf(Math.min(...sizes)), 1);
    if (this.#waiting.length > 0) setImmediate(() => this.#pass());
    next?.resolve();
  }
}

/** What the document says. Throws for what is no JSON, and for keys that change prototypes. */
export async function readInPieces(bytes: Buffer, turns: BodyTurns): Promise<unknown> {
  const { JSONParser, TokenType } = await import('@streamparser/json');
  const parser = new JSONParser({ paths: ['$'] });
  const unsafe = new UnsafeKeys();
  let before: unknown;
  let document: unknown;
  parser.onToken = ({ token, value }) => {
    if (token === TokenType.COLON) unsafe.refuse(before);
    before = value;
  };
  parser.onValue = ({ value }) => {
    document = value;
  };
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      await turns.next(bytes.length - at);
      parser.write(bytes.subarray(at, at + PIECE_BYTES));
    }
    if (!parser.isEnded) parser.end();
  } catch {
    throw malformed();
  }
  return document;
}

/** Finds what would change the prototype of an object. */
class UnsafeKeys {
  readonly #found = new Set<unknown>();

  refuse(key: unknown): void {
    if (key === 'constructor' || key === 'prototype') this.#found.add(key);
    if (key === '__proto__' || this.#found.size > 1) throw malformed();
  }
}
