/** Checks the corpora: their layers are valid, and every expected statement runs and has one right answer. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CatalogFile, EntityFile, GlossaryFile, MetricsFile } from '../../plugins/semantic-layer/index.ts';
import { corpusNames, judge, readCorpus } from './question-corpus.ts';
import { comparisonOf, type Row, rowsDifference } from './same-rows.ts';

describe.each(corpusNames())('the questions about the %s', (name) => {
  const corpus = readCorpus(name);
  const folder = mkdtempSync(join(tmpdir(), 'atlas-corpus-'));
  let database: Database.Database;
  beforeAll(async () => {
    await corpus.createDatabase(join(folder, 'data.db'));
    database = new Database(join(folder, 'data.db'), { readonly: true });
  });
  afterAll(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const rowsOf = (sql: string) => database.prepare(sql).all() as Row[];

  const problemsOf = (problemOf: (sql: string) => string | undefined) =>
    corpus.questions.flatMap(({ question, sql }) =>
      sql.flatMap((statement) => {
        try {
          const problem = problemOf(statement);
          return problem === undefined ? [] : [`${question}: ${problem}`];
        } catch (error) {
          return [`${question}: ${error}`];
        }
      }),
    );

  it('are many, different and of every outcome', () => {
    expect(corpus.questions.length).toBeGreaterThanOrEqual(80);
    const seen = corpus.questions.map(({ question, history }) => JSON.stringify([question, history]));
    expect(seen.filter((key, index) => seen.indexOf(key) !== index)).toEqual([]);
    for (const outcome of ['rows', 'clarify', 'unclear'] as const)
      expect(corpus.questions.some(({ expect: outcomes }) => outcomes.length === 1 && outcomes[0] === outcome)).toBe(
        true,
      );
    for (const { question, expect: outcomes, sql } of corpus.questions)
      expect([question, sql.length > 0]).toEqual([question, outcomes.includes('rows')]);
  });

  it('have expected statements that run and answer something', () => {
    const problemOf = (sql: string) => {
      const rows = rowsOf(sql);
      if (rows.length === 0 || rows.length > 1_000) return `${rows.length} rows`;
      if (Object.values(rows[0] as Row).every((value) => value === null)) return 'nothing but null';
      return rowsDifference(rows, rows, comparisonOf(sql));
    };
    expect(problemsOf(problemOf)).toEqual([]);
  });

  it('have no tie that would leave the order or the cut open', () => {
    const problemOf = (sql: string) => {
      if (!comparisonOf(sql).ordered) return undefined;
      const key = /\bORDER BY (\w+)(?: DESC)?(?: LIMIT \d+)?$/.exec(sql)?.[1] as string;
      const limit = Number(/\bLIMIT (\d+)$/.exec(sql)?.[1] ?? Number.POSITIVE_INFINITY);
      const values = rowsOf(sql.replace(/ LIMIT \d+$/, '')).map((row) => row[key]);
      const head = values.slice(0, limit + 1);
      return head.includes(undefined) || new Set(head).size < head.length ? `tie: ${head.join(', ')}` : undefined;
    };
    expect(problemsOf(problemOf)).toEqual([]);
  });

  it('have a valid layer whose sample values are in the data', () => {
    const check = (schema: TSchema, file: string): unknown => {
      const value: unknown = parse(readFileSync(join(corpus.layer, file), 'utf8'));
      expect([...Value.Errors(schema, value)].map(({ path, message }) => `${file}${path}: ${message}`)).toEqual([]);
      return value;
    };
    check(CatalogFile, 'catalog.yml');
    check(GlossaryFile, 'glossary.yml');
    for (const file of readdirSync(join(corpus.layer, 'metrics'))) check(MetricsFile, `metrics/${file}`);
    const entities = readdirSync(join(corpus.layer, 'entities')).map(
      (file) => check(EntityFile, `entities/${file}`) as typeof EntityFile.static,
    );
    const names = entities.map((entity) => entity.name ?? entity.table);
    for (const { table, dimensions = [], joins = [], measures = [], segments = [] } of entities) {
      for (const dimension of dimensions) {
        const values = database
          .prepare(`SELECT DISTINCT ${dimension.sql ?? dimension.name} FROM ${table}`)
          .pluck()
          .all();
        expect(values, `${table}.${dimension.name}`).toEqual(expect.arrayContaining(dimension.sample_values ?? []));
      }
      for (const { sql, type } of measures)
        if (sql && type !== 'ratio' && !sql.includes('{')) rowsOf(`SELECT ${sql} FROM ${table} LIMIT 1`);
      for (const { sql } of segments) expect(rowsOf(`SELECT 1 FROM ${table} WHERE ${sql} LIMIT 1`)).toHaveLength(1);
      for (const { target } of joins) expect(names).toContain(target);
    }
  });
});

it('judges answers', () => {
  const question = { question: '?', history: [], expect: ['rows', 'unclear'] as const, sql: ['SELECT 1', 'SELECT 2'] };
  const run = (sql: string) => [{ n: Number(sql.at(-1)) }];
  const rows = (n: number) => ({ outcome: 'rows' as const, rows: [{ total: n }] });
  expect(judge(question, rows(1), run)).toBe('right');
  expect(judge(question, rows(2), run)).toBe('right');
  expect(judge(question, rows(3), run)).toBe('wrong');
  expect(judge(question, { outcome: 'unclear' }, run)).toBe('right');
  expect(judge(question, { outcome: 'clarify' }, run)).toBe('missed');
  expect(judge({ ...question, expect: ['clarify'], sql: [] }, rows(1), run)).toBe('wrong');
});
