/**
 * Loads chdb, ClickHouse as a library of this process. It takes 550 MB, so it is no dependency: the folder in which it is
 * installed, by `npm install --prefix folder chdb@3.4.0`, is given as ATLAS_CHDB.
 */
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suiteNeeding } from './require.ts';

/** A database of the process; there is one at a time. */
export interface ChdbSession {
  /** Runs one statement, and gives its rows as a text in the format. Throws with the engine's message. */
  query(sql: string, format?: string): { toString(): string };
  cleanup(): void;
}

const folder = process.env.ATLAS_CHDB ?? '';
const install = 'Run `npm install --prefix folder chdb@3.4.0`, and give the folder as ATLAS_CHDB.';

/** Describes tests that need chdb. */
export const describeChdb = suiteNeeding('clickhouse', folder !== '', install);

/** A new, empty database. */
export function openChdb(): ChdbSession {
  const { Session } = createRequire(join(folder, 'package.json'))('chdb') as {
    Session: new (path: string) => ChdbSession;
  };
  return new Session(mkdtempSync(join(tmpdir(), 'atlas-chdb-')));
}

/** The rows of a statement, as JSON has them, and the names of its columns. */
export function rowsOf(session: ChdbSession, sql: string): { columns: string[]; rows: unknown[][] } {
  const lines = String(session.query(sql, 'JSONCompactEachRowWithNames')).trim().split('\n');
  const [columns = [], ...rows] = lines.filter(Boolean).map((line) => JSON.parse(line) as unknown[]);
  return { columns: columns as string[], rows };
}
