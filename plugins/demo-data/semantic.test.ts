/** The demo's semantic layer has the documented shape and tells the truth about the demo's data. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CatalogFile, type Dimension, EntityFile, GlossaryFile, MetricsFile } from '../semantic-layer/index.ts';
import { createSimpleDemo } from './index.ts';

const layer = join(import.meta.dirname, '..', '..', 'semantic');
const folder = mkdtempSync(join(tmpdir(), 'atlas-demo-layer-'));
createSimpleDemo(join(folder, 'simple.db'));
const database = new Database(join(folder, 'simple.db'), { readonly: true });
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

function read<T extends TSchema>(schema: T, file: string): Static<T> {
  const value: unknown = parse(readFileSync(join(layer, file), 'utf8'));
  expect([...Value.Errors(schema, value)].map(({ path, message }) => `${file}${path}: ${message}`)).toEqual([]);
  return value as Static<T>;
}

const scalar = (sql: string) => database.prepare(sql).pluck().get();
const entities = readdirSync(join(layer, 'entities')).map((file) => read(EntityFile, `entities/${file}`));
const entityOf = (name: string | undefined) => entities.find((entity) => (entity.name ?? entity.table) === name);
const columnOf = (dimension: Dimension) => dimension.sql ?? dimension.name;
const expand = (sql: string, dimensions: readonly Dimension[]) =>
  sql.replace(/\{(\w+)\}/g, (_, name) => `(${columnOf(dimensions.find((dimension) => dimension.name === name)!)})`);

describe.each(entities.map((entity) => [entity.table, entity] as const))('entity %s', (table, entity) => {
  const dimensions = entity.dimensions ?? [];

  it('covers every column and nothing else', () => {
    const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all();
    const plain = dimensions.filter((dimension) => dimension.sql === undefined).map((dimension) => dimension.name);
    expect(plain.sort()).toEqual((columns as string[]).sort());
  });

  it.each(dimensions.map((dimension) => [dimension.name, dimension] as const))(
    'tells the truth about %s',
    (_, dimension) => {
      const column = columnOf(dimension);
      const values = database
        .prepare(`SELECT DISTINCT ${column} FROM ${table} WHERE ${column} IS NOT NULL`)
        .pluck()
        .all();
      expect(values).toEqual(expect.arrayContaining(dimension.sample_values ?? []));
      if (dimension.unique_count !== undefined) expect(dimension.unique_count).toBe(values.length);
      const nulls = scalar(`SELECT COUNT(*) FROM ${table} WHERE ${column} IS NULL`);
      if (dimension.null_count !== undefined || (nulls !== 0 && dimension.sql === undefined))
        expect(dimension.null_count).toBe(nulls);
      expect(dimension.description).toBeTruthy();
    },
  );

  it('has measures, segments, patterns and joins that run', () => {
    for (const { type, sql } of entity.measures ?? []) {
      const inner = expand(sql ?? '*', dimensions);
      const aggregate =
        type === 'ratio'
          ? inner
          : type === 'count_distinct'
            ? `COUNT(DISTINCT ${inner})`
            : `${type.toUpperCase()}(${inner})`;
      expect(scalar(`SELECT ${aggregate} FROM ${table}`)).toBeGreaterThan(0);
    }
    for (const { sql } of entity.segments ?? []) {
      const count = scalar(`SELECT COUNT(*) FROM ${table} WHERE ${sql}`);
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThan(scalar(`SELECT COUNT(*) FROM ${table}`) as number);
    }
    for (const { sql } of entity.query_patterns ?? []) expect(database.prepare(sql).all().length).toBeGreaterThan(0);
    for (const { target, on } of entity.joins ?? []) {
      const { from, to } = Array.isArray(on) ? on[0]! : on;
      const other = entityOf(target)?.table;
      const orphans = `SELECT COUNT(*) FROM ${table} a JOIN ${other} b ON a.${from} = b.${to}`;
      expect(scalar(orphans)).toBeGreaterThan(0);
    }
  });
});

it('the catalog lists every entity with its file', () => {
  const catalog = read(CatalogFile, 'catalog.yml');
  expect(catalog.entities?.map((entry) => entry.name).sort()).toEqual(entities.map((entity) => entity.table).sort());
  for (const { name, file } of catalog.entities ?? []) expect(read(EntityFile, file!).table).toBe(name);
});

it('metrics stand on measures that exist, or on expressions that run', () => {
  const file = read(MetricsFile, 'metrics/shop.yml');
  const metrics = 'metrics' in file ? file.metrics : [file];
  expect(metrics.length).toBeGreaterThan(4);
  for (const metric of metrics) {
    const entity = entityOf(metric.entity);
    if (metric.sql) expect(scalar(`SELECT ${metric.sql} FROM ${entity?.table}`)).toBeGreaterThan(0);
    else expect(entity?.measures?.map((measure) => measure.name)).toContain(metric.measure);
    for (const dimension of metric.dimensions ?? []) {
      const [owner, name] = dimension.split('.');
      expect(entityOf(owner)?.dimensions?.map((it) => it.name)).toContain(name);
    }
  }
});

it('the glossary has one ambiguous term, whose meanings exist, and conditions that hold for some rows', () => {
  const { terms } = read(GlossaryFile, 'glossary.yml');
  const ambiguous = terms.filter((term) => term.status === 'ambiguous');
  expect(ambiguous.map((term) => term.term)).toEqual(['sales']);
  for (const meaning of ambiguous[0]?.meanings ?? []) {
    if (typeof meaning === 'string') throw new Error(`${meaning} names no measure`);
    expect(entityOf(meaning.entity)?.measures?.map((measure) => measure.name)).toContain(meaning.measure);
  }
  for (const { sql, entity } of terms) {
    if (sql) expect(scalar(`SELECT COUNT(*) FROM ${entityOf(entity)?.table} WHERE ${sql}`)).toBeGreaterThan(0);
  }
});
