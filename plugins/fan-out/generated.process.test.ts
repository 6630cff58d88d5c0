/** The generated statements are wrong and right on real rows. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMOS, loadDemo } from '../demo-data/index.ts';
import { loadSemanticLayer } from '../semantic-layer/index.ts';
import { multiplyingPaths, rightStatements, type Statement, wrongStatements } from './fixtures/statements.ts';

const PATHS_PER_LENGTH = 30;
/** In some tables no row has several others. */
const LEAST_WRONG_SHARE = 0.8;

describe.each(['ecommerce', 'cybersec'] as const)('%s', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-fan-out-'));
  let database: Database.Database;
  let paths: ReturnType<typeof multiplyingPaths>;
  beforeAll(async () => {
    await loadDemo(name, { url: `sqlite:${join(folder, 'demo.db')}` });
    database = new Database(join(folder, 'demo.db'), { readonly: true });
    paths = multiplyingPaths(await loadSemanticLayer(DEMOS[name].layer), PATHS_PER_LENGTH);
  });
  afterAll(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const first = (sql: string) => {
    const [value] = (database.prepare(sql).raw().get() as unknown[] | undefined) ?? [];
    return typeof value === 'number' ? Number(value.toPrecision(9)) : value;
  };
  const isRight = ({ sql, right }: Statement) => first(sql) === first(right);

  it('a statement that is objected to has another result than the right one', () => {
    const wrong = wrongStatements(paths);
    expect(wrong.filter((statement) => !isRight(statement)).length / wrong.length).toBeGreaterThan(LEAST_WRONG_SHARE);
  });

  it('a statement that is not objected to has the right result', () => {
    const same = rightStatements(paths).filter(({ form }) => !form.startsWith('distinct count'));
    expect(same.filter((statement) => !isRight(statement))).toEqual([]);
  });
});
