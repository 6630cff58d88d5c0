/** Copies a CSV file to UTF-8 where it has another encoding or mixed line ends, which DuckDB cannot read. */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { AtlasError, messageOf } from '../../../kernel/index.ts';

const CHUNK_BYTES = 1024 * 1024;
const COMPRESSED = /\.(gz|zst)$/i;

const refuse = (message: string) => new AtlasError(message, { code: 'invalid_request' });

const chunksOf = (path: string, signal: AbortSignal) => createReadStream(path, { highWaterMark: CHUNK_BYTES, signal });

function decoded(decoder: InstanceType<typeof TextDecoder>, chunk: Uint8Array): string | undefined {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    return undefined;
  }
}

function byteOrder([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** The encoding to copy from; `undefined` for a file that is read as it is. Text that is not Unicode is Windows-1252. */
async function encodingToCopy(path: string, shown: string, signal: AbortSignal): Promise<string | undefined> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  let isUtf8 = true;
  let isEmpty = true;
  let hasCrLf = false;
  let hasLf = false;
  let last = '';
  for await (const chunk of chunksOf(path, signal) as AsyncIterable<Buffer>) {
    const wide = isFirst ? byteOrder(chunk) : undefined;
    if (wide !== undefined) return wide;
    isFirst = false;
    if (chunk.includes(0)) throw refuse(`${shown} is not a text file: save it as CSV in UTF-8.`);
    const text: string | undefined = isUtf8 ? decoded(utf8, chunk) : undefined;
    isUtf8 = text !== undefined;
    isEmpty &&= isUtf8 && text?.trim() === '';
    if (text === undefined) continue;
    const joined = last + text;
    hasCrLf ||= joined.includes('\r\n');
    hasLf ||= /(?<!\r)\n/.test(joined);
    last = joined.slice(-1) === '\r' ? '\r' : '';
  }
  if (isEmpty) throw refuse(`${shown} is empty: a CSV file needs a line with the names of its columns.`);
  if (!isUtf8) return 'windows-1252';
  return hasCrLf && hasLf ? 'utf-8' : undefined;
}

/** The file to read: the given one, or its copy at `copy`. `shown` names it in messages. */
export async function readableCsv(path: string, copy: string, shown: string, signal: AbortSignal): Promise<string> {
  if (COMPRESSED.test(path)) return path;
  try {
    const encoding = await encodingToCopy(path, shown, signal);
    if (encoding === undefined) return path;
    await pipeline(chunksOf(path, signal), (chunks) => unified(chunks, encoding), createWriteStream(copy), { signal });
    return copy;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof AtlasError ? error : refuse(`${shown} cannot be read: ${messageOf(error)}`);
  }
}

/** The text with the same line end everywhere, so that a line keeps its number. */
async function* unified(chunks: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  let held = '';
  for await (const chunk of chunks) {
    const text = held + decoder.decode(chunk, { stream: true });
    held = text.endsWith('\r') ? '\r' : '';
    yield text.slice(0, text.length - held.length).replaceAll('\r\n', '\n');
  }
  yield held + decoder.decode();
}
