/** The contract of datasources, and the commands `init` and `diff`, for each flavor, see `engines.process.test.ts`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { datasourceContract } from '../../test/contract/datasource.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { atlasHere } from '../../test/harness/command-here.ts';
import { type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { CONTRACT_SQL, THINGS, WORKING } from './fixtures/contract-sql.ts';
import { ENGINES, type EngineDatabase, startEngine } from './fixtures/engines.ts';
import { datasourcePostgres } from './index.ts';

const names = Object.keys(ENGINES);
const engines = new Map<string, EngineDatabase>();
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  for (const name of names) engines.set(name, await startEngine(server, name, THINGS));
}, 120_000);
afterAll(async () => {
  for (const engine of engines.values()) await engine[Symbol.asyncDispose]();
  await server.stop();
});
const at = (name: string) => engines.get(name)!;

for (const name of names) {
  datasourceContract(`postgres as ${name}`, () => ({
    connectionId: 'shop',
    dbType: name,
    plugin: ({ broken, maxConcurrent, queueLimit }) => {
      const { url } = at(name).relay;
      return datasourcePostgres({
        connections: [
          {
            id: 'shop',
            url: broken ? url.replace(/:\d+\//, ':1/') : url,
            flavor: name,
            maxConnections: maxConcurrent,
            queueLimit,
          },
        ],
      });
    },
    tables: ['public.things'],
    handsRowsOn: true,
    sql: CONTRACT_SQL,
    described: { table: 'things', columns: ['id', 'name'], primaryKey: name === 'materialize' ? [] : ['id'] },
    isWorking: async () => (await at(name).admin.query(WORKING)).rowCount !== 0,
    secrets: ['atlas@', ':atlas', '127.0.0.1:1/'],
  }));
}

describe.each(names)('%s', (name) => {
  it('is initialised and compared by `init` and `diff`', async () => {
    using folder = emptyFolder();
    const env = { SVC_DATASOURCE_URL: `${at(name).relay.url}?flavor=${name}` };
    const first = await atlasHere(['init'], { cwd: folder.path, env });
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Read 1 table') });
    expect(readFileSync(join(folder.path, 'semantic/entities/things.yml'), 'utf8')).toContain('table: things');
    expect(await atlasHere(['diff'], { cwd: folder.path, env })).toMatchObject({ code: 0 });
    await at(name).admin.query('ALTER TABLE things ADD COLUMN added int');
    const changed = await atlasHere(['diff'], { cwd: folder.path, env });
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining('added')]);
  });
});
