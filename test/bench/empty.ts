/**
 * Whether the time of an empty result tells a tenant that there is something which row security hides: an order status and
 * a period that only another tenant has, against ones that nobody has. And what the explanation costs.
 */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { agent } from '../../plugins/agent/index.ts';
import { datasourceSqlite } from '../../plugins/datasource-sqlite/index.ts';
import { emptyResults } from '../../plugins/empty-results/index.ts';
import { rowSecurity } from '../../plugins/row-security/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { semanticQuery } from '../../plugins/semantic-query/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { sqlLimits } from '../../plugins/sql-limits/index.ts';
import { createTestApp, type TestApp } from '../harness/create-test-app.ts';
import { layerFolder } from '../harness/layer-folder.ts';
import { type Bench, median, type Row } from './measure.ts';

const ROUNDS = 60;
const ROWS = 100_000;
const TARGET = 1.1;

const LAYER = {
  'entities/orders.yml': `
table: orders
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: status }
  - { name: amount, type: number }
  - { name: ordered_at, type: timestamp }
  - { name: tenant }
`,
};

/** A quarter of the rows is of each tenant; `t0` alone has refunds, and orders since 2030. */
const SCRIPT = `
  CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, amount INTEGER, ordered_at TEXT, tenant TEXT);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
  INSERT INTO orders SELECT i,
    CASE WHEN i % 4 = 0 THEN 'refunded' WHEN i % 3 = 0 THEN 'cancelled' ELSE 'completed' END, i % 1013,
    strftime('%Y-%m-%dT%H:%M:%S', CASE i % 4 WHEN 0 THEN 1893456000 ELSE 1704067200 END + i * 60, 'unixepoch'),
    't' || (i % 4) FROM n;`;

/** Statements with what they look for: hidden, or nowhere. */
const LOOKED_FOR: Readonly<Record<string, readonly [hidden: string, nowhere: string]>> = {
  'a status': ["status = 'refunded' AND amount > 5", "status = 'reclaims' AND amount > 5"],
  'a period': ["ordered_at >= '2030-01-01' AND amount > 5", "ordered_at >= '2040-01-01' AND amount > 5"],
};

const INDEXES: Readonly<Record<string, string>> = {
  'no index': '',
  'tenant indexed': 'CREATE INDEX by_tenant ON orders (tenant)',
  'tenant and column indexed':
    'CREATE INDEX by_status ON orders (tenant, status); CREATE INDEX by_time ON orders (tenant, ordered_at)',
};

async function opened(path: string, dir: string, isExplained: boolean): Promise<TestApp> {
  return createTestApp({
    plugins: [
      semanticLayer({ dir }),
      semanticQuery(),
      sqlLimits(),
      sqlGuard(),
      rowSecurity({ column: 'tenant', claim: 'tenant' }),
      datasourceSqlite({ connections: [{ id: 'shop', url: `sqlite:${path}` }] }),
      agent(),
      ...(isExplained ? [emptyResults()] : []),
    ],
  });
}

async function millisecondsOf(app: TestApp, condition: string): Promise<number> {
  const scope = app.scope();
  scope.identify({ id: 'u', label: null, role: 'analyst', mode: 'test', claims: { tenant: 't1' } }, null);
  const sql = `SELECT COUNT(*) AS n, SUM(amount) AS total FROM orders WHERE ${condition}`;
  const startedAt = performance.now();
  const { release } = await app.get(agent).runStatement({ sql, surface: 'bench' }, scope);
  const taken = performance.now() - startedAt;
  release();
  return taken;
}

/** Medians of the works, one after the other in each round. */
async function medians(...works: readonly (() => Promise<number>)[]): Promise<number[]> {
  const times = works.map((): number[] => []);
  for (let round = -5; round < ROUNDS; round += 1) {
    for (const [at, work] of works.entries()) {
      const taken = await work();
      if (round >= 0) times[at]?.push(taken);
    }
  }
  return times.map(median);
}

export const empty: Bench = async () => {
  using layer = layerFolder(LAYER);
  const rows: Row[] = [];
  for (const [index, script] of Object.entries(INDEXES)) {
    const path = join(layer.dir, `${rows.length}.db`);
    const database = new Database(path);
    database.exec(`${SCRIPT} ${script}; ANALYZE`);
    database.close();
    await using app = await opened(path, layer.dir, true);
    await using plain = await opened(path, layer.dir, false);
    for (const [what, [hidden, nowhere]] of Object.entries(LOOKED_FOR)) {
      const both = await medians(
        () => millisecondsOf(app, hidden),
        () => millisecondsOf(app, nowhere),
      );
      // Whichever takes longer, against the other.
      const [floor, value] = both.toSorted((one, other) => one - other) as [number, number];
      rows.push({ what: `${what}, hidden or nowhere, ${index}`, value, floor, unit: 'ms', target: TARGET });
    }
    for (const [what, condition, target] of [
      ['an empty result with its explanation', "status = 'reclaims' AND amount > 5", undefined],
      ['a result with rows', "status = 'completed' AND amount > 5", TARGET],
    ] as const) {
      const [value, floor] = await medians(
        () => millisecondsOf(app, condition),
        () => millisecondsOf(plain, condition),
      );
      rows.push({ what: `${what}, ${index}`, value: value!, floor: floor!, unit: 'ms', ...(target && { target }) });
    }
  }
  return rows;
};
