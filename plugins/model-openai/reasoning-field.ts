/** Keeps the name under which a server sends reasoning, and wants it back: `reasoning` or `reasoning_content`. */
import type { Message } from './chat-filter.ts';
import { withDetails } from './reasoning-details.ts';

/** A message of the request, as far as it matters here. */
type SentMessage = Parameters<typeof withDetails>[0] & { readonly reasoning_content?: unknown };

export class ReasoningField {
  #name = 'reasoning_content';

  /** A message that was sent, or a piece of one. */
  found(message: Message): void {
    if (message.reasoning_content !== undefined) this.#name = 'reasoning_content';
    else if (message.reasoning !== undefined) this.#name = 'reasoning';
  }

  /** The messages of a request as the server wants them; the package sends `reasoning_content`. */
  renamed<T extends { readonly messages?: unknown }>(body: T): T {
    if (!Array.isArray(body.messages)) return body;
    const messages = (body.messages as SentMessage[]).map((sent) => {
      const message = withDetails(sent);
      if (this.#name === 'reasoning_content' || message.reasoning_content === undefined) return message;
      const { reasoning_content: reasoning, ...rest } = message;
      return { ...rest, reasoning };
    });
    return { ...body, messages };
  }
}
