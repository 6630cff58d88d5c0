/** Reads an archive: checks its manifest and every part of it before anything of it is used. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { crc32 } from 'node:zlib';
import { Value } from '@sinclair/typebox/value';
import type { Entry, ZipFile } from 'yauzl';
import { AtlasError } from '../../kernel/index.ts';
import { isArchivedPath } from '../semantic-layer/index.ts';
import {
  FILES_FOLDER,
  type FilePart,
  FORMAT_VERSION,
  Head,
  MANIFEST_PATH,
  Manifest,
  type TablePart,
  tablePath,
} from './manifest.ts';

const MAX_ENTRIES = 210_000;
const MAX_MANIFEST_BYTES = 128 * 1024 * 1024;
/** Larger semantic files are not read by any layer. */
const MAX_FILE_BYTES = 512 * 1024;
/** A row is at most one line; the largest values are results of some megabytes. */
const MAX_LINE_LENGTH = 256 * 1024 * 1024;

export interface Archive extends AsyncDisposable {
  readonly manifest: Manifest;
  lines(part: TablePart): AsyncIterable<string>;
  bytes(part: FilePart): Promise<Buffer>;
}

function unusable(why: string, hint: string, cause?: unknown): AtlasError {
  return new AtlasError(`The archive cannot be imported: ${why}.`, {
    code: 'invalid_request',
    reason: 'E_ARCHIVE_UNUSABLE',
    hint,
    cause,
  });
}

const foreign = (why: string, cause?: unknown) =>
  unusable(why, 'Give the path of a file that "atlas export" has written.', cause);
const damaged = (why: string, cause?: unknown) =>
  unusable(`it is damaged, ${why}`, 'Copy it again, or export again.', cause);

/** Opens the file as a ZIP file and lists its entries. Throws for what no archive has. */
async function openZip(path: string): Promise<{ zip: ZipFile; entries: ReadonlyMap<string, Entry> }> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new AtlasError(`The file ${path} ${why}.`, { code: 'invalid_request', hint: 'Check the path.' });
  });
  if (!found.isFile()) throw foreign(`${path} is not a file`);
  const { open } = await import('yauzl');
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    open(path, { lazyEntries: true, autoClose: false, strictFileNames: true }, (error, opened) => {
      if (opened !== undefined && error === null) resolve(opened);
      else reject(foreign('it is cut off, or not an archive', error));
    });
  });
  try {
    return { zip, entries: await entriesOf(zip, found.size) };
  } catch (error) {
    zip.close();
    throw error;
  }
}

function entriesOf(zip: ZipFile, fileBytes: number): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES) throw foreign('it has too many parts');
  const entries = new Map<string, Entry>();
  let packed = 0;
  return new Promise((resolve, reject) => {
    zip.on('error', (error) => reject(damaged('its list of parts cannot be read', error)));
    zip.on('end', () => resolve(entries));
    zip.on('entry', (entry: Entry) => {
      packed += entry.compressedSize;
      if (entries.has(entry.fileName)) return reject(damaged('it has two parts of one name'));
      // Parts that share their bytes unpack to far more than the file could hold.
      if (packed > fileBytes) return reject(damaged('its parts overlap'));
      entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
}

function streamOf(zip: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (stream !== undefined && error === null) resolve(stream);
      else reject(damaged(`${JSON.stringify(entry.fileName)} cannot be read`, error));
    });
  });
}

async function* chunksOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const stream = await streamOf(zip, entry);
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw damaged(`${JSON.stringify(entry.fileName)} cannot be unpacked`, error);
  } finally {
    stream.destroy();
  }
}

async function readWhole(zip: ZipFile, entry: Entry, maxBytes: number): Promise<Buffer> {
  if (entry.uncompressedSize > maxBytes) throw damaged(`${JSON.stringify(entry.fileName)} is too large`);
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(zip, entry)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function readManifest(zip: ZipFile, entries: ReadonlyMap<string, Entry>): Promise<Manifest> {
  const entry = entries.get(MANIFEST_PATH);
  if (entry === undefined) throw foreign(`it has no ${MANIFEST_PATH}`);
  const bytes = await readWhole(zip, entry, MAX_MANIFEST_BYTES);
  if (crc32(bytes) !== entry.crc32) throw damaged('its manifest was changed');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw foreign(`its ${MANIFEST_PATH} is not JSON`, error);
  }
  if (!Value.Check(Head, value)) throw foreign(`its ${MANIFEST_PATH} is not that of an archive of Atlas`);
  if (value.version > FORMAT_VERSION)
    throw unusable(
      `it has the format ${value.version}, and this version of Atlas reads up to ${FORMAT_VERSION}`,
      'Update Atlas here.',
    );
  if (!Value.Check(Manifest, value)) {
    const [first] = Value.Errors(Manifest, value);
    throw damaged(`its manifest is not valid${first === undefined ? '' : ` at ${first.path || '/'}`}`);
  }
  return value;
}

/** The manifest and the list of parts must say the same. */
function checkParts(manifest: Manifest, entries: ReadonlyMap<string, Entry>): void {
  const { tables, files, counts } = manifest;
  const named = new Set<string>([MANIFEST_PATH]);
  for (const { path, bytes } of [...tables, ...files]) {
    const entry = entries.get(path);
    if (entry === undefined) throw damaged(`${JSON.stringify(path)} is missing`);
    if (entry.uncompressedSize !== bytes) throw damaged(`${JSON.stringify(path)} has another size`);
    if (named.has(path)) throw damaged('its manifest lists a part twice');
    named.add(path);
  }
  const extra = [...entries.keys()].find((path) => !named.has(path));
  if (extra !== undefined)
    throw damaged(`it has the part ${JSON.stringify(extra.slice(0, 200))}, which is not in its manifest`);
  for (const { table, path } of tables) if (path !== tablePath(table)) throw damaged('a table is in the wrong place');
  for (const { path, bytes } of files) {
    const isSound = path.startsWith(FILES_FOLDER) && isArchivedPath(path.slice(FILES_FOLDER.length));
    if (!isSound) throw damaged(`${JSON.stringify(path.slice(0, 200))} is no place of a semantic file`);
    if (bytes > MAX_FILE_BYTES) throw damaged(`${JSON.stringify(path)} is too large`);
  }
  const rows = tables.reduce((sum, part) => sum + part.rows, 0);
  if (counts.tables !== tables.length || counts.rows !== rows || counts.files !== files.length)
    throw damaged('its manifest counts otherwise than it lists');
}

/** Splits text into lines. Throws for a line that is too long. */
async function* linesOf(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.write(chunk).split('\n');
    pieces.push(first);
    length += first.length;
    if (length > MAX_LINE_LENGTH) throw damaged(`${JSON.stringify(path)} has a line that is too long`);
    if (others.length === 0) continue;
    yield pieces.join('');
    const rest = others.pop() ?? '';
    yield* others;
    pieces = [rest];
    length = rest.length;
  }
  if (length > 0) throw damaged(`the last line of ${JSON.stringify(path)} is cut off`);
}

/**
 * Opens an archive and reads all of it once, so that what is used of it later is known to be whole. Rejects with
 * `invalid_request` for one that is cut off, changed, foreign or of a later format.
 */
export async function openArchive(path: string, signal: AbortSignal): Promise<Archive> {
  const { zip, entries } = await openZip(path);
  try {
    const manifest = await readManifest(zip, entries);
    checkParts(manifest, entries);
    const entryOf = (part: FilePart) => entries.get(part.path) as Entry;
    for (const part of [...manifest.tables, ...manifest.files]) {
      const hash = createHash('sha256');
      for await (const chunk of chunksOf(zip, entryOf(part))) {
        signal.throwIfAborted();
        hash.update(chunk);
      }
      if (hash.digest('hex') !== part.sha256) throw damaged(`${JSON.stringify(part.path)} was changed`);
    }
    return {
      manifest,
      lines: (part) => linesOf(chunksOf(zip, entryOf(part)), part.path),
      bytes: (part) => readWhole(zip, entryOf(part), MAX_FILE_BYTES),
      [Symbol.asyncDispose]: async () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}
