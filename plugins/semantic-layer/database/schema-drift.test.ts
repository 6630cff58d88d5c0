/** Tests layers that name more than their database has. */
import { describe, expect, it } from 'vitest';
import type { ConnectionInfo, TableDescription } from '../../../kernel/index.ts';
import { layerFolder } from '../../../test/harness/layer-folder.ts';
import { kitDialects } from '../../sql-kit/index.ts';
import { LayerLoader } from '../loader.ts';
import { DatabaseSchemas } from './database-schema.ts';
import { columnsIn } from './expression-columns.ts';

const dialects = await kitDialects();

const table = (name: string, columns: string, schema?: string): TableDescription => ({
  name,
  ...(schema !== undefined && { schema }),
  kind: 'table',
  columns: columns.split(' ').map((column) => ({ name: column, type: 'text', nullable: true })),
  primaryKey: [],
  foreignKeys: [],
});

const hasExactNames = async ({ dbType }: ConnectionInfo) => dialects.get(dbType)?.hasExactNames === true;

interface Given {
  readonly tables?: readonly TableDescription[];
  readonly info?: Partial<ConnectionInfo>;
  readonly others?: readonly ConnectionInfo[];
}

async function fitted(files: Record<string, string>, { tables = [], info, others = [] }: Given) {
  using folder = layerFolder(files);
  const own: ConnectionInfo = { id: 'default', dbType: 'sqlite', maskedUrl: 'sqlite:x', ...info };
  const schemas = new DatabaseSchemas({
    connections: async () => [own, ...others],
    describe: async () => tables,
    hasExactNames,
  });
  await schemas.refresh(true);
  return await new LayerLoader(folder.dir).load(schemas.known);
}

const orders = `table: orders
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: status }
  - { name: total, type: number, sql: total_cents / 100.0 }
  - { name: doubled, type: number, sql: "{total} * 2" }
  - { name: card, hidden: true }
measures:
  - { name: revenue, type: sum, sql: "{total}" }
  - { name: open_orders, type: sum, sql: "CASE WHEN status = 'open' THEN 1 ELSE 0 END" }
segments:
  - { name: open, sql: "status = 'open'" }
joins:
  - { target: customers, relationship: many_to_one, on: { from: customer_id, to: id } }
query_patterns:
  - { description: By status, sql: SELECT status FROM orders }
`;
const customers = 'table: customers\ndimensions: [{ name: id }, { name: country }]\n';
const files = {
  'entities/orders.yml': orders,
  'entities/customers.yml': customers,
  'metrics/m.yml':
    'metrics:\n  - { id: revenue, entity: orders, measure: revenue }\n  - { id: heads, entity: customers, measure: count }\n',
};

describe('a layer that matches the database', () => {
  it('uses the table with exactly its name when two differ only in case', async () => {
    const tables = [
      table('orders', 'id status total_cents customer_id card'),
      table('ORDERS', 'k'),
      table('customers', 'id country'),
    ];
    for (const order of [tables, tables.toReversed()]) {
      const model = await fitted(files, { tables: order, info: { dbType: 'mysql' } });
      expect(model.problems).toEqual([]);
    }
  });

  it('is unchanged, whatever the case of its names', async () => {
    const tables = [table('Orders', 'ID Status total_cents customer_id card'), table('CUSTOMERS', 'id country')];
    const model = await fitted(files, { tables });
    expect(model).toMatchObject({ problems: [] });
    expect(model.notice).toBeUndefined();
    expect(model.entity('orders')?.measures).toHaveLength(2);
  });

  it('is unchanged while the database does not answer', async () => {
    using folder = layerFolder(files);
    const schemas = new DatabaseSchemas({
      connections: async () => [{ id: 'default', dbType: 'sqlite', maskedUrl: '' }],
      describe: async () => Promise.reject(new Error('down')),
      hasExactNames,
    });
    await schemas.refresh(true);
    expect(await new LayerLoader(folder.dir).load(schemas.known)).toMatchObject({ problems: [] });
  });
});

describe('what the database lacks', () => {
  it('a table: the entity is removed, with everything that refers to it', async () => {
    const model = await fitted(files, { tables: [table('orders', 'id status total_cents customer_id card')] });
    expect(model.entities.map(({ name }) => name)).toEqual(['orders']);
    expect(model.entity('orders')?.joins).toEqual([]);
    expect(model.metrics.map(({ id }) => id)).toEqual(['revenue']);
    expect(model.problems).toEqual([
      {
        file: 'entities/customers.yml',
        line: 1,
        column: 8,
        message: 'The database "default" has no table `customers`; the entity is left out.',
      },
    ]);
    expect(model.notice).toBe(
      'The semantic layer does not fit the database: there is no table customers. Generate a layer with "npx atlas-query init", or correct the files.',
    );
  });

  it('every table: database or login may be the wrong one', async () => {
    const model = await fitted(files, { tables: [] });
    const message =
      'The database has no table that can be read. Check its name in the URL, and the rights of the login.';
    expect(model).toMatchObject({ entities: [], notice: message, summary: message });
  });

  it('a column: it is removed, with everything computed from it', async () => {
    const tables = [table('orders', 'id state total customer_id'), table('customers', 'id country')];
    const model = await fitted(files, { tables });
    const entity = model.entity('orders');
    expect(entity?.dimensions.map(({ name, hidden }) => [name, hidden])).toEqual([
      ['id', undefined],
      ['card', true],
    ]);
    expect(entity).toMatchObject({ measures: [], segments: [], queryPatterns: [] });
    expect(entity?.joins).toHaveLength(1);
    expect(model.metrics.map(({ id }) => id)).toEqual(['heads']);
    expect(model.problems.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'The table `orders` has no column `status`; what reads it is left out; did you mean `state`?',
      ]),
    );
    expect(model.notice).toContain('no columns orders.status, orders.total_cents');
  });

  it('a hidden or masked column: only the log names it', async () => {
    const secret = `${orders.replace('{ name: card, hidden: true }', '{ name: card, sql: pan_no, hidden: true }\n  - { name: mail, mask: email }')}`;
    const spending = secret.replace('measures:', 'measures:\n  - { name: cards, type: count_distinct, sql: pan_no }');
    const tables = [table('orders', 'id status total_cents customer_id'), table('customers', 'id country')];
    const model = await fitted({ ...files, 'entities/orders.yml': spending }, { tables });
    expect(model.problems.map(({ message }) => message).join()).toMatch(/`pan_no`.*`mail`/);
    expect(model.notice).toBeUndefined();
    expect(model.summary).toBe(
      'The semantic layer does not fit the database: 2 columns of it cannot be used; the log names what is missing. Generate a layer with "npx atlas-query init", or correct the files.',
    );
    const fewer = [table('orders', 'id total_cents customer_id'), table('clients', 'id')];
    const both = await fitted({ ...files, 'entities/orders.yml': spending }, { tables: fewer });
    expect(both.notice).toContain('database: there is no table customers; there is no column orders.status. Generate');
    expect(both.summary).toContain('database: 1 table and 3 columns of it');
  });

  it('a column of a join: the join is removed', async () => {
    const tables = [table('orders', 'id status total_cents buyer card'), table('customers', 'id country')];
    const model = await fitted(files, { tables });
    expect(model.entity('orders')?.joins).toEqual([]);
    expect(model.notice).toContain('no columns for the join orders → customers');
  });

  it('a connection: its entities are removed', async () => {
    const model = await fitted(
      { 'lake/entities/a.yml': 'table: a\n', 'entities/b.yml': 'table: b\n' },
      { tables: [table('b', 'x')] },
    );
    expect(model.entities.map(({ name }) => name)).toEqual(['b']);
    expect(model.notice).toContain('no connection lake');
  });

  it('everything: the model is empty and says so', async () => {
    const model = await fitted(files, { tables: [table('films', 'id')] });
    expect(model.entities).toEqual([]);
    expect(model.notice).toContain('tables customers, orders');
  });
});

describe('the schema of a table', () => {
  it.each([
    ['orders', 'public', undefined, true],
    ['orders', 'sales', undefined, false],
    ['sales.orders', 'sales', undefined, true],
    ['sales.orders', 'public', undefined, false],
    ['Orders', 'public', undefined, false],
    ['orders', 'sales', 'sales', true],
    ['information_schema.tables', 'public', undefined, true],
  ])('PostgreSQL: %s beside orders in %s, schema of the connection %s', async (named, schema, own, found) => {
    const info = { dbType: 'postgres' as const, ...(own !== undefined && { schema: own }) };
    const model = await fitted(
      { 'entities/o.yml': `table: ${named}\n` },
      { tables: [table('orders', 'id', schema)], info },
    );
    expect(model.entities).toHaveLength(found ? 1 : 0);
  });

  it('tables in other databases of a MySQL server are unknown, not missing', async () => {
    const info = { dbType: 'mysql' as const, schema: 'shop' };
    const model = await fitted(
      { 'entities/o.yml': 'table: crm.people\n' },
      { tables: [table('orders', 'id', 'shop')], info },
    );
    expect(model.entities).toHaveLength(1);
  });
});

it.each([
  ['total', ['total']],
  ['"Order Date"', ['order date']],
  ['quantity * unit_price', ['quantity', 'unit_price']],
  ['o.quantity - 1.5', ['quantity']],
  ["CASE WHEN status = 'open' THEN amount ELSE 0 END", ['status', 'amount']],
  ['COALESCE(a, b)', ['a', 'b']],
  ['sum(a) / nullif(count(*), 0)', ['a']],
  ['{total} + fee', ['fee']],
  ['a::date', undefined],
  ['EXTRACT(year FROM at)', undefined],
  ["DATE '2024-01-01' - a", ['a']],
  ['CAST(a AS integer)', undefined],
  ['list_filter(a, x -> x > 1)', undefined],
  ['a = "b"', undefined],
])('columns of %s', (sql, names) => {
  expect(columnsIn(sql)).toEqual(names);
});
