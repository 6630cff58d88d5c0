import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { datasourceContract } from '../../test/contract/datasource.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { CONTRACT_SQL, THINGS, WORKING } from './fixtures/contract-sql.ts';
import { datasourcePostgres } from './index.ts';

let server: PostgresServer;
let admin: pg.Client;

beforeAll(async () => {
  server = await startPostgres();
  admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(THINGS);
}, 120_000);
afterAll(async () => {
  await admin.end();
  await server.stop();
});

datasourceContract('postgres', () => ({
  handsRowsOn: true,
  connectionId: 'shop',
  dbType: 'postgres',
  plugin: ({ broken, maxConcurrent, queueLimit }) =>
    datasourcePostgres({
      connections: [
        {
          id: 'shop',
          url: broken ? server.url.replace(/:\d+\/postgres$/, ':1/postgres') : server.url,
          maxConnections: maxConcurrent,
          queueLimit,
        },
      ],
    }),
  tables: ['public.things'],
  sql: CONTRACT_SQL,
  described: { table: 'things', columns: ['id', 'name'], primaryKey: ['id'] },
  isWorking: async () => {
    const { rowCount } = await admin.query(WORKING);
    return rowCount !== 0;
  },
  secrets: ['atlas@', ':atlas', '127.0.0.1:1'],
}));

pluginContract('datasource-postgres', () => datasourcePostgres({ connections: [{ id: 'shop', url: server.url }] }));
