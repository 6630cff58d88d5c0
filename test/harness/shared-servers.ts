/**
 * Prepares a test run: temporary files are in memory where it has room, since a commit on a disk takes milliseconds, and
 * there is one PostgreSQL server, in which each test file makes its own databases. A
 * test that needs a server of its own starts a copy of the files of a new one.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { memoryFolder } from './memory-folder.ts';
import { makePostgresTemplate, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

const ENOUGH_BYTES = 4 * 2 ** 30;

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(memoryFolder(ENOUGH_BYTES) ?? tmpdir(), 'atlas-tests-'));
  // Database servers run as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  await makePostgresTemplate(mkdtempSync(join(folder, 'postgres-template-')));
  const server = await startPostgres({ max_connections: '300' });
  // What its first connection keeps of the catalog is copied with the files of each database.
  const client = new pg.Client(server.url.replace(/postgres$/, 'template1'));
  await client.connect();
  await client.end();
  project.provide('postgresUrl', server.url);
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
