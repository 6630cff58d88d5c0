/**
 * Sends bodies that were written already with the calls of a provider package, which would write them itself: the call is
 * made without its messages, and a header, which stays here, names the body to send.
 */
import type { Connections } from '../model-kit/index.ts';

const BODY_HEADER = 'x-prepared-body';

export class PreparedBodies {
  readonly #bodies = new Map<string, readonly Buffer[]>();
  #count = 0;

  /** Connections for the package's `fetch`. */
  over(connections: Connections): Connections {
    return {
      ...connections,
      send: (method, url, { [BODY_HEADER]: name = '', ...headers }, body, signal) =>
        connections.send(method, url, headers, this.#bodies.get(name) ?? body, signal),
    };
  }

  /** Makes a call with further headers, as a part of which the body is sent. */
  async send<T>(
    body: readonly Buffer[],
    call: (headers: Readonly<Record<string, string>>) => PromiseLike<T>,
  ): Promise<T> {
    this.#count += 1;
    const name = `${this.#count}`;
    this.#bodies.set(name, body);
    try {
      return await call({ [BODY_HEADER]: name });
    } finally {
      this.#bodies.delete(name);
    }
  }
}
