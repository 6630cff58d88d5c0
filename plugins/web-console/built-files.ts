/** Reads the files of a build for browsers and keeps them in memory, compressed. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gzipSync } from 'node:zlib';

const PAGE = 'index.html';
const COMPRESSED = '.br';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

export type Encoding = 'br' | 'gzip' | 'identity';

export interface BuiltFile {
  readonly type: string;
  /** For `If-None-Match`: a weak one, as it stands for the file in every encoding. */
  readonly etag: string;
  /** Best first. */
  readonly encodings: readonly Encoding[];
  bytes(encoding: Encoding): Uint8Array;
}

/** The files of one build. Their names and bytes are read when they are first asked for. */
export class BuiltFiles {
  readonly #folder: URL | undefined;
  readonly #files = new Map<string, BuiltFile>();
  #paths: ReadonlySet<string> | undefined;

  private constructor(folder: URL | undefined) {
    this.#folder = folder;
  }

  /** The build of this name in the first of the places that has one: where the package has it, or `dist` in a clone. */
  static find(name: string): BuiltFiles {
    const places = [`./${name}/`, `../../dist/plugins/web-console/${name}/`];
    return BuiltFiles.in(places.map((path) => new URL(path, import.meta.url)));
  }

  static in(folders: readonly URL[]): BuiltFiles {
    const isBuilt = (folder: URL) => ['', COMPRESSED].some((ending) => existsSync(new URL(PAGE + ending, folder)));
    return new BuiltFiles(folders.find(isBuilt));
  }

  /** Every file that the build made, without the ending of compressed ones. */
  get paths(): ReadonlySet<string> {
    this.#paths ??= new Set(this.#folder === undefined ? [] : pathsIn(this.#folder));
    return this.#paths;
  }

  /** One of `paths`; nothing else is read. */
  file(path: string): BuiltFile {
    if (!this.paths.has(path)) throw new Error(`The build has no file ${path}.`);
    return this.#files.get(path) ?? this.#read(path);
  }

  /** The document with which it begins; `undefined` where nothing has been built. */
  page(): BuiltFile | undefined {
    return this.paths.has(PAGE) ? this.file(PAGE) : undefined;
  }

  #read(path: string): BuiltFile {
    const compressed = new URL(`${path}${COMPRESSED}`, this.#folder);
    const isCompressed = existsSync(compressed);
    const kept = readFileSync(isCompressed ? compressed : new URL(path, this.#folder));
    const type = TYPES[extname(path)] ?? 'application/octet-stream';
    const etag = `W/"${createHash('sha256').update(kept).digest('base64url').slice(0, 22)}"`;
    const file = isCompressed
      ? { type, etag, encodings: ['br', 'gzip', 'identity'] as const, bytes: otherEncodings(kept) }
      : { type, etag, encodings: ['identity'] as const, bytes: () => kept };
    this.#files.set(path, file);
    return file;
  }
}

function pathsIn(folder: URL): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(fileURLToPath(folder), join(parentPath, name)).replaceAll(sep, '/'))
    .map((path) => (path.endsWith(COMPRESSED) ? path.slice(0, -COMPRESSED.length) : path));
}

/** Browsers take Brotli over HTTPS and from this machine; over plain HTTP, gzip alone. Each form is made once. */
function otherEncodings(brotli: Uint8Array): BuiltFile['bytes'] {
  const made = new Map<Encoding, Uint8Array>([['br', brotli]]);
  return (encoding) => {
    const known = made.get(encoding);
    if (known !== undefined) return known;
    const plain = brotliDecompressSync(brotli);
    const bytes = encoding === 'gzip' ? gzipSync(plain) : plain;
    made.set(encoding, bytes);
    return bytes;
  };
}
