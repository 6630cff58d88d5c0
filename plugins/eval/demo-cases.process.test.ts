/** The cases about the demos have right answers that mean something, and the offline model answers none of them wrong. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { atlasHere as atlas } from '../../test/harness/command-here.ts';
import { DEMOS, type DemoName, loadDemo } from '../demo-data/index.ts';
import { type EvalCase, readCases } from './cases.ts';

const ROOT = join(import.meta.dirname, '../..');
const all = readCases(ROOT);
const schemas = [...new Set(all.map(({ schema }) => schema))] as DemoName[];

it.each([
  ['simple', 25],
  ['cybersec', 40],
  ['ecommerce', 60],
])('%s has at least %i different questions, of every difficulty', (name, least) => {
  const cases = all.filter(({ schema }) => schema === name);
  expect(new Set(cases.map(({ question }) => question)).size).toBe(cases.length);
  expect(cases.length).toBeGreaterThanOrEqual(least);
  expect(new Set(cases.map(({ difficulty }) => difficulty))).toEqual(new Set(['simple', 'medium', 'complex']));
  expect(cases.some(({ clarify }) => clarify)).toBe(true);
});

/** What is wrong with the result: a wrong statement would often give the same. */
function fault(rows: readonly Record<string, unknown>[], { id }: EvalCase): string[] {
  const [first] = rows;
  if (first === undefined) return [`${id}: no row`];
  const values = rows.flatMap((row) => Object.values(row));
  if (values.every((value) => value === null || value === 0)) return [`${id}: nothing but zero`];
  return rows.length > 200 ? [`${id}: ${rows.length} rows`] : [];
}

describe.each(schemas)('the cases about %s', (name) => {
  const cases = all.filter(({ schema }) => schema === name);

  it('expect results that are not empty', async () => {
    expect(Object.keys(DEMOS)).toContain(name);
    const folder = mkdtempSync(join(tmpdir(), 'atlas-cases-'));
    try {
      await loadDemo(name, { url: `sqlite:${join(folder, 'demo.db')}` });
      using database = closing(new Database(join(folder, 'demo.db'), { readonly: true }));
      const rowsOf = (sql: string) => database.value.prepare(sql).all() as Record<string, unknown>[];
      expect(cases.flatMap((item) => item.sql.flatMap((sql) => fault(rowsOf(sql), item)))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('expect statements that pass the guard, and are answered right or not at all', async () => {
    const { code, stdout } = await atlas(['eval', '--schema', name, '--json'], { cwd: ROOT });
    const results = JSON.parse(stdout) as { cases: { id: string; status: string; reason: string | null }[] };
    expect(code).toBe(0);
    expect(results.cases).toHaveLength(cases.length);
    expect(results.cases.filter(({ status }) => status === 'failed' || status === 'error')).toEqual([]);
    const passed = results.cases.filter(({ status }) => status === 'passed').length;
    expect(passed / cases.length).toBeGreaterThan(0.6);
  }, 120_000);
});

const closing = (value: Database.Database) => ({ value, [Symbol.dispose]: () => void value.close() });
