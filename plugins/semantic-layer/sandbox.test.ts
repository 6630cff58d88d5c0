import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { definePlugin, healthCheck, type PluginEntry, toolsCollect } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { type ExploreRequest, exploreSandbox, type Sandbox, semanticLayer } from './index.ts';

const USAGE = 'Write the path of a file.';

function sandbox(run: Sandbox['run'], more: Partial<Sandbox> = {}, name = 'sandbox-test'): PluginEntry {
  return definePlugin({
    name,
    version: '1.0.0',
    type: 'sandbox',
    description: 'Answers commands.',
    setup: (ctx) => ctx.tap(exploreSandbox, () => [{ backend: 'test', isolated: true, usage: USAGE, run, ...more }]),
  })();
}

/** Asks the explore tool of a composition with one layer and these plugins. */
async function explore(command: string, plugins: readonly PluginEntry[], exploreBytes = 16_384) {
  using folder = layerFolder({
    'entities/orders.yml': `table: orders
dimensions:
  - { name: id }
  - { name: margin, hidden: true }
  - { name: email, mask: "'***'", sample_values: [ann@example.com] }
measures:
  - { name: profit, sql: margin, type: sum }
`,
    '.orgs/acme/entities/leads.yml': 'table: leads\n',
  });
  const layer = semanticLayer({ dir: folder.dir, exploreBytes });
  await using app = await createTestApp({ plugins: [layer, ...plugins] });
  const scope = app.scope();
  const question = { turns: [{ role: 'user', text: 'x' }], surface: 'test' } as const;
  const [tool] = await app.call(toolsCollect, question, scope);
  const run = (orgId: string | null) =>
    tool?.value.run({ command, path: command }, { scope: app.scope({ orgId }), question, memory: new Map() });
  return {
    tool: tool?.value,
    answer: (await run(null))?.forModel,
    ofAcme: (await run('acme'))?.forModel,
    health: (await app.call(healthCheck, undefined, scope)).map(({ value }) => value),
  };
}

const echo = ({ files }: ExploreRequest) => files.map(({ path, text }) => `${path}\n${text}`).join('\n');

describe('a sandbox', () => {
  it('gets what the model may see, of the organization that asks', async () => {
    const { answer, ofAcme, tool } = await explore('all', [sandbox(echo)]);
    expect(answer).toContain('entities/orders.yml');
    expect(answer).not.toMatch(/margin|profit|ann@example/);
    expect(answer).not.toContain('leads');
    expect(ofAcme).toContain('entities/leads.yml');
    expect(ofAcme).not.toContain('orders');
    expect(tool).toMatchObject({ name: 'explore', description: expect.stringContaining(USAGE) });
  });

  it('stands in the health report', async () => {
    const item = async (more: Partial<Sandbox>) =>
      (await explore('x', [sandbox(echo, more)])).health.find(({ component }) => component === 'explore');
    const details = { backend: 'test', isolated: true };
    expect(await item({})).toEqual({ component: 'explore', status: 'ok', details });
    expect(await item({ health: () => ({ status: 'degraded', message: 'It is slow.' }) })).toEqual({
      component: 'explore',
      status: 'degraded',
      message: 'It is slow.',
      details,
    });
    const fails = () => Promise.reject(new Error('It is gone.'));
    expect(await item({ health: fails })).toMatchObject({ status: 'error', message: 'It is gone.', details });
    const without = (await explore('', [])).health;
    expect(without.some(({ component }) => component === 'explore')).toBe(false);
  });

  it('is cut to size, between two letters', async () => {
    const { answer } = await explore('x', [sandbox(() => '東'.repeat(5_000))], 1_024);
    expect(Buffer.byteLength(String(answer))).toBeLessThanOrEqual(1_024);
    expect(answer).toMatch(/^東+\n… cut here; ask for less\.$/);
  });

  it.each([
    [
      'ends with its signal',
      (_: ExploreRequest, { signal }: { signal: AbortSignal }) => sleep(600_000, '', { signal }),
    ],
    ['does not', () => sleep(600_000, '', { ref: false })],
  ])('that takes too long and %s is told to the model', async (_, run) => {
    const { answer } = await explore('x', [sandbox(run, { timeoutMs: 100 })]);
    expect(answer).toBe('The command was stopped: it took longer than 100 ms. Ask for less.');
  });

  it('cannot be one of two', async () => {
    const booted = explore('x', [sandbox(echo), sandbox(echo, {}, 'sandbox-other')]);
    await expect(booted).rejects.toThrow(
      '"sandbox-test" and "sandbox-other" both bring a backend of the explore tool.',
    );
  });
});
