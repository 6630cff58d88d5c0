/** Starts the one PostgreSQL server of a test run, in which each test file makes its own databases. */
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ max_connections: '300' });
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
