/** Checks that rows count as they are read, and that no more of them are read than there is memory for. */
import { expect, it } from 'vitest';
import { datasourceExecute, definePlugin, type SqlResult } from '../../kernel/index.ts';
import { type ResultMemory, resultMemory } from '../../plugins/datasource-kit/index.ts';
import { datasourceMysql } from '../../plugins/datasource-mysql/index.ts';
import { datasourcePostgres } from '../../plugins/datasource-postgres/index.ts';
import { datasourceSqlite } from '../../plugins/datasource-sqlite/index.ts';
import { createTestApp, type TestApp } from '../harness/create-test-app.ts';
import { findMariaDb, INSTALL_MARIADB, startMariaDb } from '../harness/mariadb.ts';
import { startPostgres } from '../harness/postgres.ts';
import { suiteNeeding } from '../harness/require.ts';
import { SqliteFolder } from '../harness/sqlite.ts';

const KIB = 1024;
const ROOM_BYTES = 600 * KIB;
const ROWS = 200;
const LIMITS = { maxRows: 1_000, maxBytes: 8_192 * KIB, maxCellBytes: 64 * KIB, timeoutMs: 60_000 };
/** Each row has 8 KiB of text. */
const sqlOf = (text: string, rows = ROWS) =>
  `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${rows}) SELECT n, ${text} AS t FROM c`;

class Room implements ResultMemory {
  heldBytes = 0;
  mostHeldBytes = 0;
  timesExceeded = 0;

  get roomBytes(): number {
    return ROOM_BYTES - this.heldBytes;
  }

  hold(bytes: number): void {
    this.heldBytes += bytes;
    this.mostHeldBytes = Math.max(this.mostHeldBytes, this.heldBytes);
  }

  exceeded(): void {
    this.timesExceeded += 1;
  }
}

const sharing = (room: Room) =>
  definePlugin({
    name: 'test-room',
    version: '1.0.0',
    type: 'policy',
    description: 'Gives all statements one room.',
    setup(ctx) {
      ctx.tap(resultMemory, () => room);
    },
  })();

async function run(app: TestApp, dbType: string, sql: string): Promise<SqlResult> {
  const statement = {
    connection: { id: 'shop', dbType, maskedUrl: '' },
    requested: sql,
    sql,
    params: [],
    surface: 'test',
    tables: [],
    limits: LIMITS,
  };
  return app.callKey(datasourceExecute, 'shop', statement, app.scope());
}

async function expectBounded(app: TestApp, room: Room, dbType: string, text: string): Promise<void> {
  const first = await run(app, dbType, sqlOf(text));
  expect(first.truncated).toBe(true);
  expect(first.rows.length).toBeGreaterThan(60);
  expect(first.rows.length).toBeLessThan(ROOM_BYTES / 8 / KIB);
  expect(first.notes).toEqual([
    `Only the first ${first.rows.length} rows are given; there is no memory for more at the moment.`,
  ]);
  expect(room.timesExceeded).toBe(1);
  // A database process counts by messages of 256 KiB; what comes with its reply is of the reader.
  expect(room.heldBytes).toBeGreaterThan(ROOM_BYTES / 3);
  // The next one gets what is left.
  room.heldBytes = ROOM_BYTES - 20 * KIB;
  expect((await run(app, dbType, sqlOf(text))).rows).toHaveLength(2);
  expect(room.timesExceeded).toBe(2);
  expect((await run(app, dbType, sqlOf(`'short'`, 1))).truncated).toBe(false);
  expect(room.mostHeldBytes).toBeLessThanOrEqual(ROOM_BYTES);
}

it('SQLite, in database processes', async () => {
  using folder = new SqliteFolder();
  const url = `sqlite:${folder.create('shop.db', 'CREATE TABLE things (id INTEGER)')}`;
  const room = new Room();
  const connections = [{ id: 'shop', url }];
  await using app = await createTestApp({ plugins: [datasourceSqlite({ connections }), sharing(room)] });
  await expectBounded(app, room, 'sqlite', "printf('%8192s', '')");
});

it('PostgreSQL, in this process', async () => {
  await using server = await startPostgres();
  const room = new Room();
  const connections = [{ id: 'shop', url: server.url }];
  await using app = await createTestApp({ plugins: [datasourcePostgres({ connections }), sharing(room)] });
  await expectBounded(app, room, 'postgres', "repeat('x', 8192)");
}, 120_000);

suiteNeeding(
  'mysql',
  findMariaDb() !== undefined,
  INSTALL_MARIADB,
)('MySQL', () => {
  it('in this process', async () => {
    const server = await startMariaDb({});
    try {
      const room = new Room();
      const connections = [{ id: 'shop', url: server.url }];
      await using app = await createTestApp({ plugins: [datasourceMysql({ connections }), sharing(room)] });
      await expectBounded(app, room, 'mysql', "repeat('x', 8192)");
    } finally {
      await server.stop();
    }
  }, 120_000);
});
