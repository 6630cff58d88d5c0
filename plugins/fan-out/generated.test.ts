/** Generated statements over the demos: those with repeated rows are objected to, right ones and the evaluation's are not. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEMOS } from '../demo-data/index.ts';
import { loadSemanticLayer, readingOf, shownTables } from '../semantic-layer/index.ts';
import { kitDialects } from '../sql-kit/index.ts';
import { multiplyingPaths, rightStatements, type Statement, wrongStatements } from './fixtures/statements.ts';
import { fanOutObjections } from './objections.ts';

const dialects = [...(await kitDialects()).values()];

const PATHS_PER_LENGTH = 200;

beforeAll(async () => {
  for (const dialect of dialects) await dialect.load?.();
});

describe.each(['ecommerce', 'cybersec'] as const)('%s', async (name) => {
  const model = await loadSemanticLayer(DEMOS[name].layer);
  const tables = shownTables(model, 'default', true);
  const paths = multiplyingPaths(model, PATHS_PER_LENGTH);

  /** Those of the statements that are objected to, read in the dialects in turn. */
  async function objectedTo(statements: readonly Statement[]): Promise<Statement[]> {
    const found = statements.map(async (statement, index) => {
      const { sql } = statement;
      const reading = readingOf(sql, dialects[index % dialects.length]!, tables);
      expect(reading.select(), sql).toBeDefined();
      return (await fanOutObjections(reading)).length > 0 ? [statement] : [];
    });
    return (await Promise.all(found)).flat();
  }

  it('joins of every length are tried', () => {
    expect(Map.groupBy(paths, ({ length }) => length).size).toBe(3);
    expect(paths.length).toBeGreaterThan(400);
  });

  it('repeated rows are objected to', async () => {
    const wrong = wrongStatements(paths);
    const found = new Set(await objectedTo(wrong));
    expect(wrong.filter((statement) => !found.has(statement))).toEqual([]);
  });

  it('rows that are taken once are not objected to', async () => {
    expect(await objectedTo(rightStatements(paths))).toEqual([]);
  });
});

it.each([
  ['ecommerce', DEMOS.ecommerce.layer],
  ['cybersec', DEMOS.cybersec.layer],
  ['simple', DEMOS.simple.layer],
])('the expected statements of the evaluation %s are not objected to', async (name, layer) => {
  const { cases } = parse(readFileSync(`eval/cases/${name}.yml`, 'utf8')) as { cases: { sql?: string | string[] }[] };
  const model = await loadSemanticLayer(layer);
  const patterns = model.entities.flatMap(({ queryPatterns }) => queryPatterns.map(({ sql }) => sql));
  const statements = [...cases.flatMap(({ sql = [] }) => sql), ...patterns];
  expect(statements.length).toBeGreaterThan(30);
  const tables = shownTables(model, 'default', true);
  const sqlite = dialects.find((dialect) => dialect.name === 'sqlite')!;
  const objections = statements.map((sql) => fanOutObjections(readingOf(sql, sqlite, tables)));
  expect((await Promise.all(objections)).flat()).toEqual([]);
});
