/** Keeps the name under which a server sends reasoning, and wants it back: `reasoning` or `reasoning_content`. */
import type { EventFilter, ReplyFilter } from '../model-kit/index.ts';
import type { ChatDocument } from './chat-filter.ts';
import { withDetails } from './reasoning-details.ts';

/** A message of the request, as far as it matters here. */
type SentMessage = Parameters<typeof withDetails>[0] & { readonly reasoning_content?: unknown };

export class ReasoningField {
  #name = 'reasoning_content';

  watched(filter: ReplyFilter): ReplyFilter {
    const { events } = filter;
    return {
      ...filter,
      document: (text) => this.#watch(filter.document(text)),
      ...(events !== undefined && { events: () => this.#watchedEvents(events()) }),
    };
  }

  found({ choices: [{ message }] }: ChatDocument): void {
    if (message.reasoning_content !== undefined) this.#name = 'reasoning_content';
    else if (message.reasoning !== undefined) this.#name = 'reasoning';
  }

  #watchedEvents(events: EventFilter): EventFilter {
    return {
      read: (piece) => this.#watch(events.read(piece)),
      end: () => this.#watch(events.end()),
      get isComplete() {
        return events.isComplete === true;
      },
    };
  }

  /** Quotes inside texts are escaped, so that only a field is found. */
  #watch(repaired: string): string {
    this.#name = /"(reasoning|reasoning_content)":"/.exec(repaired)?.[1] ?? this.#name;
    return repaired;
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
