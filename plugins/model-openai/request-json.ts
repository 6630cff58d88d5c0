/** Writes requests as JSON; tools and instructions that are the same values in many calls are written once. */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { wellFormedJson } from '../model-kit/index.ts';

/** A request as the provider package prepares it. */
export type RequestBody = Readonly<Record<string, unknown>>;

/** The tools and the instructions of a request, which are made of those of the call and of nothing else. */
interface Beginning {
  readonly tools: object;
  readonly bytes: Buffer;
}

export class RequestJson {
  readonly #beginnings = new WeakMap<object, Beginning>();

  /** What `JSON.stringify` gives, in another order and without halves of characters, in UTF-8. */
  write(body: RequestBody, { prompt, tools: offered }: LanguageModelV4CallOptions): Buffer {
    const { messages, tools, ...rest } = body;
    const [asked] = prompt;
    const [system, ...others] = Array.isArray(messages) ? messages : [];
    if (asked === undefined || offered === undefined || tools === undefined || system?.role !== 'system') {
      return Buffer.from(textOf(body));
    }
    let beginning = this.#beginnings.get(asked);
    if (beginning?.tools !== offered) {
      const text = `{"tools":${textOf(tools)},"messages":[${textOf(system)}`;
      beginning = { tools: offered, bytes: Buffer.from(text) };
      this.#beginnings.set(asked, beginning);
    }
    const conversation = others.map((message) => `,${textOf(message)}`).join('');
    const own = textOf(rest);
    const end = Buffer.from(`${conversation}]${own === '{}' ? '}' : `,${own.slice(1)}`}`);
    return Buffer.concat([beginning.bytes, end]);
  }
}

const textOf = (value: unknown) => wellFormedJson(JSON.stringify(value));
