/** The rows of the cybersec demo agree with each other, and its semantic layer tells the truth about them. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSemanticLayer, type SemanticModel } from '../semantic-layer/index.ts';
import { compileQuery } from '../semantic-query/index.ts';
import { kitDialect } from '../sql-kit/index.ts';
import { DEMOS } from './index.ts';
import { createDemoFile } from './sqlite-writer.ts';
import { primaryKeyOf } from './table.ts';

const sqlite = await kitDialect('sqlite');

const { cybersec } = DEMOS;

const folder = mkdtempSync(join(tmpdir(), 'atlas-cybersec-'));
createDemoFile(cybersec, join(folder, 'soc.db'));
const database = new Database(join(folder, 'soc.db'), { readonly: true });
const model: SemanticModel = await loadSemanticLayer(cybersec.layer);
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const all = (sql: string) => database.prepare(sql).all() as Record<string, unknown>[];
const one = (sql: string) => database.prepare(sql).pluck().get() as number;
const share = (table: string, condition: string) => one(`SELECT AVG(${condition}) FROM ${table}`);

describe('the rows', () => {
  it('fill 62 tables and are the same on every machine', () => {
    expect(cybersec.tables).toHaveLength(62);
    const hash = createHash('sha256');
    let count = 0;
    const byTable = cybersec.rows();
    for (const { name } of cybersec.tables) {
      const rows = byTable[name]!;
      expect(rows.length, name).toBeGreaterThan(3);
      count += rows.length;
      hash.update(JSON.stringify(rows));
    }
    expect(count).toBeGreaterThan(50_000);
    expect(count).toBeLessThan(65_000);
    // Changes only together with the rows: then the layer and the answers of the evaluation change too.
    expect(hash.digest('hex').slice(0, 16)).toMatchInlineSnapshot(`"2584a131f751de13"`);
  });

  it('keep every declared key', () => {
    expect(database.pragma('foreign_key_check')).toEqual([]);
    const keys = cybersec.tables.flatMap(({ columns }) =>
      Object.values(columns).filter(({ references }) => references),
    );
    expect(keys.length).toBeGreaterThan(100);
  });

  it('of a device, an account or a user belong to the same customer', () => {
    for (const [table, column, parent] of [
      ['assets', 'owner_user_id', 'users'],
      ['users', 'site_id', 'sites'],
      ['identities', 'user_id', 'users'],
      ['findings', 'asset_id', 'assets'],
      ['findings', 'scan_id', 'scans'],
      ['alerts', 'asset_id', 'assets'],
      ['detections', 'asset_id', 'assets'],
      ['detections', 'alert_id', 'alerts'],
      ['agents', 'asset_id', 'assets'],
      ['auth_events', 'identity_id', 'identities'],
      ['tickets', 'requester_id', 'users'],
      ['invoices', 'subscription_id', 'subscriptions'],
      ['cloud_misconfigurations', 'resource_id', 'cloud_resources'],
    ]) {
      const strangers = `SELECT COUNT(*) FROM ${table} a JOIN ${parent} b ON b.id = a.${column}
        WHERE a.organization_id <> b.organization_id`;
      expect(one(strangers), `${table}.${column}`).toBe(0);
      expect(one(`SELECT COUNT(${column}) FROM ${table}`)).toBeGreaterThan(50);
    }
  });

  it('go forward in time', () => {
    for (const [table, earlier, later] of [
      ['alerts', 'occurred_at', 'detected_at'],
      ['alerts', 'detected_at', 'created_at'],
      ['alerts', 'created_at', 'acknowledged_at'],
      ['alerts', 'acknowledged_at', 'closed_at'],
      ['detections', 'occurred_at', 'detected_at'],
      ['detections', 'detected_at', 'created_at'],
      ['incidents', 'detected_at', 'declared_at'],
      ['incidents', 'contained_at', 'resolved_at'],
      ['findings', 'detected_at', 'fixed_at'],
      ['tickets', 'opened_at', 'first_response_at'],
      ['tickets', 'first_response_at', 'solved_at'],
      ['network_events', 'occurred_at', 'received_at'],
      ['phishing_results', 'sent_at', 'opened_at'],
      ['phishing_results', 'opened_at', 'clicked_at'],
      ['users', 'created_at', 'deleted_at'],
      ['assets', 'first_seen_at', 'deleted_at'],
      ['invoices', 'issued_on', 'paid_on'],
      ['contracts', 'starts_on', 'ends_on'],
    ])
      expect(one(`SELECT COUNT(*) FROM ${table} WHERE ${later} < ${earlier}`), `${table}: ${later}`).toBe(0);
    for (const [table, column] of [
      ['alerts', 'occurred_at'],
      ['alerts', 'closed_at'],
      ['incidents', 'resolved_at'],
      ['findings', 'fixed_at'],
      ['tickets', 'solved_at'],
      ['network_events', 'occurred_at'],
      ['invoices', 'paid_on'],
    ])
      expect(one(`SELECT COUNT(*) FROM ${table} WHERE ${column} >= '2026-11-01'`), `${table}.${column}`).toBe(0);
  });

  it('have the status that their times tell', () => {
    for (const [table, status, condition] of [
      ['alerts', "status = 'closed'", 'closed_at IS NOT NULL'],
      ['alerts', "status = 'new'", 'analyst_id IS NULL'],
      ['findings', "status = 'fixed'", 'fixed_at IS NOT NULL'],
      ['incidents', "status IN ('closed', 'resolved')", 'resolved_at IS NOT NULL'],
      ['tickets', "status IN ('closed', 'solved')", 'solved_at IS NOT NULL'],
      ['invoices', "status = 'paid'", 'paid_on IS NOT NULL'],
      ['users', "status = 'deleted'", 'deleted_at IS NOT NULL'],
      ['risks', "status = 'closed'", 'closed_on IS NOT NULL'],
      ['risks', 'risk_score = likelihood * impact', '1'],
    ])
      expect(one(`SELECT COUNT(*) FROM ${table} WHERE (${status}) <> (${condition})`), `${table}: ${status}`).toBe(0);
  });

  it('are skewed, incomplete and late as real data are', () => {
    const perAsset = all('SELECT COUNT(*) AS n FROM findings GROUP BY asset_id ORDER BY n DESC').map(({ n }) =>
      Number(n),
    );
    const noisiest = perAsset.slice(0, 140).reduce((sum, n) => sum + n, 0);
    expect(noisiest / one('SELECT COUNT(*) FROM findings')).toBeGreaterThan(0.35);
    const half = (order: string) => one(`SELECT COUNT(*) FROM alerts WHERE occurred_at ${order} '2026-02-01'`);
    expect(half('>=')).toBeGreaterThan(half('<'));
    expect(share('detections', "strftime('%s', detected_at) - strftime('%s', occurred_at) > 3600")).toBeGreaterThan(
      0.02,
    );
    expect(share('findings', 'julianday(created_at) - julianday(detected_at) > 1')).toBeGreaterThan(0.02);
    expect(share('cmdb_assets', 'lower(device_name) IN (SELECT hostname FROM assets)')).toBeGreaterThan(0.5);
    expect(share('legacy_users', 'lower(mail) IN (SELECT email FROM users)')).toBeGreaterThan(0.5);
    for (const [table, column] of [
      ['alerts', 'asset_id'],
      ['findings', 'scan_id'],
      ['assets', 'risk_score'],
      ['assets', 'deleted_at'],
      ['incidents', 'cost_estimate'],
      ['tickets', 'satisfaction'],
      ['data_stores', 'classification_id'],
    ]) {
      expect(share(table!, `${column} IS NULL`), `${table}.${column}`).toBeGreaterThan(0.02);
      expect(share(table!, `${column} IS NULL`), `${table}.${column}`).toBeLessThan(0.98);
    }
  });

  it('name addresses that are reserved for documentation', () => {
    const reserved = /^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/;
    for (const [table, column] of [
      ['assets', 'ip_address'],
      ['network_events', 'source_ip'],
      ['network_events', 'destination_ip'],
      ['auth_events', 'source_ip'],
    ])
      for (const row of all(`SELECT DISTINCT ${column} AS address FROM ${table}`))
        expect(row.address).toMatch(reserved);
    for (const domain of database
      .prepare('SELECT domain FROM dns_queries UNION SELECT domain FROM organizations')
      .pluck()
      .all())
      expect(domain).toMatch(/\.example\.(com|net|org)$/);
  });
});

describe('the semantic layer', () => {
  it('describes every table and column, without a problem', () => {
    expect(model.problems).toEqual([]);
    expect(model.entities.map((one) => one.table).sort()).toEqual(cybersec.tables.map(({ name }) => name).sort());
    for (const table of cybersec.tables) {
      const { name, columns } = table;
      const entity = model.entities.find((one) => one.table === name)!;
      const plain = entity.dimensions.filter((dimension) => dimension.sql === dimension.name);
      expect(plain.map((dimension) => dimension.name)).toEqual(Object.keys(columns));
      expect(entity.dimensions.filter(({ primary_key }) => primary_key).map((one) => one.name)).toEqual(
        primaryKeyOf(table),
      );
      expect(entity.grain && entity.description && entity.measures.length, name).toBeTruthy();
    }
    expect(
      model.catalog?.entities?.filter((entry) => entry.use_for?.length && entry.common_questions?.length),
    ).toHaveLength(62);
    expect(model.glossary.filter(({ status }) => status === 'ambiguous').length).toBeGreaterThanOrEqual(8);
  });

  it('tells the truth about values', () => {
    for (const { table, dimensions } of model.entities)
      for (const {
        sql: name,
        description,
        sample_values: samples,
        unique_count: unique,
        null_count = 0,
      } of dimensions) {
        expect(description, `${table}.${name}`).toBeTruthy();
        expect(one(`SELECT COUNT(*) FROM ${table} WHERE ${name} IS NULL`), `${table}.${name}`).toBe(null_count);
        const values = database
          .prepare(`SELECT DISTINCT ${name} FROM ${table} WHERE ${name} IS NOT NULL`)
          .pluck()
          .all();
        expect(values, `${table}.${name}`).toEqual(expect.arrayContaining(samples ?? []));
        if (unique !== undefined) expect(values.length, `${table}.${name}`).toBe(unique);
      }
  });

  it('has measures, metrics, segments and terms that run and tell rows apart', () => {
    const scalar = (plan: Parameters<typeof compileQuery>[1]) =>
      one(compileQuery(model, plan, { dialect: sqlite }).sql);
    for (const entity of model.entities)
      for (const measure of entity.measures)
        expect(
          scalar({ measures: [`${entity.name}.${measure.name}`] }),
          `${entity.name}.${measure.name}`,
        ).toBeGreaterThan(0);
    for (const { id } of model.metrics) expect(scalar({ measures: [id] }), id).toBeGreaterThan(0);
    const conditions = [
      ...model.entities.flatMap(({ table, segments }) => segments.map(({ sql }) => [table, sql] as const)),
      ...model.glossary.flatMap(({ entity, sql }) =>
        entity && sql ? [[model.entity(entity)!.table, sql] as const] : [],
      ),
    ];
    expect(conditions.length).toBeGreaterThan(60);
    for (const [table, sql] of conditions) {
      const count = one(`SELECT COUNT(*) FROM ${table} WHERE ${sql}`);
      expect(count, `${table}: ${sql}`).toBeGreaterThan(0);
      expect(count, `${table}: ${sql}`).toBeLessThan(one(`SELECT COUNT(*) FROM ${table}`));
    }
    for (const { queryPatterns } of model.entities)
      for (const { sql } of queryPatterns) expect(all(sql).length).toBeGreaterThan(0);
  });
});
