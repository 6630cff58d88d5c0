import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { definePlugin, Type } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { loadPackage, MODEL_OPTIONS, provideModel } from './index.ts';

/** A model plugin, and how often its package was loaded. */
async function start() {
  let loads = 0;
  const load = async (): Promise<never> => {
    loads += 1;
    throw new Error('It cannot be loaded.');
  };
  const source = { provider: 'fake', modelId: 'fake', secrets: [], load };
  const modelFake = definePlugin({
    name: 'model-fake',
    version: '1.0.0',
    type: 'model',
    description: 'A model that cannot be loaded.',
    options: Type.Object(MODEL_OPTIONS),
    setup: (ctx, options) => provideModel(ctx, source, options),
  });
  const app = await createTestApp({ plugins: [modelFake()] });
  return { app, loads: () => loads };
}

test('a package is loaded in several turns of the event loop', async () => {
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turns += 1) await nextTurn();
  })();
  expect(await loadPackage(async () => 'loaded')).toBe('loaded');
  isOver = true;
  await counting;
  expect(turns).toBeGreaterThan(3);
});

test('a model is loaded soon after the start, without a question', async () => {
  const { app, loads } = await start();
  expect(loads()).toBe(0);
  await expect.poll(loads).toBe(1);
  await app.close();
});

test('a model is not loaded after the end', async () => {
  const { app, loads } = await start();
  await app.close();
  await sleep(200);
  expect(loads()).toBe(0);
});
