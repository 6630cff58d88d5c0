/** Tests the flags of `atlas init`, and what a second run does to a layer that people work on. */
import { appendFileSync, existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { emptyFolder, atlas as startedAtlas } from '../../../test/harness/command.ts';
import { atlasHere as atlas } from '../../../test/harness/command-here.ts';

let folder: ReturnType<typeof emptyFolder>;
beforeEach(() => {
  folder = emptyFolder();
  change(`CREATE TABLE customers (id INTEGER PRIMARY KEY, city TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), total REAL);
    INSERT INTO customers VALUES (1, 'Kiel'), (2, 'Ulm');
    INSERT INTO orders VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5)`);
});
afterEach(() => folder[Symbol.dispose]());

function change(sql: string): void {
  const db = new Sqlite(join(folder.path, 'shop.db'));
  db.exec(sql);
  db.close();
}

const path = (name: string) => join(folder.path, 'semantic', name);
const read = (name: string) => readFileSync(path(name), 'utf8');
const edit = (name: string, change: (text: string) => string) => writeFileSync(path(name), change(read(name)));
const init = (...args: string[]) =>
  atlas(['init', ...args], { cwd: folder.path, env: { SVC_DATASOURCE_URL: 'sqlite:shop.db' } });
const snapshot = () => Object.fromEntries(globSync('**/*.yml', { cwd: path('') }).map((name) => [name, read(name)]));
const names = (list: { name: string }[]) => list.map(({ name }) => name);

async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await init(...args);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

describe('a second run', () => {
  it('leaves a file without names as it is', async () => {
    await done();
    edit('entities/orders.yml', (text) => text.replace('  - name: total', '  - title: total'));
    expect(await done()).not.toContain('undefined');
  });

  it('adds what is new to changed files, reports what is gone, and then changes nothing more', async () => {
    await done();
    edit('entities/orders.yml', (text) =>
      text.replace('  - name: total', '  # before tax\n  - name: total\n    description: Net total.'),
    );
    appendFileSync(path('entities/customers.yml'), 'description: Ours.\n');
    change('ALTER TABLE orders ADD COLUMN paid_on DATE; ALTER TABLE customers DROP COLUMN city');
    const told = await done();
    expect(told).toContain('Added to files that were there: entities/orders.yml: dimensions/paid_on');
    expect(told).toContain('Gone from the database, but still in the layer: entities/customers.yml: the column city.');
    expect(read('entities/orders.yml')).toMatch(/# before tax\n {2}- name: total\n {4}description: Net total\.\n/);
    expect(parse(read('entities/customers.yml'))).toMatchObject({ description: 'Ours.' });
    const before = snapshot();
    expect(await done()).toContain('; 0 files written,');
    expect(snapshot()).toEqual(before);
  });

  it('does not bring back what was deleted, unless it is asked for by name', async () => {
    await done();
    rmSync(path('entities/customers.yml'));
    edit('entities/orders.yml', (text) => text.replace(/ {2}- name: total\n(?: {4}.*\n)*/, ''));
    const told = await done();
    expect(told).toContain('Not written again, because they were deleted: entities/customers.yml.');
    expect(existsSync(path('entities/customers.yml'))).toBe(false);
    expect(names(parse(read('entities/orders.yml')).dimensions)).toEqual(['id', 'customer_id']);
    await done('--tables', 'customers');
    expect(parse(read('entities/customers.yml')).table).toBe('customers');
    expect(names(parse(read('catalog.yml')).entities)).toEqual(['customers', 'orders']);
  });

  it('finds renamed files and entities', async () => {
    await done();
    renameSync(path('entities/customers.yml'), path('entities/buyers.yml'));
    edit('entities/buyers.yml', (text) => text.replace('table: customers', 'table: customers\nname: buyers'));
    rmSync(path('entities/orders.yml'));
    rmSync(path('catalog.yml'));
    await done();
    expect(globSync('entities/*', { cwd: path('') }).sort()).toEqual(['entities/buyers.yml', 'entities/orders.yml']);
    expect(parse(read('entities/orders.yml')).joins).toMatchObject([{ target: 'buyers' }]);
    expect(parse(read('catalog.yml')).entities).toMatchObject([
      { name: 'buyers', file: 'entities/buyers.yml' },
      { name: 'orders', file: 'entities/orders.yml' },
    ]);
    const { stdout } = await atlas(['validate', '--offline'], { cwd: folder.path });
    expect(stdout).not.toMatch(/^error/m);
  });

  it('writes metrics under the names that a person gave to measures, and none of those deleted', async () => {
    await done();
    edit('entities/orders.yml', (text) =>
      text.replace('name: order_total', 'name: turnover').replace(/ {2}- name: order_customers\n(?: {4}.*\n)*/, ''),
    );
    rmSync(path('metrics'), { recursive: true });
    rmSync(path('catalog.yml'));
    await done();
    const { metrics } = parse(read('metrics/orders.yml'));
    expect(metrics.map(({ measure }: { measure: string }) => measure)).toEqual(['order_count', 'turnover']);
    expect((await atlas(['validate', '--offline'], { cwd: folder.path })).stdout).not.toMatch(/^error/m);
  });

  it('leaves a file alone that it cannot read', async () => {
    await done();
    writeFileSync(path('entities/orders.yml'), 'table: [');
    expect(await done()).toContain('Left as they are: entities/orders.yml (it is not valid YAML).');
    expect(read('entities/orders.yml')).toBe('table: [');
  });
});

describe('the questions at the end', () => {
  it('are three that were answered from the layer, and the command that asks the first', async () => {
    change(`ALTER TABLE orders ADD COLUMN placed_on DATE; ALTER TABLE orders ADD COLUMN status TEXT;
      UPDATE orders SET placed_on = '2025-01-0' || id, status = 'open';
      INSERT INTO orders VALUES (4, 2, 7, '2025-02-01', 'sent'), (5, 2, 8, '2025-02-01', 'sent'), (6, 1, 1, NULL, 'sent')`);
    const told = await done();
    const tried = told.slice(told.indexOf('Questions that this layer answers'));
    expect(tried).toContain('  How many orders are there?\n    Count: 6.\n');
    expect(tried).toContain('  What is the order total by status?\n    Order total by status: open: 35; sent: 16\n');
    expect(tried).toMatch(/ {2}How many orders were there per month\?\n {4}.*2025-01: 3; 2025-02: 2; none: 1\n/);
    expect(tried).toContain('npx atlas-query serve\n  npx atlas-query query "How many orders are there?"\n');
  });
});

describe('--from', () => {
  it("takes names and texts from a project's files, columns from the database, and answers with both", async () => {
    writeFileSync(
      join(folder.path, 'shop.yml'),
      `cubes:
  - name: purchases
    sql_table: orders
    description: What customers bought.
    dimensions:
      - { name: worth, sql: total, type: number, description: Gross. }
      - { name: is_large, sql: "{worth} > 9", type: boolean }
      - { name: colour, sql: colour, type: string }
    measures:
      - { name: turnover, sql: total, type: sum }
      - { name: wrong, sql: "{unknown}", type: sum }
    joins:
      - { name: customers, relationship: many_to_one, sql: "{CUBE}.customer_id = {customers}.id" }
  - { name: customers, sql_table: customers }
  - { name: staff, sql_table: staff }
`,
    );
    const told = await done('--from', 'shop.yml');
    expect(told).toContain('From Cube: 2 entities and 0 metrics.\nNot taken from Cube:\n');
    expect(told).toContain('  staff: the database has no table staff, or it was not read\n');
    expect(told).toContain('  purchases.colour: the table orders has no column colour\n');
    expect(told).toContain('  purchases.wrong: its sql needs what was not taken\n');
    const orders = parse(read('entities/orders.yml'));
    expect(orders).toMatchObject({ table: 'orders', name: 'purchases', description: 'What customers bought.' });
    expect(orders.dimensions).toContainEqual(
      expect.objectContaining({ name: 'worth', sql: 'total', type: 'number', description: 'Gross.' }),
    );
    expect(orders.measures[0]).toEqual({ name: 'turnover', type: 'sum', sql: 'total' });
    expect(orders.measures.filter(({ type }: { type: string }) => type === 'sum')).toHaveLength(1);
    expect(orders.joins).toHaveLength(1);
    const before = snapshot();
    expect(await done()).toContain('; 0 files written,');
    expect(snapshot()).toEqual(before);
    const { code, stdout } = await atlas(['validate'], {
      cwd: folder.path,
      env: { SVC_DATASOURCE_URL: 'sqlite:shop.db' },
    });
    expect(stdout).not.toMatch(/^(error|warning) .*semantic/im);
    expect(code).not.toBe(1);
  });

  it('takes metrics of dbt, under their names', async () => {
    const model = { unique_id: 'model.a.orders', resource_type: 'model', name: 'orders', columns: {}, config: {} };
    const semantic = {
      ...{ name: 'orders', model: "ref('orders')", entities: [], dimensions: [] },
      measures: [{ name: 'revenue', agg: 'sum', expr: 'total' }],
    };
    const metric = {
      name: 'net_revenue',
      label: 'Net revenue',
      type: 'simple',
      type_params: { measure: { name: 'revenue' } },
    };
    const manifest = { metadata: {}, nodes: { a: model }, semantic_models: { a: semantic }, metrics: { a: metric } };
    writeFileSync(join(folder.path, 'manifest.json'), JSON.stringify(manifest));
    expect(await done('--from', '.')).toContain('From dbt: 1 entities and 1 metrics.\n');
    const [metrics] = globSync('metrics/dbt.yml', { cwd: path('') });
    expect(parse(read(metrics ?? ''))).toEqual({
      metrics: [{ id: 'net_revenue', label: 'Net revenue', measure: 'revenue', entity: 'orders' }],
    });
  });

  it('takes verified queries of Snowflake as examples, over the physical tables', async () => {
    writeFileSync(
      join(folder.path, 'model.yaml'),
      `name: shop
tables:
  - name: purchases
    base_table: { database: PROD, schema: SALES, table: orders }
    dimensions: [{ name: size, expr: "CASE WHEN total > 9 THEN 'large' END" }]
    facts: [{ name: worth, expr: total }, { name: key, expr: id }]
  - name: buyers
    base_table: { table: customers }
    facts: [{ name: key, expr: customer_id }]
verified_queries:
  - { name: Total worth, question: What is everything worth?, use_as_onboarding_question: true, verified_at: 1714497970,
      verified_by: Ann, sql: "SELECT SUM(worth) AS worth FROM __purchases WHERE 'worth' <> ''" }
  - { name: sizes, question: Sizes, sql: SELECT size FROM __purchases }
  - { name: keys, question: Keys, sql: SELECT key FROM __buyers }
  - { name: total-worth, question: And now?, sql: SELECT worth FROM __purchases }
`,
    );
    const told = await done('--from', 'model.yaml');
    expect(told).toContain(
      'From Snowflake: 1 verified queries. They are examples until somebody vouches for them here:',
    );
    expect(told).toContain(
      '  verified query sizes: its column size is an expression of the semantic model, or several',
    );
    expect(told).toContain('  verified query keys: its column key is an expression of the semantic model, or several');
    expect(told).toContain('  verified query total-worth: another is called total_worth as well\n');
    expect(parse(read('verified/total_worth.yml'))).toEqual({
      name: 'total_worth',
      question: 'What is everything worth?',
      sql: "SELECT SUM(total) AS total FROM orders WHERE 'worth' <> ''",
      onboarding: true,
    });
  });

  it.each([
    ['nothing.json', 'There is no file nothing.json.'],
    ['broken.json', 'broken.json cannot be read:'],
    ['other.yml', 'other.yml is not a dbt manifest, and has no cubes. Of a dbt project give target/manifest.json'],
  ])('%s is one sentence', async (name, message) => {
    writeFileSync(join(folder.path, 'broken.json'), '{');
    writeFileSync(join(folder.path, 'other.yml'), 'models: []');
    const { code, stdout, stderr } = await init('--from', name);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(existsSync(path(''))).toBe(false);
  });
});

describe('--demo', () => {
  const demo = (env: Record<string, string>, ...args: string[]) =>
    atlas(['init', '--demo', ...args], { cwd: folder.path, env });

  it('loads the data into a file, copies the layer, and says how to serve it; again as well', async () => {
    const { code, stdout, stderr } = await demo({});
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^Loaded 3 tables with \d+ rows into sqlite:\.atlas\/demo-simple\.db; 6 files of the layer written/,
    );
    expect(stdout).toContain('SVC_DATASOURCE_URL=sqlite:.atlas/demo-simple.db npx atlas-query serve');
    expect(stdout).toMatch(/ {2}How many orders are there\?\n {4}Count: [\d,]+\.\n/);
    const before = snapshot();
    expect((await demo({}, 'simple')).stdout).toContain('; 0 files of the layer written');
    expect(snapshot()).toEqual(before);
    expect(globSync('.atlas/*', { cwd: folder.path })).toEqual(['.atlas/demo-simple.db']);
  });

  it('refuses a database that has one of the tables, and changes nothing', async () => {
    const { code, stdout, stderr } = await demo({ SVC_DATASOURCE_URL: 'sqlite:shop.db' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('customers');
    expect(existsSync(path(''))).toBe(false);
  });

  it('knows its demos', async () => {
    expect((await demo({}, 'smple')).stderr).toContain(
      '--demo is invalid: expected simple, cybersec or ecommerce; did you mean `simple`?',
    );
  });
});

describe('--org', () => {
  const managed = {
    SVC_DATASOURCE_URL: 'sqlite:shop.db',
    DATABASE_URL: 'sqlite:internal.db',
    AUTHLIB_SECRET: 'x'.repeat(40),
  };

  it('writes to the layer of the organization, which first gets a copy of the shared one', async () => {
    await done('--tables', 'customers');
    edit('entities/customers.yml', (text) => text.replace('table: customers', 'table: customers # shared'));
    const org = (...args: string[]) => atlas(['init', '--org', 'acme', ...args], { cwd: folder.path, env: managed });
    expect(await org()).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('in semantic/.orgs/acme.'),
    });
    expect(read('.orgs/acme/entities/customers.yml')).toContain('table: customers # shared');
    expect(parse(read('.orgs/acme/entities/orders.yml')).table).toBe('orders');
    expect(existsSync(path('entities/orders.yml'))).toBe(false);
    expect((await org('--no-import')).stdout).toContain('; 0 files written,');
  });

  it('imports as over HTTP does: earlier versions and the audit are in the internal database', async () => {
    const org = async (...args: string[]) => {
      const { code, stderr } = await atlas(['init', '--org', 'acme', ...args], { cwd: folder.path, env: managed });
      expect([code, stderr]).toEqual([0, '']);
    };
    const stored = (sql: string) => {
      const db = new Sqlite(join(folder.path, 'internal.db'));
      try {
        return db.prepare(sql).all() as Record<string, string>[];
      } finally {
        db.close();
      }
    };
    await org();
    const before = read('.orgs/acme/entities/orders.yml');
    const audited = 'SELECT action, target_id, org_id, user_label FROM audit_log ORDER BY rowid';
    const imported = { action: 'semantic_layer.imported', target_id: 'acme', org_id: 'acme', user_label: 'atlas init' };
    expect(stored(audited)).toEqual([imported]);
    expect(stored('SELECT org_id FROM semantic_layer_organizations')).toEqual([{ org_id: 'acme' }]);
    change('ALTER TABLE orders ADD COLUMN paid_on DATE');
    await org();
    const versions = 'SELECT org_id, path, change, content FROM semantic_file_versions';
    const replaced = { org_id: 'acme', change: 'imported', path: 'entities/orders.yml', content: before };
    expect(stored(versions)).toContainEqual(replaced);
    expect(stored(audited)).toEqual([imported, imported]);

    change('ALTER TABLE orders ADD COLUMN sent_on DATE');
    const known = stored(versions);
    await org('--no-import');
    expect(read('.orgs/acme/entities/orders.yml')).toContain('sent_on');
    expect([stored(versions), stored(audited)]).toEqual([known, [imported, imported]]);
  });

  it('needs managed authentication', async () => {
    expect(await init('--org', 'acme')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('--org needs managed authentication'),
    });
  });
});

describe('flags', () => {
  it('writes a source into its folder, and says there which connection it belongs to', async () => {
    expect(await done('--source', 'web_shop-2')).toContain('in semantic/web_shop-2.');
    expect(parse(read('web_shop-2/entities/orders.yml'))).toMatchObject({ table: 'orders', connection: 'default' });
    expect(globSync('*', { cwd: path('') })).toEqual(['web_shop-2']);
  });

  it('reads a connection by name', async () => {
    writeFileSync(
      join(folder.path, 'atlas.config.ts'),
      `import { defineConfig } from 'atlas-query/kernel';
       import { datasourceSqlite } from 'atlas-query/plugins/datasource-sqlite';
       export default defineConfig({ plugins: [
         datasourceSqlite({ connections: [{ id: 'default', url: 'sqlite:nothing.db' }, { id: 'shop', url: 'sqlite:shop.db' }] }),
       ] });`,
    );
    const inFolder = (...args: string[]) => startedAtlas(['init', ...args], { cwd: folder.path });
    expect(await inFolder('--connection', 'shop')).toMatchObject({ code: 0, stderr: '' });
    expect(parse(read('shop/entities/orders.yml'))).toMatchObject({ connection: 'shop' });
    const unknown = await inFolder('--connection', 'shpo');
    expect(unknown).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'There is no connection "shpo"; did you mean `shop`?\n',
    });
  });

  it.each([
    [['--source', 'a', '--connection', 'b'], '--source and --connection exclude each other.'],
    [['--source', '../etc'], '--source is invalid: expected a name of lower-case letters'],
    [['--source', 'A'], '--source is invalid'],
    [['--source', 'x'.repeat(64)], '--source is invalid'],
    [['--source', 'default'], '--source is invalid'],
    [['--demo', '--csv', 'x.csv'], '--demo and --csv exclude each other.'],
    [['--no-import'], '--no-import belongs to --org.'],
    [['--connection', 'other'], 'There is no connection "other"; there are: default.'],
  ])('%j is one sentence, and nothing is written', async (args, message) => {
    const { code, stdout, stderr } = await init(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(existsSync(path(''))).toBe(false);
  });
});
