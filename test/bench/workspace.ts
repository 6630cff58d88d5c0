/** What Atlas is started with in a benchmark: a generated semantic layer and a SQLite database of its tables. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  const db = new Sqlite(databasePath);
  db.transaction(() => db.exec(tablesOf(model)))();
  db.close();
  return {
    dir,
    semanticDir,
    databasePath,
    layer,
    model,
    sql: `SELECT status, COUNT(*) AS orders FROM ${model.entities[0]?.table} GROUP BY status ORDER BY orders DESC`,
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** SQL of any engine that makes every table of the model, with rows in the first. */
export function tablesOf({ entities }: SemanticModel): string {
  const tables = entities.map(({ table, dimensions }) => {
    const columns = dimensions.map(({ name, type }) => `${name} ${type === 'number' ? 'NUMERIC' : 'TEXT'}`);
    return `CREATE TABLE ${table} (${columns.join(', ')});`;
  });
  const statuses = ['open', 'closed', 'closed', 'pending'];
  const rows = Array.from({ length: ROWS }, (_, index) => `(${index + 1}, '${statuses[index % statuses.length]}')`);
  return `${tables.join('\n')}\nINSERT INTO ${entities[0]?.table} (id, status) VALUES ${rows.join(', ')};`;
}

/** Has servers of the workspace leave out the plugin that the variable `BENCH_WITHOUT` names. */
export function writeLeavingOut({ dir }: Pick<Workspace, 'dir'>): void {
  const config = `
import { defineConfig } from 'atlas-query';
import { readEnv, selfHosted } from 'atlas-query/presets/self-hosted';
export default defineConfig({
  plugins: selfHosted(readEnv(process.env).env).filter(({ definition }) => definition.name !== process.env.BENCH_WITHOUT),
});
`;
  writeFileSync(join(dir, 'atlas.config.ts'), config);
}
