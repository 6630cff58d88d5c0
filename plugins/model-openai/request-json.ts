/** Writes requests as JSON; the tools, and instructions that are the same value in many calls, are written once. */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';

/** A request as the provider package prepares it. */
export type RequestBody = Readonly<Record<string, unknown>>;

export class RequestJson {
  readonly #written = new WeakMap<object, string>();

  /** What `JSON.stringify` gives, in another order. */
  write(body: RequestBody, { prompt, tools: offered }: LanguageModelV4CallOptions): string {
    const { messages, tools, ...rest } = body;
    const [asked] = prompt;
    const [system, ...others] = Array.isArray(messages) ? messages : [];
    if (asked === undefined || offered === undefined || tools === undefined || system?.role !== 'system') {
      return JSON.stringify(body);
    }
    const conversation = [this.#once(asked, system), ...others.map((message) => JSON.stringify(message))];
    const shared = `{"tools":${this.#once(offered, tools)},"messages":[${conversation.join()}]`;
    const own = JSON.stringify(rest);
    return own === '{}' ? `${shared}}` : `${shared},${own.slice(1)}`;
  }

  /** The JSON of a value that is made of `source`, and of nothing else. */
  #once(source: object, value: unknown): string {
    const known = this.#written.get(source);
    if (known !== undefined) return known;
    const json = JSON.stringify(value);
    this.#written.set(source, json);
    return json;
  }
}
