/** What Atlas is started with in a benchmark: a generated semantic layer and a SQLite database of its tables. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { loadSemanticLayer, type SemanticModel } from '../../plugins/semantic-layer/index.ts';
import { type GeneratedLayer, generateLayer, writeLayer } from '../harness/generate-layer.ts';

const ROWS = 1_000;

export interface Workspace extends Disposable {
  readonly dir: string;
  readonly semanticDir: string;
  readonly databasePath: string;
  readonly layer: GeneratedLayer;
  readonly model: SemanticModel;
  /** A grouped count over a table of a thousand rows. */
  readonly sql: string;
}

/** In a temporary folder, removed at the end of the block. */
export async function createWorkspace(entityCount: number, questionCount = 200): Promise<Workspace> {
  const dir = mkdtempSync(join(tmpdir(), 'atlas-bench-'));
  const semanticDir = join(dir, 'semantic');
  const databasePath = join(dir, 'company.db');
  mkdirSync(semanticDir);
  const layer = generateLayer(entityCount, questionCount);
  writeLayer(semanticDir, layer);
  const model = await loadSemanticLayer(semanticDir);
  const table = createDatabase(databasePath, model);
  return {
    dir,
    semanticDir,
    databasePath,
    layer,
    model,
    sql: `SELECT status, COUNT(*) AS orders FROM ${table} GROUP BY status ORDER BY orders DESC`,
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** Every table of the model, and rows in the first; returns that one's name. */
function createDatabase(path: string, { entities }: SemanticModel): string {
  const db = new Sqlite(path);
  const [first] = entities;
  if (first === undefined) throw new Error('The semantic layer has no entity.');
  db.transaction(() => {
    for (const { table, dimensions } of entities) {
      const columns = dimensions.map(({ name, type }) => `${name} ${type === 'number' ? 'NUMERIC' : 'TEXT'}`);
      db.exec(`CREATE TABLE ${table} (${columns.join(', ')})`);
    }
    const insert = db.prepare(`INSERT INTO ${first.table} (id, status) VALUES (?, ?)`);
    const statuses = ['open', 'closed', 'closed', 'pending'];
    for (let id = 1; id <= ROWS; id += 1) insert.run(id, statuses[id % statuses.length]);
  })();
  db.close();
  return first.table;
}
