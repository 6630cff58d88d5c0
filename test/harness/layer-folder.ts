/** Writes a semantic layer to a folder that is removed at the end of the block. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface LayerFolder {
  readonly dir: string;
  write(path: string, text: string | Uint8Array): void;
  remove(path: string): void;
  [Symbol.dispose](): void;
}

/** Files by their path below the layer's root. */
export function layerFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): LayerFolder {
  const dir = mkdtempSync(join(tmpdir(), 'semantic-'));
  const folder: LayerFolder = {
    dir,
    write(path, text) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    },
    remove: (path) => rmSync(join(dir, path), { recursive: true }),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
  for (const [path, text] of Object.entries(files)) folder.write(path, text);
  return folder;
}
