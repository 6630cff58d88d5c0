/** Reads long JSON documents one after the other, in pieces, so that they hold up nobody else. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorCodes } from 'fastify';

/** Of bytes: what is read in one turn of the event loop. */
export const PIECE_BYTES = 32_768;

const malformed = () => new errorCodes.FST_ERR_CTP_INVALID_JSON_BODY();

/** Resolves in a turn of the event loop in which it resolves for nobody else; first come, first served. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  next(): Promise<unknown> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}

/** What the document says. Throws for what is no JSON, and for keys that change prototypes. */
export async function readLongJson(bytes: Buffer, turns: Turns): Promise<unknown> {
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
      await turns.next();
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
