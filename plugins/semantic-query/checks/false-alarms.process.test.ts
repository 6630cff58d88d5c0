/** Right statements: the checks object to none of the evaluation's, of the layers' patterns, and of compiled plans. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { DEMOS } from '../../demo-data/index.ts';
import { loadSemanticLayer, readingOf, type SemanticModel, shownTables } from '../../semantic-layer/index.ts';
import { kitDialects, type SqlDialect } from '../../sql-kit/index.ts';
import { compileQuery } from '../compile.ts';
import { PlanError } from '../errors.ts';
import { plans } from '../fixtures/random-plans.ts';
import { shop } from '../fixtures/shop.ts';
import type { QueryPlan } from '../plan.ts';
import { comparisonTypeObjections } from './comparison-types.ts';
import { defaultConditionObjections } from './default-conditions.ts';
import { joinTypeObjections } from './join-types.ts';

const dialects = [...(await kitDialects()).values()];
const sqlite = dialects.find(({ name }) => name === 'sqlite')!;

const RANDOM_PLANS = 400;

beforeAll(async () => {
  for (const dialect of dialects) await dialect.load?.();
});

/** In each dialect, what the checks say of a statement that is made for it. */
function told(model: SemanticModel, sqlFor: (dialect: SqlDialect) => string | undefined): string[] {
  return dialects.flatMap((dialect) => {
    const sql = sqlFor(dialect);
    if (sql === undefined) return [];
    const reading = readingOf(sql, dialect, shownTables(model, 'default', true));
    expect(reading.select(), sql).toBeDefined();
    const objections = [comparisonTypeObjections, joinTypeObjections, defaultConditionObjections].flatMap((check) =>
      check(reading),
    );
    return objections.map(({ message }) => `${message} ${sql}`);
  });
}

function compiled(model: SemanticModel, plan: QueryPlan, dialect: SqlDialect): string | undefined {
  try {
    return compileQuery(model, plan, { dialect }).sql;
  } catch (error) {
    if (error instanceof PlanError) return undefined;
    throw error;
  }
}

describe.each(['ecommerce', 'cybersec', 'simple'] as const)('%s', async (name) => {
  const model = await loadSemanticLayer(DEMOS[name].layer);

  it('no expected statement of the evaluation, and no pattern', () => {
    const { cases } = parse(readFileSync(`eval/cases/${name}.yml`, 'utf8')) as { cases: { sql?: string | string[] }[] };
    const patterns = model.entities.flatMap(({ queryPatterns }) => queryPatterns.map(({ sql }) => sql));
    const statements = [...cases.flatMap(({ sql = [] }) => sql), ...patterns];
    expect(statements.length).toBeGreaterThan(30);
    expect(
      statements.flatMap((sql) => told(model, (dialect) => (dialect.name === 'sqlite' ? sql : undefined))),
    ).toEqual([]);
  });

  it('no plan of a measure, segment or dimension', () => {
    const planned = model.entities.flatMap(({ name: entity, measures, segments, dimensions }): QueryPlan[] => [
      ...measures.map((one) => ({ measures: [`${entity}.${one.name}`] })),
      ...segments.map((one) => ({ measures: [`${entity}.count`], segments: [`${entity}.${one.name}`] })),
      ...dimensions
        .filter(({ hidden }) => hidden !== true)
        .map((one) => ({ measures: [`${entity}.count`], dimensions: [{ dimension: `${entity}.${one.name}` }] })),
    ]);
    expect(planned.length).toBeGreaterThan(15);
    expect(planned.flatMap((plan) => told(model, (dialect) => compiled(model, plan, dialect)))).toEqual([]);
  });
});

test('no random plan', () => {
  const random = fc.sample(plans, { numRuns: RANDOM_PLANS, seed: 1 });
  const statements = random.map((plan) => compiled(shop, plan, sqlite)).filter((sql) => sql !== undefined);
  expect(statements.length).toBeGreaterThan(RANDOM_PLANS / 2);
  expect(random.flatMap((plan) => told(shop, (dialect) => compiled(shop, plan, dialect)))).toEqual([]);
});
