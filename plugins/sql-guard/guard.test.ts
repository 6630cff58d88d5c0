import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  datasourceExecute,
  datasourceList,
  definePlugin,
  type SqlStatement,
  sqlBefore,
  sqlCheck,
} from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/testing.ts';
import { createModel, semanticLayer } from '../semantic-layer/index.ts';
import { kitDialect } from '../sql-kit/index.ts';
import { StatementGuard } from './guard.ts';
import { sqlGuard } from './index.ts';

const sqlite = await kitDialect('sqlite');

const dir = mkdtempSync(join(tmpdir(), 'sql-guard-'));
mkdirSync(join(dir, 'entities'));
writeFileSync(join(dir, 'entities', 'orders.yml'), 'table: orders\ndimensions:\n  - name: id\n');
writeFileSync(join(dir, 'entities', 'stock.yml'), 'table: stock\nconnection: warehouse\n');

/** Two connections over one database in memory, and every statement that reached them. */
function database(reached: SqlStatement[], dbType = 'sqlite') {
  const db = new Database(':memory:');
  db.exec(
    'CREATE TABLE orders (id); INSERT INTO orders VALUES (1), (2); CREATE TABLE stock (id); INSERT INTO stock VALUES (3)',
  );
  return definePlugin({
    name: 'test-database',
    version: '1.0.0',
    type: 'datasource',
    description: 'A database in memory.',
    setup(ctx) {
      const connections = ['shop', 'warehouse'].map((id) => ({
        id,
        dbType,
        maskedUrl: 'sqlite::memory:',
      }));
      ctx.tap(datasourceList, () => connections);
      for (const { id } of connections) {
        ctx.tapKey(datasourceExecute, id, (statement) => {
          reached.push(statement);
          const rows = db.prepare<[], Record<string, unknown>>(statement.sql).all();
          return { columns: Object.keys(rows[0] ?? {}), rows, truncated: false, notes: [] };
        });
      }
    },
  });
}

/** Rewrites like a plugin of a team that does not know of the guard. */
const meddler = (stage: 'normal' | 'post', change: (statement: SqlStatement) => Partial<SqlStatement>) =>
  definePlugin({
    name: 'test-meddler',
    version: '1.0.0',
    type: 'policy',
    description: 'Changes statements.',
    setup(ctx) {
      ctx.tap(
        sqlBefore,
        (statement) => ({ ...statement, ...change(statement) }),
        stage === 'post' ? { stage, after: ['sql-guard'] } : { stage },
      );
    },
  })();

const reached: SqlStatement[] = [];
let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ plugins: [semanticLayer({ dir }), sqlGuard(), database(reached)()] });
});
afterAll(() => app.close());

const run = (sql: string, connectionId?: string, on = app) =>
  on.runSql({ sql, surface: 'api', ...(connectionId !== undefined && { connectionId }) }, on.scope());

describe('the plugin', () => {
  test('runs the print of what it checked, with all that it reads', async () => {
    const reply = await run('select count(*)/*x*/ as n from ORDERS -- y');
    expect(reply.result.rows).toEqual([{ n: 2 }]);
    expect(reached.at(-1)).toMatchObject({
      sql: 'SELECT count(*) AS n FROM ORDERS',
      requested: 'select count(*)/*x*/ as n from ORDERS -- y',
      tables: ['orders'],
      functions: ['count'],
    });
  });

  test('gives each connection its own entities; those without one belong to the first', async () => {
    await expect(run('SELECT * FROM stock', 'warehouse')).resolves.toMatchObject({ result: { rows: [{ id: 3 }] } });
    await expect(run('SELECT * FROM orders', 'warehouse')).rejects.toThrow(
      'Table "orders" is not in the semantic layer',
    );
    await expect(run('SELECT * FROM stock', 'shop')).rejects.toThrow('Table "stock" is not in the semantic layer');
  });

  test('refuses before the database sees it', async () => {
    const before = reached.length;
    const refused = run('DELETE FROM orders');
    await expect(refused).rejects.toMatchObject({ code: 'sql_refused', message: expect.stringContaining('DELETE') });
    expect(reached).toHaveLength(before);
  });

  test('checks what others rewrote before it', async () => {
    const plugins = [
      semanticLayer({ dir }),
      sqlGuard(),
      meddler('normal', () => ({ sql: 'SELECT * FROM secrets' })),
      database([])(),
    ];
    await using other = await createTestApp({ plugins });
    await expect(run('SELECT 1', undefined, other)).rejects.toThrow('Table "secrets"');
  });

  test.each<[string, (statement: SqlStatement) => Partial<SqlStatement>]>([
    ['the text', ({ sql }) => ({ sql: `${sql} LIMIT 1` })],
    ['the tables', () => ({ tables: ['orders', 'secrets'] })],
    ['the functions', () => ({ functions: ['load_extension'] })],
    ['the parameters', () => ({ params: [1] })],
    ['the connection', ({ connection }) => ({ connection: { ...connection, id: 'warehouse' } })],
  ])('refuses when a plugin changes %s after it', async (_, change) => {
    const seen: SqlStatement[] = [];
    const plugins = [semanticLayer({ dir }), sqlGuard(), meddler('post', change), database(seen)()];
    await using other = await createTestApp({ plugins });
    await expect(run('SELECT id FROM orders', undefined, other)).rejects.toThrow('changed after it was checked');
    expect(seen).toEqual([]);
  });

  test.each<[string, (statement: SqlStatement) => unknown]>([
    ['the text', (statement) => Object.assign(statement, { sql: 'SELECT v FROM secrets' })],
    ['the tables', ({ tables }) => (tables as string[]).push('secrets')],
    ['the functions', ({ functions }) => (functions as string[]).push('load_extension')],
    ['the parameters', ({ params }) => (params as unknown[]).push(1)],
    ['the connection', ({ connection }) => Object.assign(connection, { id: 'warehouse' })],
  ])('refuses when a plugin edits %s in place after it', async (_, edit) => {
    for (const hook of [sqlBefore, sqlCheck] as const) {
      const seen: SqlStatement[] = [];
      const editor = definePlugin({
        name: 'test-editor',
        version: '1.0.0',
        type: 'policy',
        description: 'Edits statements in place.',
        setup: (ctx) => ctx.tap(hook, (statement) => void edit(statement), { stage: 'post' }),
      });
      const plugins = [semanticLayer({ dir }), sqlGuard(), editor(), database(seen)()];
      await using other = await createTestApp({ plugins });
      await expect(run('SELECT id FROM orders', undefined, other)).rejects.toThrow();
      expect(seen).toEqual([]);
    }
  });

  test('lets a plugin after it set limits', async () => {
    const limits = { maxRows: 1, maxBytes: 1000, maxCellBytes: 100, timeoutMs: 1000 };
    const plugins = [semanticLayer({ dir }), sqlGuard(), meddler('post', () => ({ limits })), database([])()];
    await using other = await createTestApp({ plugins });
    await expect(run('SELECT 1 AS one', undefined, other)).resolves.toMatchObject({ result: { rows: [{ one: 1 }] } });
  });

  test('accepts no statement that was checked for another request', async () => {
    const options = { functions: [], maxTextLength: 1000, maxTokens: 1000, cacheStatements: 10 };
    const guard = new StatementGuard(options, () => {});
    const model = createModel({ entities: [], metrics: [], glossary: [], catalog: undefined }, 1, []);
    const connection = { id: 'shop', dbType: 'sqlite' as const, maskedUrl: '' };
    const statement = { connection, requested: 'SELECT 1', sql: 'SELECT 1', params: [], surface: 'api' };
    const tables = guard.allowed(model, connection, sqlite, true);
    const scope = app.scope();
    const admitted = guard.admit(statement, tables, scope);
    expect(() => guard.verify(admitted, scope)).not.toThrow();
    expect(() => guard.verify(admitted, app.scope())).toThrow('changed after it was checked');
    expect(() => guard.verify({ ...admitted, requested: 'SELECT 2' }, scope)).toThrow('changed after it was checked');
    expect(() => guard.admit({ ...statement, params: [1] }, tables, scope)).toThrow('Parameters');
  });

  test('refuses every statement of a dialect that is not registered', async () => {
    const seen: SqlStatement[] = [];
    await using other = await createTestApp({
      plugins: [semanticLayer({ dir }), sqlGuard(), database(seen, 'oracle')()],
    });
    await expect(run('SELECT 1 AS one', undefined, other)).rejects.toMatchObject({
      code: 'sql_refused',
      message: expect.stringContaining('SQL of oracle cannot be checked here'),
    });
    expect(seen).toEqual([]);
  });

  test('checks against the current layer: a repeated statement is checked again after a change', async () => {
    const changing = mkdtempSync(join(tmpdir(), 'sql-guard-'));
    mkdirSync(join(changing, 'entities'));
    const file = join(changing, 'entities', 'orders.yml');
    writeFileSync(file, 'table: orders\n');
    const plugins = [semanticLayer({ dir: changing, checkIntervalMs: 0 }), sqlGuard(), database([])()];
    await using other = await createTestApp({ plugins });
    await expect(run('SELECT * FROM orders', undefined, other)).resolves.toBeDefined();
    writeFileSync(file, 'table: orders\ndimensions:\n  - { name: id, hidden: true }\n  - { name: rowid }\n');
    await expect
      .poll(() => run('SELECT * FROM orders', undefined, other).then(({ result }) => result.columns))
      .toEqual(['rowid']);
  });
});
