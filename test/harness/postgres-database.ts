import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** Makes an empty database on the run's server, and gives its URL. Whoever creates roles starts a server instead. */
export async function createPostgresDatabase(): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = inject('postgresUrl');
  const client = new pg.Client(url);
  await client.connect();
  try {
    // Four times as fast as through the log, with files as small as these.
    await client.query(`CREATE DATABASE ${name} STRATEGY FILE_COPY`);
  } finally {
    await client.end();
  }
  return url.replace(/postgres$/, name);
}
