/**
 * Sends OpenRouter's `reasoning_details` back with the calls that they belong to. The provider package carries one thing
 * with a call, a thought signature, so the details travel as one.
 */

type Json = Readonly<Record<string, unknown>>;

/** Tells the details from signatures. */
const MARK = 'reasoning_details:';
/** Texts of a detail that arrive in pieces. */
const TEXTS = ['text', 'summary', 'data', 'signature'] as const;
const MOST_DETAILS = 256;
const MOST_CHARS = 256 * 1024;

/** Collects details; the pieces of one are put together. */
export class ReasoningDetails {
  #details: Record<string, unknown>[] = [];
  #chars = 0;

  add(pieces: readonly Json[]): void {
    for (const piece of pieces) {
      this.#chars += JSON.stringify(piece).length;
      if (this.#chars > MOST_CHARS || this.#details.length >= MOST_DETAILS) return;
      const last = this.#details.at(-1);
      if (last === undefined || last.type !== piece.type || last.index !== piece.index)
        this.#details.push({ ...piece });
      else {
        for (const [name, value] of Object.entries(piece)) {
          const isText = TEXTS.some((text) => text === name) && typeof value === 'string';
          last[name] = isText ? `${last[name] ?? ''}${value}` : (value ?? last[name]);
        }
      }
    }
  }

  take(): readonly Json[] {
    const details = this.#chars > MOST_CHARS ? [] : this.#details;
    this.#details = [];
    return details;
  }
}

/** The details as the package carries them; `undefined` when there are none. */
export const detailsAsSignature = (details: readonly Json[]): Json | undefined =>
  details.length === 0 ? undefined : { google: { thought_signature: `${MARK}${JSON.stringify(details)}` } };

interface SentCall {
  readonly extra_content?: { readonly google?: { readonly thought_signature?: unknown } };
}

/** A message of a request with the details in their own field. */
export function withDetails<T extends { readonly tool_calls?: readonly SentCall[] }>(message: T): T {
  const { tool_calls: calls } = message;
  const [first, ...more] = calls ?? [];
  const signature = first?.extra_content?.google?.thought_signature;
  if (typeof signature !== 'string' || !signature.startsWith(MARK)) return message;
  const { extra_content: _, ...call } = first as SentCall;
  return { ...message, tool_calls: [call, ...more], reasoning_details: JSON.parse(signature.slice(MARK.length)) };
}
