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

  /** In the dialects in turn. */
  function isObjectedTo({ sql }: Pick<Statement, 'sql'>, index: number): boolean {
    const reading = readingOf(sql, dialects[index % dialects.length]!, tables);
    expect(reading.select(), sql).toBeDefined();
    return fanOutObjections(reading).length > 0;
  }

  it('joins of every length are tried', () => {
    expect(Map.groupBy(paths, ({ length }) => length).size).toBe(3);
    expect(paths.length).toBeGreaterThan(400);
  });

  it('repeated rows are objected to', () => {
    const missed = wrongStatements(paths).filter((statement, index) => !isObjectedTo(statement, index));
    expect(missed).toEqual([]);
  });

  it('rows that are taken once are not objected to', () => {
    expect(rightStatements(paths).filter(isObjectedTo)).toEqual([]);
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
  expect(statements.filter((sql) => fanOutObjections(readingOf(sql, sqlite, tables)).length > 0)).toEqual([]);
});
