import { describe, expect, test } from 'vitest';
import { definePlugin } from '../../../kernel/index.ts';
import { createTestApp } from '../../../test/harness/create-test-app.ts';
import { layerFolder } from '../../../test/harness/layer-folder.ts';
import { type LayerFacts, layerFacts, protectedTables, semanticLayer, type TableFacts } from '../index.ts';

const ORDERS = `
table: orders
row_count: 10
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: status, unique_count: 1 }
  - { name: Channel, sql: '"Sales Channel"', sample_values: [web], unique_count: 1 }
  - { name: placed_at, type: date, range: [2020-01-01, 2020-12-31] }
  - { name: card, hidden: true }
  - { name: phone, mask: "'***'" }
  - { name: phone_text, sql: phone }
  - { name: upper_status, sql: 'upper(status)' }
`;
const USERS = 'table: people\nschema: crm\ndimensions:\n  - { name: country }\n  - { name: born_on, type: date }\n';

const facts = (rowCount: number): TableFacts => ({
  rowCount,
  ranges: new Map([
    ['placed_at', ['2024-01-01', '2026-06-30']],
    ['born_on', ['1999-01-01', '2001-01-01']],
  ]),
  values: new Map([
    ['status', ['cancelled', 'paid']],
    ['Sales Channel', ['shop', 'web']],
    ['card', ['secret']],
    ['phone', ['secret']],
    ['upper(status)', ['secret']],
    ['country', ['AT']],
  ]),
});
const key = (table: string, schema: string | null = null) => JSON.stringify([null, schema, table]);

async function boot(source: { facts: LayerFacts }, isProtected = false) {
  const folder = layerFolder({ 'entities/orders.yml': ORDERS, 'entities/users.yml': USERS });
  const plugin = definePlugin({
    name: 'measurer',
    version: '1.0.0',
    type: 'context',
    description: 'Has facts.',
    setup(ctx) {
      ctx.tap(layerFacts, () => ({ of: (orgId) => (orgId === null ? source.facts : new Map()) }));
      if (isProtected) ctx.tap(protectedTables, () => [({ table }) => table === 'orders']);
    },
  });
  const app = await createTestApp({ plugins: [semanticLayer({ dir: folder.dir, checkIntervalMs: 0 }), plugin()] });
  const layer = app.get(semanticLayer);
  return {
    layer,
    text: async () => layer.contextFor(await layer.modelFor(null), 'orders'),
    async [Symbol.asyncDispose]() {
      await app.close();
      folder[Symbol.dispose]();
    },
  };
}

describe('measured facts', () => {
  test('stand where the files have none or older ones, never values of hidden and masked columns', async () => {
    await using app = await boot({
      facts: new Map([
        [key('orders'), facts(12_417)],
        [key('people', 'crm'), facts(5)],
      ]),
    });
    const model = await app.layer.modelFor(null);
    const orders = model.entity('orders');
    expect(orders?.rowCount).toBe(12_417);
    const shown = orders?.dimensions.map(({ name, range, sample_values }) => [name, range ?? sample_values]);
    expect(shown).toEqual([
      ['id', undefined],
      ['status', ['cancelled', 'paid']],
      // What people have written stays.
      ['Channel', ['web']],
      ['placed_at', ['2024-01-01', '2026-06-30']],
      ['card', undefined],
      ['phone', undefined],
      ['phone_text', undefined],
      ['upper_status', undefined],
    ]);
    const text = await app.text();
    expect(text).toContain('about 12,400 rows');
    expect(text).toContain('; from 2024-01-01 to 2026-06-30');
    expect(text).toContain('; e.g. cancelled, paid');
    expect(text).not.toContain('secret');
    // A word of the question that is a value finds its table.
    const { entities } = await app.layer.explain({ turns: [{ role: 'user', text: 'cancelled' }], surface: 'api' }, {
      orgId: null,
    } as never);
    expect(entities[0]).toMatchObject({ name: 'orders', score: expect.any(Number) });
    expect(entities[0]?.score).toBeGreaterThan(0);
  });

  test('drop a written number of values where the values are measured', async () => {
    await using app = await boot({ facts: new Map([[key('orders'), facts(12_417)]]) });
    const dimensions = (await app.layer.modelFor(null)).entity('orders')?.dimensions ?? [];
    const counts = dimensions.map(({ name, unique_count }) => [name, unique_count]).slice(1, 3);
    expect(counts).toEqual([
      ['status', undefined],
      ['Channel', 1],
    ]);
  });

  test('are shown by explore, below the text of a file or in it where something is hidden', async () => {
    await using app = await boot({
      facts: new Map([
        [key('orders'), facts(12_417)],
        [key('people', 'crm'), facts(5)],
      ]),
    });
    const explore = (path: string) => app.layer.explore({ orgId: null } as never, path);
    expect(await explore('entities/users.yml')).toBe(`${USERS}# Measured since, and to be used instead:
# row_count: 5
# country: sample_values AT
# born_on: range 1999-01-01 to 2001-01-01
`);
    const orders = await explore('entities/orders.yml');
    expect(orders).toContain('row_count: 12417\n');
    expect(orders).toMatch(/name: status\n.*\n.*\n +sample_values:\n +- cancelled\n +- paid/);
    expect(orders).not.toMatch(/secret|2020-01-01|# Measured/);
  });

  test('change the model once, and not at all while they are the same object', async () => {
    const source = { facts: new Map([[key('orders'), facts(1)]]) as LayerFacts };
    await using app = await boot(source);
    const first = await app.layer.modelFor(null);
    expect(await app.layer.modelFor(null)).toBe(first);
    source.facts = new Map([[key('orders'), facts(2)]]);
    const second = await app.layer.modelFor(null);
    expect([second.version, second.entity('orders')?.rowCount]).toEqual([first.version + 1, 2]);
    expect(await app.layer.modelFor(null)).toBe(second);
    source.facts = new Map();
    expect((await app.layer.modelFor(null)).entity('orders')?.rowCount).toBe(10);
  });

  test('of protected tables are neither wanted nor shown', async () => {
    await using app = await boot({ facts: new Map([[key('orders'), facts(12_417)]]) }, true);
    expect((await app.layer.modelFor(null)).entity('orders')?.rowCount).toBeUndefined();
    expect(await app.text()).not.toMatch(/cancelled|2026-06-30|about/);
    expect(await app.layer.explore({ orgId: null } as never, 'entities/orders.yml')).not.toMatch(
      /cancelled|12417|2026/,
    );
    expect(await app.layer.measuredTables(null)).toEqual([
      {
        key: key('people', 'crm'),
        table: 'people',
        schema: 'crm',
        columns: [
          { column: 'country', wanted: 'values' },
          { column: 'born_on', wanted: 'range' },
        ],
      },
    ]);
  });

  test('are wanted of plain columns only, and of values where nobody has listed any', async () => {
    await using app = await boot({ facts: new Map([[key('orders'), facts(12_417)]]) });
    const [orders] = await app.layer.measuredTables(null);
    expect(orders?.columns).toEqual([
      { column: 'status', wanted: 'values' },
      { column: 'placed_at', wanted: 'range' },
    ]);
  });
});
