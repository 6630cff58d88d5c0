/** Loads the embedded ClickHouse of the package `chdb` into this process, for statements that need no server around it. */
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChdb, INSTALL_CHDB } from './clickhouse.ts';
import { suiteNeeding } from './require.ts';

/** A database of the process; there is one at a time. */
export interface ChdbSession {
  /** Runs one statement, and gives its rows as a text in the format. Throws with the engine's message. */
  query(sql: string, format?: string): { toString(): string };
  cleanup(): void;
}

/** Describes tests that need chdb. */
export const describeChdb = suiteNeeding('clickhouse', findChdb() !== undefined, INSTALL_CHDB);

/** A new, empty database. */
export function openChdb(): ChdbSession {
  const { Session } = createRequire(join(findChdb()!, 'node_modules', 'chdb', 'package.json'))('chdb') as {
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
