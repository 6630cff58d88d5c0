/** Generates the data of a demo into a temporary folder, for cases whose schema is that demo. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimpleDemo } from '../demo-data/index.ts';
import type { OwnData } from './composition.ts';

export interface DemoDatabase extends OwnData, Disposable {}

/** `undefined`: there is no demo of that name. */
export async function demoDatabase(name: string, simpleLayerDir: string): Promise<DemoDatabase | undefined> {
  if (name !== 'simple') return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'atlas-eval-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const database = join(folder, `${name}.db`);
    createSimpleDemo(database);
    return { database, layerDir: simpleLayerDir, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw error;
  }
}
