import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { emptyFolder } from '../../test/harness/command.ts';
import { openSqlite } from './sqlite.ts';
import { SqliteConnection } from './sqlite-connection.ts';

it('a file that has been deleted is noticed without a thread', async () => {
  using folder = emptyFolder();
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const engine = await openSqlite(join(folder.path, 'gone.db'), {
    poolSize: 1,
    acquireTimeoutMs: 20_000,
    statementTimeoutMs: 20_000,
    busyTimeoutMs: 100,
    silenceMs: 20_000,
    migrationWaitMs: 20_000,
    log: quiet,
    now: Date.now,
  });
  const open = vi.spyOn(SqliteConnection, 'open');
  try {
    expect(await engine.answers()).toBe(true);
    await expect(engine.knex.raw('SELECT 1')).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' });
    expect(open).not.toHaveBeenCalled();
    await engine.migrating(() => engine.knex.raw('SELECT 1'));
    expect(open).toHaveBeenCalledOnce();
  } finally {
    open.mockRestore();
    await engine.close();
  }
});
