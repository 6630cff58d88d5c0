/** The lists of functions and keywords against those of the engine. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  duckdbFunctions,
  duckdbRefusedFunctions,
  duckdbSubstitutes,
  duckdbSyntaxFunctions,
  duckdbTableFunctions,
  isDuckdbInternal,
} from './functions.ts';
import { duckdbKeywords } from './keywords.ts';

let db: DuckDBConnection;
beforeAll(async () => {
  db = await (await DuckDBInstance.create(':memory:')).connect();
});

async function run(sql: string) {
  return { rows: (await db.runAndReadAll(sql)).getRowsJson() };
}

const column = async (sql: string) => (await run(sql)).rows.map(([value]) => String(value));

describe('the lists', () => {
  test('have every function of the engine, allowed or refused', async () => {
    const { rows } = await run(
      "SELECT DISTINCT lower(function_name), schema_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro') AND regexp_matches(function_name, '^[A-Za-z_]')",
    );
    const unknown = rows.filter(([name, schema]) => {
      const isKnown = duckdbFunctions.has(String(name)) || duckdbRefusedFunctions.has(String(name));
      return !isKnown && !isDuckdbInternal(String(name), String(schema));
    });
    expect(unknown).toEqual([]);
    expect([...duckdbFunctions].filter((name) => duckdbRefusedFunctions.has(name))).toEqual([]);
  });

  test('allow only what exists', async () => {
    const names = new Set(await column('SELECT DISTINCT lower(function_name) FROM duckdb_functions()'));
    const invented = [...duckdbFunctions, ...duckdbTableFunctions].filter(
      (name) => !names.has(name) && !duckdbSyntaxFunctions.includes(name),
    );
    expect(invented.filter((name) => !/^(?:percentile_cont|percentile_disc)$/.test(name))).toEqual([]);
  });

  test('allow of the functions that change with each call only those that draw at random', async () => {
    const volatile = await column(
      "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE stability = 'VOLATILE' OR has_side_effects ORDER BY 1",
    );
    expect(volatile.filter((name) => duckdbFunctions.has(name))).toEqual([
      'gen_random_uuid',
      'random',
      'uuid',
      'uuidv4',
      'uuidv7',
    ]);
  });

  test('have every keyword of the engine', async () => {
    const keywords = await column('SELECT upper(keyword_name) FROM duckdb_keywords()');
    expect(keywords.filter((word) => !duckdbKeywords.has(word))).toEqual([]);
  });

  test('never advise against an allowed function', () => {
    expect([...duckdbSubstitutes.keys()].filter((name) => duckdbFunctions.has(name))).toEqual([]);
  });
});
