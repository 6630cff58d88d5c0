/** Tests `atlas validate` and `atlas doctor` on real databases: what they find, and their exit codes. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere as atlas } from '../../../test/harness/command-here.ts';
import { type PostgresServer, startPostgres } from '../../../test/harness/postgres.ts';
import { createSimpleDemo } from '../../demo-data/index.ts';

const folder = emptyFolder();
const write = (name: string, text: string) => writeFileSync(join(folder.path, 'semantic', name), text);
let postgres: PostgresServer;
beforeAll(async () => {
  mkdirSync(join(folder.path, 'semantic/entities'), { recursive: true });
  await createSimpleDemo(join(folder.path, 'shop.db'));
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres.stop();
  folder[Symbol.dispose]();
});
beforeEach(() => write('entities/orders.yml', 'table: orders\ndimensions:\n  - { name: id, type: number }\n'));

const SHOP = { SVC_DATASOURCE_URL: 'sqlite:shop.db' };
/** Nothing listens there. */
const AWAY = 'postgres://atlas:a-secret@127.0.0.1:9/atlas';

async function run(command: string, env: Readonly<Record<string, string>>, ...flags: string[]) {
  const { code, stdout, stderr } = await atlas([command, ...flags, '--json'], { cwd: folder.path, env });
  expect([stderr, `${stdout}`.includes('a-secret')]).toEqual(['', false]);
  const { status, checks } = JSON.parse(stdout) as { status: string; checks: { status: string; message?: string }[] };
  return { code, status, faults: checks.filter((item) => item.status !== 'ok') };
}

describe('atlas validate', () => {
  it('ends with 0 when all is well, and says what it looked at', async () => {
    const { code, stdout, stderr } = await atlas(['validate'], { cwd: folder.path, env: SHOP });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ok +configuration\n[\s\S]*^ok +semanticLayer\n[\s\S]*^ok +datasource "default"$/m);
  });

  it.each([
    ['a database that is away', { SVC_DATASOURCE_URL: AWAY }, 'datasource', /Connection failed/],
    ['no database', {}, 'datasource', /There is no database to ask/],
    ['an internal database that is away', { ...SHOP, DATABASE_URL: AWAY }, 'internalDb', /not available/],
    ['a malformed variable', { ...SHOP, PORT: 'web' }, 'configuration', /^PORT is invalid/],
  ])('ends with 1 for %s', async (_, env: Record<string, string>, check, message) => {
    const { code, status, faults } = await run('validate', env);
    expect([code, status]).toEqual([1, 'error']);
    expect(faults).toContainEqual(
      expect.objectContaining({ check, status: 'error', message: expect.stringMatching(message) }),
    );
  });

  it('says that no model server listens, and does not ask one offline', async () => {
    const model = { SVC_PROVIDER: 'openai-compatible', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', SVC_MODEL: 'm' };
    const { code, faults } = await run('validate', { ...SHOP, ...model });
    expect([code, faults]).toEqual([
      1,
      [
        expect.objectContaining({
          check: 'provider',
          message: expect.stringMatching(/cannot be reached \(ECONNREFUSED\)/),
        }),
      ],
    ]);
    expect((await run('validate', { ...SHOP, ...model }, '--offline')).code).toBe(0);
    // A server that has no list of models is there.
    const there = createServer((_, response) => response.writeHead(404).end('<html>'));
    await new Promise<void>((resolve) => there.listen(0, '127.0.0.1', resolve));
    const { port } = there.address() as AddressInfo;
    const found = await run('validate', { ...SHOP, ...model, OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` });
    there.closeAllConnections();
    there.close();
    expect([found.code, found.faults]).toEqual([0, []]);
  });

  it('takes an internal SQLite file that the first start creates, and creates nothing', async () => {
    const env = { ...SHOP, DATABASE_URL: 'sqlite:.atlas/new/internal.db' };
    const { code, stdout } = await atlas(['validate'], { cwd: folder.path, env });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^ok +internalDb: The file does not exist yet; the first start creates it\.$/m),
    ]);
    expect(existsSync(join(folder.path, '.atlas'))).toBe(false);
    const under = await run('validate', { ...SHOP, DATABASE_URL: 'sqlite:shop.db/internal.db' });
    expect([under.code, under.faults]).toEqual([1, [expect.objectContaining({ check: 'internalDb' })]]);
  });

  it('names file, line and column of what does not parse, also without a connection', async () => {
    write('entities/orders.yml', 'table: orders\ndimensions: [\n');
    for (const flags of [[], ['--offline']]) {
      const { code, faults } = await run('validate', SHOP, ...flags);
      expect([code, faults.map(({ message }) => message)]).toEqual([
        1,
        [expect.stringMatching(/^entities\/orders\.yml:\d+:\d+: /)],
      ]);
    }
    expect((await run('validate', { SVC_DATASOURCE_URL: AWAY }, '--offline')).faults).toHaveLength(1);
  });

  it('ends with 2 for what can be lived with', async () => {
    const unknown = await run('validate', { ...SHOP, SVC_ROWLIMIT: '5' });
    expect([unknown.code, unknown.faults]).toEqual([
      2,
      [expect.objectContaining({ message: expect.stringContaining('SVC_ROWLIMIT') })],
    ]);
    write('entities/ghosts.yml', 'table: ghosts\n');
    const lacking = await run('validate', SHOP);
    write('entities/ghosts.yml', 'table: orders\nname: ghosts\n');
    expect([lacking.code, JSON.stringify(lacking.faults)]).toEqual([2, expect.stringContaining('ghosts')]);
  });

  it('warns of a login that may write', async () => {
    const { code, faults } = await run('validate', { SVC_DATASOURCE_URL: postgres.url });
    const told = faults.filter(({ status }) => status === 'warning').map(({ message }) => message);
    expect([code, told.join()]).toEqual([1, expect.stringContaining('is a superuser')]);
  });
});

it('atlas doctor reports the internal database without failing', async () => {
  const { code, faults } = await run('doctor', { ...SHOP, DATABASE_URL: AWAY });
  expect([code, faults]).toEqual([2, [expect.objectContaining({ check: 'internalDb', status: 'warning' })]]);
  expect((await run('doctor', { SVC_DATASOURCE_URL: AWAY })).code).toBe(1);
});
