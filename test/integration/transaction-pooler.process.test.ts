/** Two servers behind a pooler that gives each transaction another connection do what they do without it. */
import { expect, it } from 'vitest';
import { fill } from '../fixtures/admin/organization-data.ts';
import { foundOrganization, startAdminServer, succeeded } from '../harness/admin-server.ts';
import { findPgBouncer, INSTALL_PGBOUNCER, startPgBouncer } from '../harness/pgbouncer.ts';
import { startPostgres } from '../harness/postgres.ts';
import { suiteNeeding } from '../harness/require.ts';

const program = findPgBouncer();

suiteNeeding(
  'pgbouncer',
  program !== undefined,
  INSTALL_PGBOUNCER,
)('behind PgBouncer', () => {
  it('starts, migrates, stores data of every kind, and runs its jobs once', { timeout: 120_000 }, async () => {
    await using postgres = await startPostgres();
    await using pooler = await startPgBouncer(program ?? '', postgres.url);
    const start = () =>
      startAdminServer({ mode: 'managed', database: pooler.url, env: { SVC_PUBLIC_URL: 'http://localhost' } });
    await using first = await start();
    await using second = await start();
    await first.signUp('boss');
    await fill(first, 'north', await foundOrganization(first, 'north', 'north'), 'north');
    await second.signIn('north');
    const read = async (url: string) => (await succeeded(second.send('north', 'GET', url))).body;
    expect((await read('/api/v1/conversations')).total).toBe(2);
    // Sign-ups and sign-ins are counted in the database.
    expect((await read('/api/health')).components.limits).toMatchObject({ status: 'healthy', store: 'postgres' });
    const [task] = (await read('/api/v1/scheduled-tasks')).tasks;
    const path = `/api/v1/scheduled-tasks/${task.id}`;
    await succeeded(second.send('north', 'POST', `${path}/run`));
    await expect
      .poll(async () => (await read(path)).recentRuns, { timeout: 60_000 })
      .toMatchObject([{ status: expect.stringMatching(/success|failed/), completedAt: expect.any(String) }]);
  });
});
