/** Writes an archive as a ZIP file, part by part, in bounded memory. */
import { createHash, randomUUID } from 'node:crypto';
import { type EventEmitter, once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AtlasError } from '../../kernel/index.ts';
import { type FilePart, MANIFEST_PATH, type Manifest } from './manifest.ts';

export interface Part {
  readonly path: string;
  /** Read when it is this part's turn. */
  chunks(): AsyncIterable<string | Buffer>;
  written(part: FilePart): void;
}

async function* measured({ path, chunks, written }: Part, signal: AbortSignal): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks()) {
    signal.throwIfAborted();
    const buffer = Buffer.from(chunk as string);
    bytes += buffer.length;
    hash.update(buffer);
    yield buffer;
  }
  written({ path, bytes, sha256: hash.digest('hex') });
}

/** Ends the stream, and waits for what it is reading: the database must not be left with a statement of it. */
async function ended(stream: Readable): Promise<void> {
  if (stream.closed) return;
  const closed = new Promise((resolve) => stream.once('close', resolve));
  stream.destroy();
  await closed;
}

function unwritable(out: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof AtlasError || syscall === undefined) return error;
  if (code === 'EEXIST') return taken(out);
  const why =
    { ENOENT: 'the folder does not exist', EACCES: 'it may not be written', ENOSPC: 'the disk is full' }[code ?? ''] ??
    `the system says ${code}`;
  return new AtlasError(`The archive ${out} cannot be written: ${why}.`, {
    code: 'configuration_error',
    hint: 'Choose another place with --out.',
    cause: error,
  });
}

export const taken = (out: string) =>
  new AtlasError(`${out} exists and is not overwritten.`, {
    code: 'conflict',
    hint: 'Choose another name with --out, or remove the file.',
  });

/**
 * Writes the parts in their order, then the manifest, which is asked for when the others are written. The file gets its
 * name once it is complete; it is for this user only. Rejects when there is a file of that name.
 */
export async function writeArchive(
  out: string,
  parts: readonly Part[],
  manifest: () => Manifest,
  signal: AbortSignal,
): Promise<void> {
  const { ZipFile } = await import('yazl');
  const partial = `${out}.${randomUUID().slice(0, 8)}.part`;
  const failing = new AbortController();
  const stop = AbortSignal.any([signal, failing.signal]);
  const streams: Readable[] = [];
  try {
    const file = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
    await once(file, 'open');
    const zip = new ZipFile();
    // Streams that are stopped may say so once more, when their listeners are gone.
    const emitters: readonly EventEmitter[] = [zip, zip.outputStream, file];
    for (const emitter of emitters) emitter.on('error', (error) => failing.abort(error));
    const add = (path: string, chunks: AsyncIterable<Buffer>) => {
      const stream = Readable.from(chunks, { objectMode: false });
      stream.on('error', (error) => failing.abort(error));
      streams.push(stream);
      zip.addReadStream(stream, path);
    };
    for (const part of parts) add(part.path, measured(part, stop));
    const last = async function* () {
      yield Buffer.from(`${JSON.stringify(manifest(), undefined, 1)}\n`);
    };
    add(MANIFEST_PATH, last());
    zip.end();
    await pipeline(zip.outputStream, file, { signal: stop });
    // Unlike a rename, this fails where there is a file of that name by now.
    await link(partial, out);
  } catch (error) {
    signal.throwIfAborted();
    throw unwritable(out, failing.signal.aborted ? failing.signal.reason : error);
  } finally {
    await Promise.all(streams.map(ended));
    await rm(partial, { force: true });
  }
}

/** Throws where there is a file of that name, or no folder to write it into. */
export async function checkFree(out: string): Promise<void> {
  const found = await open(out, 'r').catch((error: NodeJS.ErrnoException) => error);
  if (!(found instanceof Error)) {
    await found.close();
    throw taken(out);
  }
  if (found.code !== 'ENOENT') throw taken(out);
}
