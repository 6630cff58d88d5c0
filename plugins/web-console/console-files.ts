/** Reads the built pages of the console and keeps them in memory, compressed. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';

/** Where `npm run build:console` writes: beside this module in the package, and below `dist` in a clone. */
const FOLDERS = ['./public/', '../../dist/plugins/web-console/public/'];
const PAGE = 'index.html';
const COMPRESSED = '.br';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

export type Encoding = 'br' | 'gzip' | 'identity';

export interface ConsoleFile {
  readonly type: string;
  /** For `If-None-Match`: a weak one, as it stands for the file in every encoding. */
  readonly etag: string;
  /** Best first. */
  readonly encodings: readonly Encoding[];
  bytes(encoding: Encoding): Uint8Array;
}

/** The files of one build. Their bytes are read when they are first asked for. */
export class ConsoleFiles {
  readonly #folder: URL | undefined;
  readonly #files = new Map<string, ConsoleFile>();
  /** Names of the files below `/assets/`, each with a hash of its content. */
  readonly assets: readonly string[];

  private constructor(folder: URL | undefined) {
    this.#folder = folder;
    const names = folder === undefined ? [] : readdirSync(new URL('assets/', folder));
    this.assets = names.map((name) => (name.endsWith(COMPRESSED) ? name.slice(0, -COMPRESSED.length) : name));
  }

  /** The build in the first of the folders that has one. */
  static find(folders: readonly URL[] = FOLDERS.map((path) => new URL(path, import.meta.url))): ConsoleFiles {
    return new ConsoleFiles(folders.find((folder) => existsSync(new URL(PAGE, folder))));
  }

  /** The document that every page of the console begins with; `undefined` where nothing has been built. */
  page(): ConsoleFile | undefined {
    return this.#folder && this.#read(PAGE);
  }

  /** One of `assets`. */
  asset(name: string): ConsoleFile {
    return this.#read(`assets/${name}`);
  }

  #read(path: string): ConsoleFile {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
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

/** Browsers take Brotli over HTTPS and from this machine; over plain HTTP, gzip alone. Each form is made once. */
function otherEncodings(brotli: Uint8Array): ConsoleFile['bytes'] {
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
