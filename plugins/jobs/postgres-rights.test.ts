import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { definePlugin } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { internalDb } from '../internal-db/index.ts';
import { jobs } from './index.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

async function sql(text: string): Promise<void> {
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query(text);
  await client.end();
}

const user = definePlugin({
  name: 'user',
  version: '1.0.0',
  type: 'core',
  description: 'Has jobs.',
  needs: { jobs },
  setup(_, __, needs) {
    needs.jobs.define('work', {}, () => {});
  },
});

it('names the schema that a user without rights needs, and uses one that was made for it', async () => {
  await sql("CREATE USER atlas PASSWORD 'atlas'; CREATE SCHEMA house AUTHORIZATION atlas");
  const url = `${server.url.replace('postgres:atlas@', 'atlas:atlas@')}?schema=house`;
  const start = () => createTestApp({ plugins: [internalDb({ url }), jobs(), user()] });
  await expect(start()).rejects.toThrow(
    'The user in DATABASE_URL may not create the schema "house_jobs" for jobs. Run CREATE SCHEMA "house_jobs" AUTHORIZATION',
  );
  await sql('CREATE SCHEMA house_jobs AUTHORIZATION atlas');
  await using app = await start();
  await app.get(jobs).add('work', {}, { startAt: new Date(Date.now() + 60_000) });
  const rows = await app.get(internalDb).run<unknown[]>((knex) => knex('house_jobs.job').select('name'));
  expect(rows).toEqual([{ name: 'work' }]);
});
