/** Loads the data of a demo into a temporary folder, for cases whose schema is that demo. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMOS, type DemoName, loadDemo } from '../demo-data/index.ts';
import type { OwnData } from './composition.ts';

export interface DemoDatabase extends OwnData, Disposable {}

const isDemo = (name: string): name is DemoName => Object.hasOwn(DEMOS, name);

/** `undefined`: there is no demo of that name. */
export async function demoDatabase(name: string, signal: AbortSignal): Promise<DemoDatabase | undefined> {
  if (!isDemo(name)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'atlas-eval-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const database = join(folder, `${name}.db`);
    await loadDemo(name, { url: `sqlite:${database}`, signal });
    return { database, layerDir: DEMOS[name].layer, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw error;
  }
}
