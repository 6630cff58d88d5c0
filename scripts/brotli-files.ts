/** Puts compressed files in the place of those that a build made for browsers. */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** Below this, a compressed file is not worth its round through a decoder. */
const MIN_COMPRESSED_BYTES = 1_024;

/** Replaces each file of `pattern` by one whose name ends in `.br`, unless it is small. */
export function compressFiles(folder: string, pattern: string, quality: number): void {
  for (const path of globSync(pattern, { cwd: folder })) {
    const bytes = readFileSync(join(folder, path));
    if (bytes.length < MIN_COMPRESSED_BYTES) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(bytes, { params }));
    rmSync(join(folder, path));
  }
}
