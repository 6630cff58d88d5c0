/** Proposals from a seeded audit log, on both engines of the internal database. */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../bin/main.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { engines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { loadSemanticLayer } from '../semantic-layer/index.ts';
import { type Asked, CUSTOMERS, FILES, ORDERS, seededProject, times } from './fixtures/seeded-log.ts';

const folder = emptyFolder();
const started: Record<string, TestEngine> = {};
beforeAll(async () => {
  for (const [name, start] of engines) started[name] = await start();
}, 60_000);
afterAll(async () => {
  for (const engine of Object.values(started)) await engine[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

let count = 0;
async function project(engine: string, asked: readonly Asked[], files?: Readonly<Record<string, string>>) {
  count += 1;
  const url = (await started[engine]?.fresh()) ?? '';
  return seededProject(join(folder.path, `project-${count}`), url, asked, files);
}

const JOINED = (index: number): Asked => ({
  sql: `SELECT c.city, SUM(o.total) AS turnover FROM orders o JOIN customers c ON o.customer_id = c.id WHERE o.status = 'secret-${index}' AND o.total > ${4_711 + index} GROUP BY c.city ORDER BY 2 DESC LIMIT ${index + 1}`,
});

describe.each(['sqlite', 'postgres'])('on %s', (engine) => {
  it('learns nothing from what the server asks by itself, which takes no place of what people ask', async () => {
    const sql = 'SELECT SUM(total) AS measured FROM orders';
    const asReader = ['explanation', 'freshness', 'reading'].flatMap((surface) =>
      times(4, () => ({ sql, user: 'ann', surface })),
    );
    const own = [...times(8, () => ({ sql, mode: 'system' })), ...asReader];
    const shop = await project(engine, [...times(4, JOINED), ...own]);
    const proposals = await shop.proposals('--limit', '4');
    expect(proposals.map(({ kind }) => kind).sort()).toEqual(['join', 'measure', 'pattern']);
    expect(JSON.stringify(proposals)).not.toContain('measured');
    expect(await (await project(engine, own)).proposals()).toEqual([]);
    expect(
      await (
        await project(
          engine,
          times(4, () => ({ sql, user: 'ann' })),
        )
      ).proposals(),
    ).toHaveLength(1);
  });

  it('proposes joins, measures and patterns as a diff that can be applied, and then nothing', async () => {
    const shop = await project(engine, times(4, JOINED));
    const { code, stdout, stderr } = await shop.run('learn');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^3 proposals; write them with --apply/);
    expect(stdout).toContain('--- a/semantic/entities/orders.yml\n+++ b/semantic/entities/orders.yml\n@@ ');
    expect(stdout).toContain('+    sql: total');
    expect(stdout).not.toMatch(/secret|4711|471\d/);
    expect(stdout.split('\n').filter((line) => /^-(?!--)/.test(line))).toEqual([]);
    expect(shop.read('entities/orders.yml')).toBe(ORDERS);

    const patched = join(shop.cwd, 'patched');
    cpSync(join(shop.cwd, 'semantic'), join(patched, 'semantic'), { recursive: true });
    execFileSync('git', ['apply'], { cwd: patched, input: stdout });

    const applied = await shop.run('learn', '--apply');
    expect(applied).toMatchObject({ code: 0, stdout: 'Changed semantic/entities/orders.yml.\n3 proposals applied.\n' });
    const after = shop.read('entities/orders.yml');
    expect(readFileSync(join(patched, 'semantic/entities/orders.yml'), 'utf8')).toBe(after);
    for (const line of ORDERS.split('\n')) expect(after.split('\n')).toContain(line);
    const model = await loadSemanticLayer(join(shop.cwd, 'semantic'));
    expect(model.problems).toEqual([]);
    expect(model.entity('orders')).toMatchObject({
      measures: [{ name: 'order_count' }, { name: 'turnover', type: 'sum', sql: 'total' }],
      joins: [{ target: 'customers', relationship: 'many_to_one', on: [{ from: 'customer_id', to: 'id' }] }],
      queryPatterns: [
        { description: 'Sum total of orders, customers by city', sql: expect.stringContaining('WHERE o.status = ?') },
      ],
    });
    const again = await shop.run('learn');
    expect(again).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('Nothing to propose') });
    expect(await shop.run('learn', '--apply')).toMatchObject({ code: 0, stdout: '' });
    expect(shop.read('entities/orders.yml')).toBe(after);
  }, 60_000);

  it('learns words from questions and from repaired statements', async () => {
    const asked = [
      ...times(3, (index) => ({
        question: `Takings by region in ${2020 + index}?`,
        sql: 'SELECT region, SUM(total) FROM orders GROUP BY region',
      })),
      ...[0, 1, 2].flatMap((index): Asked[] => [
        { sql: 'SELECT state FROM orders', error: 'failed: no such column: state', request: `repair-${index}` },
        { sql: 'SELECT status FROM orders', request: `repair-${index}` },
      ]),
      ...[0, 1, 2].flatMap((index): Asked[] => [
        { sql: 'SELECT city FROM clients', error: 'refused: unknown table', request: `table-${index}`, dbType: null },
        { sql: 'SELECT city FROM customers', request: `table-${index}` },
      ]),
    ];
    const shop = await project(engine, asked as Asked[]);
    const found = (await shop.proposals()).filter(({ kind }) => kind === 'synonym');
    expect(found.map(({ summary, seen }) => [summary, seen]).sort()).toEqual([
      ['"clients" for customers', 3],
      ['"state" for orders.status', 3],
      ['"takings" for orders.total', 3],
    ]);
    expect(await shop.run('learn', '--apply')).toMatchObject({ code: 0, stderr: '' });
    expect(shop.read('entities/orders.yml')).toContain(
      '  - name: status\n    sample_values: [paid, open]\n    synonyms: [state]\n',
    );
    expect(shop.read('entities/customers.yml')).toContain('synonyms: [clients]');
    expect(shop.read('entities/customers.yml')).toContain('- { name: city, synonyms: [town] }');
    expect(await shop.proposals()).toEqual([]);
  }, 60_000);
});

describe('nothing is proposed', () => {
  it.each<[string, readonly Asked[]]>([
    ['from statements that were asked twice', times(2, JOINED)],
    ['from statements that failed', times(5, (index) => ({ ...JOINED(index), error: 'failed: x' }))],
    [
      'from answers that were rated bad',
      times(5, (index) => ({ ...JOINED(index), question: 'Turnover by city?', rating: 'bad' })),
    ],
    ['from what the layer hides', times(5, () => ({ sql: 'SELECT region, MAX(card) FROM orders GROUP BY region' }))],
    [
      'from what the layer hides, in a window',
      times(5, () => ({
        sql: 'SELECT region, SUM(total) AS takings FROM orders GROUP BY region WINDOW w AS (ORDER BY card)',
      })),
    ],
    [
      'from what the layer masks',
      times(5, () => ({
        sql: 'SELECT o.region, COUNT(DISTINCT c.ssn) FROM orders o JOIN customers c ON o.customer_id = c.id GROUP BY 1',
      })),
    ],
    [
      'from aggregates of values',
      times(5, () => ({ sql: "SELECT SUM(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) FROM orders" })),
    ],
    ['from a list of rows', times(5, () => ({ sql: 'SELECT * FROM orders LIMIT 10' }))],
    ['from tables of no layer', times(5, () => ({ sql: 'SELECT a, SUM(b) FROM salaries GROUP BY a' }))],
    [
      'from statements that are cut off',
      times(5, () => ({ sql: 'SELECT region, SUM(total) FROM orders WHERE status IN (1, 2' })),
    ],
    ['from an engine that is not known', times(5, (index) => ({ ...JOINED(index), dbType: 'oracle' }))],
    [
      'from names in questions that are values',
      times(5, () => ({
        question: 'takings of berlin by region',
        sql: "SELECT region, SUM(total) AS t FROM orders WHERE status = 'Berlin' AND status = 'takings' GROUP BY region",
      })),
    ],
  ])('%s', async (_, asked) => {
    const found = await (await project('sqlite', asked)).proposals();
    expect(found.filter(({ kind }) => !_.includes('names in questions') || kind === 'synonym')).toEqual([]);
  });

  it('of joins and measures that the layer has, however they are written', async () => {
    const orders = `${ORDERS}  - { name: revenue, type: sum, sql: "{total}" }\n`;
    const customers = `${CUSTOMERS}joins:\n- target: orders\n  relationship: one_to_many\n  on: { from: id, to: customer_id }\n`;
    const asked = times(4, () => ({
      sql: 'SELECT c.city, sum( "o"."TOTAL" ) FROM customers AS c INNER JOIN orders AS o ON (c.id = o.customer_id) GROUP BY c.city',
    }));
    const files = { 'entities/orders.yml': orders, 'entities/customers.yml': customers };
    const found = await (await project('sqlite', asked, files)).proposals();
    expect(found.map(({ kind }) => kind)).toEqual(['pattern']);
  });

  it('from an organization with a layer of its own', async () => {
    const files = { ...FILES, '.orgs/acme/entities/orders.yml': 'table: orders\n' };
    const asked = times(4, (index) => ({ ...JOINED(index), orgId: 'acme' }));
    expect(await (await project('sqlite', asked, files)).proposals()).toEqual([]);
  });
});

describe('columns that the layer does not declare', () => {
  it('are joined and aggregated like others', async () => {
    const files = {
      'entities/orders.yml': 'table: orders\n',
      'entities/customers.yml': 'table: customers\ndimensions: [{ name: id, primary_key: true }]\n',
    };
    const asked = times(3, () => ({
      sql: 'SELECT SUM(o.total * 2) , avg(o.weight) FROM orders o JOIN customers c ON c.id = o.customer_id',
    }));
    const found = await (await project('sqlite', asked, files)).proposals();
    expect(found.map(({ kind, value }) => [kind, value]).slice(0, 2)).toEqual([
      ['join', { target: 'customers', relationship: 'many_to_one', on: [{ from: 'customer_id', to: 'id' }] }],
      ['measure', { name: 'average_weight', type: 'avg', sql: 'weight' }],
    ]);
  });
});

describe('options', () => {
  it('say which statements are read, and for which source', async () => {
    const files = {
      ...FILES,
      'warehouse/entities/stock.yml': 'table: stock\ndimensions: [{ name: items, type: number }]\n',
    };
    const asked = [
      ...times(3, (index) => ({ ...JOINED(index), at: '2025-01-01T00:00:00Z' })),
      ...times(3, () => ({ sql: 'SELECT region, AVG(total) FROM orders GROUP BY region', at: '2026-02-01T00:00:00Z' })),
    ];
    const shop = await project('sqlite', asked, files);
    const kinds = async (...flags: string[]) =>
      (await shop.proposals(...flags)).map(({ kind, summary }) => `${kind} ${summary}`).sort();
    const newest = ['measure orders.average_total: avg of total', 'pattern Average total of orders by region'];
    expect(await kinds()).toHaveLength(5);
    expect(await kinds('--since', '2026-01-01')).toEqual(newest);
    expect(await kinds('--limit', '3')).toEqual(newest);
    expect(await kinds('--source', 'warehouse')).toEqual([]);
    expect(await kinds('--source', 'default', '--limit', '3')).toEqual(newest);
    const listed = await shop.run('learn', '--suggestions', '--limit', '3');
    expect(listed.stdout).toMatch(/measure.*orders\.average_total: avg of total.*3.*entities\/orders\.yml/);
  });

  it.each<[string[], RegExp]>([
    [['--limit', '0'], /^--limit is invalid: expected an integer from 1 to 100000\./],
    [['--limit', 'x'], /^--limit is invalid/],
    [['--since', 'yesterday'], /^--since is invalid: expected a date, such as 2026-01-31\./],
    [['--since', '2026-02-31'], /^--since is invalid/],
    [['--source', 'warehose'], /^There is no source "warehose"/],
  ])('%j are refused', async (flags, says) => {
    const refused = await (await project('sqlite', [])).run('learn', ...flags);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(says) });
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('need a database with an audit log', async () => {
    const shop = await project('sqlite', []);
    const run = async (env: Record<string, string>) => {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      const printed = text(stderr);
      const code = await main(['learn'], { env, cwd: shop.cwd, stdout, stderr, signal: new AbortController().signal });
      stderr.end();
      return [code, await printed];
    };
    expect(await run({})).toEqual([
      1,
      expect.stringMatching(/^There is no audit log to learn from: DATABASE_URL is not set\./),
    ]);
    expect(await run({ DATABASE_URL: 'sqlite:nowhere.db' })).toEqual([
      1,
      expect.stringMatching(/has no audit log yet/),
    ]);
  });
});
