import { describe, expect, test } from 'vitest';
import {
  contextCollect,
  definePlugin,
  healthCheck,
  type PluginEntry,
  type Question,
  toolsCollect,
} from '../../kernel/index.ts';
import { createTestApp, testScope } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { protectedTables, retrievalRank, semanticLayer } from './index.ts';

/** Calls the hooks as the agent and the health report do. */
const caller = definePlugin({
  name: 'test-caller',
  version: '1.0.0',
  type: 'core',
  description: 'Calls hooks.',
  needs: { semanticLayer },
  setup: (ctx, _options, needs) => ({ ctx, layer: needs.semanticLayer }),
});

const question = (text: string): Question => ({ turns: [{ role: 'user', text }], surface: 'api' });

async function boot(files: Record<string, string>, plugins: readonly PluginEntry[] = []) {
  const folder = layerFolder(files);
  const app = await createTestApp({ plugins: [semanticLayer({ dir: folder.dir }), caller(), ...plugins] });
  return {
    ...app.get(caller),
    lines: app.lines,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

describe('the plugin', () => {
  test('gives the agent instructions, the layer as data, and the explore tool', async () => {
    await using app = await boot({ 'entities/orders.yml': 'table: orders\ndescription: What was bought.\n' });
    const scope = testScope();
    const parts = await app.ctx.call(contextCollect, question('How many orders?'), scope);
    expect(parts.map(({ value }) => [value.title, value.trusted])).toEqual([
      ['How to use the semantic layer', true],
      ['Semantic layer', false],
    ]);
    expect(parts[0]?.value.text).toContain('AMBIGUOUS: ask which of its meanings is meant');
    expect(parts[1]?.value.text).toContain('## orders: What was bought.');
    const bytes = parts.reduce((sum, { value }) => sum + Buffer.byteLength(value.text), 0);
    expect(bytes).toBeLessThanOrEqual(16_384);
    const [tool] = await app.ctx.call(toolsCollect, question(''), scope);
    const run = { scope, question: question(''), memory: new Map<string, unknown>() };
    expect(tool?.value.name).toBe('explore');
    expect(await tool?.value.run({ path: 'entities' }, run)).toEqual({
      forModel: 'entities/:\norders.yml: What was bought.',
    });
  });

  test('serves other plugins one model per request', async () => {
    await using app = await boot({ 'entities/orders.yml': 'table: orders\n' });
    const scope = testScope();
    const model = await app.layer.for(scope);
    expect(model.entity('orders')?.table).toBe('orders');
    expect(await app.layer.for(scope)).toBe(model);
    await app.layer.ready();
    expect(app.layer.current()).toBe(model);
    expect(app.layer.problems()).toEqual([]);
    expect(await app.layer.contextFor(model, 'orders')).toContain('## orders');
  });

  test.each([
    ['sound', { 'entities/a.yml': 'table: a\n' }, { status: 'ok', details: { entityCount: 1, problemCount: 0 } }],
    [
      'partly broken',
      { 'entities/a.yml': 'table: a\n', 'entities/b.yml': 'tabel: b\n' },
      {
        status: 'degraded',
        message: 'There are 2 problems in the files of the semantic layer; the log names the places.',
        details: { entityCount: 1, problemCount: 2 },
      },
    ],
    ['broken', { 'entities/b.yml': 'table: [\n' }, { status: 'error', details: { entityCount: 0, problemCount: 1 } }],
  ])('reports the health of a layer that is %s', async (_, files, expected) => {
    await using app = await boot(files as Record<string, string>);
    const [item] = await app.ctx.call(healthCheck, undefined, testScope());
    // The layer may be loaded later than the report is made, which is always current.
    await expect.poll(() => item?.value).toMatchObject({ component: 'semanticLayer', ...expected });
  });

  test('a missing folder is reported by health and log, and breaks nothing', async () => {
    await using app = await createTestApp({ plugins: [semanticLayer({ dir: '/nowhere/semantic' }), caller()] });
    const { ctx, layer } = app.get(caller);
    const [item] = await ctx.call(healthCheck, undefined, testScope());
    await expect.poll(() => item?.value).toMatchObject({ status: 'not_configured', details: { entityCount: 0 } });
    expect(item?.value.message).toContain('docs/semantic-layer.md');
    expect((await layer.for(testScope())).entities).toEqual([]);
    expect(app.lines.some(({ level, message }) => level === 'warn' && message.includes('docs/semantic-layer.md'))).toBe(
      true,
    );
  });
});

describe('a layer that is too large for the prompt', () => {
  const wide = (table: string, more = '') =>
    `table: ${table}\ndescription: ${'Rows of the warehouse. '.repeat(9)}\n${more}dimensions:\n  - { name: status, sample_values: [open, ${table}_only] }\n`;
  const files = Object.fromEntries(
    ['orders', 'invoices', 'parcels', ...Array.from({ length: 60 }, (_, n) => `other_${n}`)].map((table) => [
      `entities/${table}.yml`,
      wide(table),
    ]),
  );
  const shownFor = async (app: Awaited<ReturnType<typeof boot>>, asked: Question) => {
    const parts = await app.ctx.call(contextCollect, asked, testScope());
    return parts.map(({ value }) => value.text).join('\n');
  };

  test('gives the entities of the question, and tells how they were chosen', async () => {
    await using app = await boot(files);
    expect(await shownFor(app, question('How many invoices are there?'))).toMatch(/# Entities\n## invoices: Rows/);
    const { entities, perQuestion } = await app.layer.explain(question('How many invoices are there?'), testScope());
    expect(entities[0]).toEqual({ name: 'invoices', score: expect.any(Number), bytes: expect.any(Number) });
    expect(perQuestion).toContain('## invoices');
  });

  test('takes the tables of the last query for a follow-up', async () => {
    await using app = await boot(files);
    const followUp: Question = {
      surface: 'api',
      turns: [
        { role: 'user', text: 'How late are we?' },
        { role: 'assistant', text: '3 days.', query: { sql: 'SELECT AVG(days) FROM "parcels" p', columns: ['days'] } },
        { role: 'user', text: 'and by region?' },
      ],
    };
    expect(await shownFor(app, followUp)).toContain('# Entities\n## parcels: Rows');
  });

  test('is ranked anew by a plugin, which may add entities and leave out others', async () => {
    const reranker = definePlugin({
      name: 'test-reranker',
      version: '1.0.0',
      type: 'context',
      description: 'Ranks parcels first.',
      setup: (ctx) =>
        ctx.tap(retrievalRank, (asked) => ({
          ...asked,
          entities: [{ name: 'parcels', score: 100 }, { name: 'nowhere', score: 50 }, ...asked.entities],
        })),
    });
    await using app = await boot(files, [reranker()]);
    expect(await shownFor(app, question('How many invoices are there?'))).toMatch(
      /# Entities\n## parcels: Rows[^#]*(?:#[^#]*)*## invoices: Rows/,
    );
  });

  test('shows no value of a table of which not everyone sees all rows', async () => {
    const protection = definePlugin({
      name: 'test-protection',
      version: '1.0.0',
      type: 'policy',
      description: 'Protects the invoices.',
      setup: (ctx) => ctx.tap(protectedTables, () => [({ table }) => table === 'invoices']),
    });
    const invoices = {
      'entities/invoices.yml': `${wide('invoices', 'row_count: 4711\n')}  - { name: at, type: date, range: [1999-01-02, 2000-03-04] }\n`,
    };
    await using app = await boot({ ...files, ...invoices }, [protection()]);
    const shown = await shownFor(app, question('How many orders and invoices are invoices_only or orders_only?'));
    expect(shown).toContain('orders_only');
    expect(shown).toContain('## invoices');
    expect(shown).not.toMatch(/invoices_only|4,7|1999/);
    const scope = testScope();
    expect(await app.layer.explore(scope, 'entities/invoices.yml')).not.toMatch(/invoices_only|4711|1999/);
    expect(await app.layer.explore(scope, 'entities/orders.yml')).toContain('orders_only');
    expect((await app.layer.for(scope)).entity('invoices')?.dimensions[0]?.sample_values).toBeUndefined();
  });
});
