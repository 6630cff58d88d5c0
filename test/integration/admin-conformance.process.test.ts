/**
 * Calls every row of the specification's admin tables in every mode of authentication, on both engines: shapes, bounds,
 * defaults, wrong bodies, statuses and error codes. The rows are written by hand, from the specification.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../kernel/index.ts';
import {
  checkMissing,
  checkOfPlatform,
  checkRefused,
  checkRefusedWithoutOrganization,
  checkServed,
  fits,
} from '../fixtures/admin/row-check.ts';
import { ROWS, type Row } from '../fixtures/admin/rows.ts';
import {
  type AdminServer,
  addMember,
  foundOrganization,
  MODES,
  type Mode,
  startAdminServer,
} from '../harness/admin-server.ts';
import { engines, type TestEngine } from '../harness/internal-databases.ts';

const nameOf = ({ method, path }: Pick<Row, 'method' | 'path'>) => `${method} ${path}`;

/** Lists whose order is part of what they say; the first is the authentication library's. */
const OF_FIXED_ORDER = new Set([
  '/api/auth/organization/list-members',
  '/api/v1/admin/roles',
  '/api/v1/admin/prompts',
  '/api/v1/prompts',
  '/api/v1/conversations/:id',
]);

/** The table of orders. */
const DOCUMENTED = readFileSync(join(import.meta.dirname, '../../docs/administration.md'), 'utf8').split('\n');

/** Who calls as an administrator, and who is refused with which status. */
const CALLERS: Readonly<
  Record<Mode, { administrators: readonly string[]; refused: readonly (readonly [string, number])[] }>
> = {
  none: { administrators: ['anonymous'], refused: [] },
  'api-key': {
    administrators: ['admin'],
    refused: [
      ['anonymous', 401],
      ['viewer', 403],
      ['analyst', 403],
    ],
  },
  managed: {
    administrators: ['boss', 'owner'],
    refused: [
      ['anonymous', 401],
      ['analyst', 403],
      ['viewer', 403],
    ],
  },
};

async function start(mode: Mode, engine: TestEngine): Promise<AdminServer> {
  const server = await startAdminServer({ mode, database: await engine.fresh() });
  if (mode !== 'managed') return server;
  await server.signUp('boss');
  await foundOrganization(server, 'owner', 'acme');
  await addMember(server, 'owner', 'analyst');
  const viewer = await addMember(server, 'owner', 'viewer');
  await server.send('owner', 'PATCH', `/api/v1/admin/users/${viewer}/role`, { body: { role: 'viewer' } });
  // As they are from now on.
  for (const name of ['owner', 'analyst', 'viewer']) await server.signIn(name);
  return server;
}

describe.each(engines)('on %s', (_, startEngine) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startEngine();
  }, 60_000);
  afterAll(() => engine?.[Symbol.asyncDispose]());

  describe.each(MODES)('in the mode %s', (mode) => {
    let server: AdminServer;
    beforeAll(async () => {
      server = await start(mode, engine);
    }, 120_000);
    afterAll(() => server?.[Symbol.asyncDispose]());

    const { administrators, refused } = CALLERS[mode];

    it('every row is served', () => {
      const routes = server.routes();
      const isServed = (row: Row) => routes.some(({ method, path }) => method === row.method && fits(path, row.path));
      expect(ROWS.filter((row) => !isServed(row)).map(nameOf)).toEqual([]);
    });

    it('every body of the admin API is closed, and every list has bounds', () => {
      const routes = server.routes().filter(({ path }) => /^\/api\/v1\/(admin|platform)\//.test(path));
      const open = routes.filter(({ body }) => body?.type === 'object' && body.additionalProperties !== false);
      expect(open.map(nameOf)).toEqual([]);
      for (const { path, query } of routes) {
        const { limit, offset } = (query?.properties ?? {}) as Readonly<Record<string, object>>;
        if (limit === undefined) continue;
        const least = { limit: { minimum: 1, maximum: expect.any(Number), default: expect.any(Number) } };
        expect({ path, limit, offset }).toMatchObject({ path, ...least, offset: { minimum: 0, default: 0 } });
      }
    });

    it('every list sorts by what it declares, in both directions, and refuses anything else', async () => {
      const isList = ({ path, query }: Route) => query?.properties?.offset !== undefined || path === '/api/v1/actions';
      const lists = server.routes().filter(isList);
      const fixed = lists.filter(({ query }) => query?.properties.sort === undefined).map(({ path }) => path);
      expect(fixed.filter((path) => !OF_FIXED_ORDER.has(path))).toEqual([]);
      for (const { path, query } of lists) {
        if (query?.properties.sort === undefined) continue;
        const url = path.replace(':id', 'analyst');
        const caller = administrators.at(path.startsWith('/api/v1/platform/') ? 0 : -1) ?? '';
        const names: string[] = query.properties.sort.anyOf.map((item: { const: string }) => item.const);
        const fields = names.filter((name) => !name.startsWith('-'));
        const row = DOCUMENTED.find((line) => line.includes(`\`${path}\``)) ?? '';
        expect(row).toContain(
          `| ${fields.map((name) => `\`${name}\``).join(', ')} | \`${query.properties.sort.default}\` |`,
        );
        const refused = await server.send(caller, 'GET', `${url}?sort=nothing`);
        if (refused.body.error === 'not_available') continue;
        expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
        for (const name of names) expect(refused.text).toContain(JSON.stringify(JSON.stringify(name)).slice(1, -1));
        const read = async (sort: string) => {
          const { status, body } = await server.send(caller, 'GET', `${url}?limit=100${sort}`);
          expect({ path, sort, status }).toEqual({ path, sort, status: 200 });
          return Object.values<Record<string, string | number | null>[]>(body).find(Array.isArray) ?? [];
        };
        const usual = await read('');
        expect([path, await read(`&sort=${query.properties.sort.default}`)]).toEqual([path, usual]);
        for (const name of fields) {
          const ascending = await read(`&sort=${name}`);
          const descending = await read(`&sort=-${name}`);
          const values = ascending.map((item) => item[name] ?? null);
          // Rows without a value come last both times.
          if (values.includes(null)) continue;
          const ordered = values.toSorted((a, b) => (a === b ? 0 : (a ?? 0) < (b ?? 0) ? -1 : 1));
          expect([path, values, descending.reverse()]).toEqual([path, ordered, ascending]);
        }
      }
    });

    describe.each(ROWS.map((row) => [nameOf(row), row] as const))('%s', (_name, row) => {
      it.each(administrators)('called by %s', async (caller) => {
        const isThere = mode === 'managed' || (row.need !== 'managed' && row.need !== 'organization');
        if (!isThere) return expect(await checkMissing(server, caller, row)).toEqual([]);
        const check =
          row.need === 'organization' && caller === 'boss'
            ? checkRefusedWithoutOrganization
            : row.isOfPlatform && caller === 'owner'
              ? checkOfPlatform
              : checkServed;
        expect(await check(server, caller, row)).toEqual([]);
      });

      if (refused.length === 0) return;
      it('refused to others', async () => {
        const callers = row.everyUser ? refused.filter(([, status]) => status === 401) : refused;
        for (const [caller, status] of callers) expect(await checkRefused(server, caller, status, row)).toEqual([]);
      });
    });
  });
});

describe('without an internal database', () => {
  let server: AdminServer;
  beforeAll(async () => {
    server = await startAdminServer({ mode: 'none' });
  }, 60_000);
  afterAll(() => server?.[Symbol.asyncDispose]());

  it.each(ROWS.map((row) => [nameOf(row), row] as const))('%s', async (_name, row) => {
    const wrong =
      row.need === 'nothing'
        ? await checkServed(server, 'anonymous', row)
        : await checkMissing(server, 'anonymous', row);
    expect(wrong).toEqual([]);
  });
});
