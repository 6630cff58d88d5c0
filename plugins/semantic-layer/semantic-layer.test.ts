import { describe, expect, test } from 'vitest';
import { contextCollect, definePlugin, healthCheck, type Question, toolsCollect } from '../../kernel/index.ts';
import { createTestApp, testScope } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { semanticLayer } from './index.ts';

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

async function boot(files: Record<string, string>) {
  const folder = layerFolder(files);
  const app = await createTestApp({ plugins: [semanticLayer({ dir: folder.dir }), caller()] });
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
    expect(parts[0]?.value.text).toContain('AMBIGUOUS: ask the user which of its meanings is meant');
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
    expect(item?.value).toMatchObject({ component: 'semanticLayer', ...expected });
  });

  test('a missing folder is reported by health and log, and breaks nothing', async () => {
    await using app = await createTestApp({ plugins: [semanticLayer({ dir: '/nowhere/semantic' }), caller()] });
    const { ctx, layer } = app.get(caller);
    const [item] = await ctx.call(healthCheck, undefined, testScope());
    expect(item?.value).toMatchObject({ status: 'not_configured', details: { entityCount: 0 } });
    expect(item?.value.message).toContain('docs/semantic-layer.md');
    expect((await layer.for(testScope())).entities).toEqual([]);
    expect(app.lines.some(({ level, message }) => level === 'warn' && message.includes('docs/semantic-layer.md'))).toBe(
      true,
    );
  });
});
