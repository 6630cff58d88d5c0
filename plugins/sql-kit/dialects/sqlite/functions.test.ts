import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { sqliteFunctions, sqliteRefusedFunctions, sqliteSubstitutes, sqliteTableFunctions } from './functions.ts';

const INNOCUOUS = 0x200000;
/** Not marked by the engine: operators, constants, statistics, and the full-text functions over allowed tables. */
const UNMARKED = [
  'bm25',
  'highlight',
  'match',
  'median',
  'percentile',
  'percentile_cont',
  'percentile_disc',
  'snippet',
];
/** Functions that are spelt as operators and keywords: the parser has separate nodes for them. */
const SYNTAX = new Set(['->', '->>', 'current_date', 'current_time', 'current_timestamp']);

const engine = new Database(':memory:')
  .prepare<[], { name: string; flags: number }>(
    'SELECT name, max(flags) AS flags FROM pragma_function_list GROUP BY name',
  )
  .all()
  .filter(({ name }) => !SYNTAX.has(name));

test('every function of the engine is either allowed or refused', () => {
  const unknown = engine.filter(({ name }) => !sqliteFunctions.has(name) && !sqliteRefusedFunctions.has(name));
  expect(unknown).toEqual([]);
  expect([...sqliteFunctions].filter((name) => sqliteRefusedFunctions.has(name))).toEqual([]);
});

test('every allowed function exists', () => {
  const names = new Set(engine.map(({ name }) => name));
  expect([...sqliteFunctions].filter((name) => !names.has(name))).toEqual([]);
});

test('an allowed function is one that the engine calls innocuous, or named here', () => {
  const unmarked = engine.filter(({ name, flags }) => sqliteFunctions.has(name) && (flags & INNOCUOUS) === 0);
  expect(unmarked.map(({ name }) => name).sort()).toEqual(UNMARKED);
});

test('every table function exists and reads its arguments only', () => {
  const db = new Database(':memory:');
  for (const name of sqliteTableFunctions)
    expect(db.prepare(`SELECT value FROM ${name}('[7]') ORDER BY id DESC`).get()).toEqual({ value: 7 });
});

test('a hint never advises against an allowed function', () => {
  expect([...sqliteSubstitutes.keys()].filter((name) => sqliteFunctions.has(name))).toEqual([]);
});
