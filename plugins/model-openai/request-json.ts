/** Writes requests of Chat Completions as JSON. What all questions have in common, instructions and tools, is written once. */
import { LRUCache } from 'lru-cache';
import { wellFormedJson } from '../model-kit/index.ts';

/** Of instructions, those of several organizations. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** A request as the provider package prepares it. */
export type RequestBody = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: string;
  readonly content?: unknown;
}

interface Tool {
  readonly function: Readonly<Record<string, unknown>> & { readonly parameters?: unknown };
}

export class RequestJson {
  readonly #instructions = new LRUCache<string, Buffer>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ length }) => length + 1,
  });
  /** By the schema of their arguments. */
  readonly #tools = new WeakMap<object, { readonly tool: Tool; readonly json: string }>();

  /** What `JSON.stringify` gives, in pieces. */
  write(body: RequestBody): Buffer[] {
    const pieces: Buffer[] = [];
    let text = '';
    for (const part of this.#parts(body)) {
      if (typeof part === 'string') text += part;
      else {
        pieces.push(Buffer.from(wellFormedJson(text)), part);
        text = '';
      }
    }
    pieces.push(Buffer.from(wellFormedJson(text)));
    return pieces;
  }

  *#parts(body: RequestBody): Generator<string | Buffer> {
    let before = '{';
    for (const [name, value] of Object.entries(body)) {
      if (value === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      before = ',';
      if (name === 'messages' && Array.isArray(value)) yield* this.#messages(value);
      else if (name === 'tools' && Array.isArray(value)) yield `[${value.map((tool) => this.#toolOf(tool)).join()}]`;
      else yield JSON.stringify(value);
    }
    yield before === '{' ? '{}' : '}';
  }

  *#messages(messages: readonly Message[]): Generator<string | Buffer> {
    let before = '[';
    for (const message of messages) {
      const { role, content, ...more } = message;
      yield before;
      before = ',';
      if (role !== 'system' || typeof content !== 'string') yield JSON.stringify(message);
      else {
        yield '{"role":"system","content":';
        yield this.#instructionsOf(content);
        const end = JSON.stringify(more).slice(1);
        yield end === '}' ? end : `,${end}`;
      }
    }
    yield before === '[' ? '[]' : ']';
  }

  #instructionsOf(content: string): Buffer {
    const known = this.#instructions.get(content);
    if (known !== undefined) return known;
    const bytes = Buffer.from(wellFormedJson(JSON.stringify(content)));
    this.#instructions.set(content, bytes);
    return bytes;
  }

  #toolOf(tool: Tool): string {
    const { parameters } = tool.function;
    if (typeof parameters !== 'object' || parameters === null) return JSON.stringify(tool);
    const known = this.#tools.get(parameters);
    if (known !== undefined && isSame(known.tool.function, tool.function)) return known.json;
    const json = JSON.stringify(tool);
    this.#tools.set(parameters, { tool, json });
    return json;
  }
}

const isSame = (one: RequestBody, other: RequestBody) =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, value]) => other[name] === value);
