/** Reads the data of server-sent events, one line each, from pieces that are cut anywhere. */
import { LONGEST_DOCUMENT_BYTES } from '../model-kit/index.ts';

export class EventLines {
  /** Beginning of a line whose end has not arrived: in pieces, because joining it for each of them is quadratic work. */
  #begun: string[] = [];
  #begunChars = 0;

  /** The data of the lines that are complete with this piece. Throws at a line that is too long. */
  read(piece: string): string[] {
    const lines = piece.split(/[\r\n]/);
    const last = lines.pop() ?? '';
    const complete = lines.map((line) => this.#complete(line));
    this.#begun.push(last);
    this.#begunChars += last.length;
    if (this.#begunChars > LONGEST_DOCUMENT_BYTES) {
      throw new Error(`An event is longer than ${LONGEST_DOCUMENT_BYTES} characters.`);
    }
    return complete.flatMap(dataOf);
  }

  /** The data of a last line without an end. */
  end(): string[] {
    return dataOf(this.#complete(''));
  }

  #complete(end: string): string {
    if (this.#begun.length === 0) return end;
    const line = `${this.#begun.join('')}${end}`;
    this.#begun = [];
    this.#begunChars = 0;
    return line;
  }
}

/** Comments, names and ids of events say nothing in these protocols. Some servers print an error without any label. */
function dataOf(line: string): string[] {
  const data = line.startsWith('data:') ? line.slice(5).trim() : line.startsWith('{') ? line.trim() : '';
  return data === '' ? [] : [data];
}

/** Whether a body is server-sent events, also where its label does not say so. */
export const isEvents = (text: string) => /^\s*(data|event|id|:)/.test(text);

/** Lists and objects in one document. Half a million, which fit into a megabyte, take 80 ms to read. */
const MOST_CONTAINERS = 100_000;

function hasTooManyContainers(json: string): boolean {
  if (json.length <= MOST_CONTAINERS) return false;
  let count = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (char === '"') isInText = !isInText;
    else if (isInText && char === '\\') at += 1;
    else if (!isInText && (char === '[' || char === '{')) count += 1;
  }
  return count > MOST_CONTAINERS;
}

/** A JSON object, also one in a list, as Google sends errors, or `undefined` for anything else. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  if (!/^\s*[[{]/.test(text) || hasTooManyContainers(text)) return undefined;
  try {
    const sent: unknown = JSON.parse(text);
    const value: unknown = Array.isArray(sent) ? sent[0] : sent;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
