/** Reads and writes the file of recordings. Requests that were made several times have their responses in order. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AtlasError } from '../../kernel/index.ts';
import { keyOf, type RecordedRequest } from './request-key.ts';

export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A text; the events of a stream, each without its blank line; or bytes that are no text, in base64. */
  readonly body: string | { readonly events: readonly string[] } | { readonly base64: string };
}

export interface Recording {
  readonly key: string;
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
}

export class Recordings {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #lines: string[];
  readonly #responses = new Map<string, RecordedResponse[]>();
  readonly #played = new Map<string, number>();
  #bytes = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: string, maxBytes: number, lines: readonly string[]) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#lines = [...lines];
    for (const [index, line] of lines.entries()) {
      this.#bytes += Buffer.byteLength(line) + 1;
      const { key, response } = readLine(line, `${file}:${index + 1}`);
      this.#keep(key, response);
    }
  }

  /** Rejects with `configuration_error` for a file that cannot be read, is too large, or has a line that is no recording. */
  static async open(file: string, maxBytes: number): Promise<Recordings> {
    if (!existsSync(file)) return new Recordings(file, maxBytes, []);
    const { size } = await stat(file);
    if (size > maxBytes)
      throw unusable(`The recordings in ${file} have more than ${maxBytes} bytes.`, 'Raise maxFileBytes.');
    const text = await readFile(file, 'utf8');
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return new Recordings(file, maxBytes, lines);
  }

  /** The next response to the request; the last one again when all were played. */
  play(key: string): RecordedResponse | undefined {
    const responses = this.#responses.get(key);
    // Not counted: a client that keeps asking what was never recorded must not fill the memory.
    if (responses === undefined) return undefined;
    const played = this.#played.get(key) ?? 0;
    this.#played.set(key, played + 1);
    return responses[Math.min(played, responses.length - 1)];
  }

  /** The last response to the request, however often it was played. */
  last(key: string): RecordedResponse | undefined {
    return this.#responses.get(key)?.at(-1);
  }

  /** Resolves when the file is written; rejects when it would become too large. */
  add(request: RecordedRequest, response: RecordedResponse): Promise<void> {
    const key = keyOf(request);
    const line = JSON.stringify({ key, request, response } satisfies Recording);
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#bytes + bytes > this.#maxBytes) {
      return Promise.reject(
        unusable(`${this.#file} has no room for another recording.`, 'Raise maxFileBytes, or use another file.'),
      );
    }
    this.#bytes += bytes;
    this.#lines.push(line);
    this.#keep(key, response);
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write());
    return this.#writing;
  }

  #keep(key: string, response: RecordedResponse): void {
    const responses = this.#responses.get(key) ?? [];
    responses.push(response);
    this.#responses.set(key, responses);
  }

  /** A reader finds the file as it was before or after, never a part of it. */
  async #write(): Promise<void> {
    const part = `${this.#file}.${process.pid}.part`;
    try {
      await mkdir(dirname(this.#file), { recursive: true });
      await writeFile(part, `${this.#lines.join('\n')}\n`, { mode: 0o600 });
      await rename(part, this.#file);
    } finally {
      await rm(part, { force: true });
    }
  }
}

function readLine(line: string, place: string): Recording {
  try {
    const recording = JSON.parse(line) as Recording;
    if (typeof recording.key === 'string' && typeof recording.response.status === 'number') return recording;
  } catch {
    // Told below.
  }
  throw unusable(`${place} is not a recording.`, 'Remove the line, or record the file again.');
}

const unusable = (message: string, hint: string) =>
  new AtlasError(message, { code: 'configuration_error', reason: 'E_REPLAY_FILE', hint });
