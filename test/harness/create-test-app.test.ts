import { expect, it } from 'vitest';
import { definePlugin, Type } from '../../kernel/index.ts';
import { createTestApp } from './create-test-app.ts';

it.each([
  ['internal-db', 'another', {}, 1_000],
  ['internal-db', 'silenceMs', { silenceMs: 20 }, 20],
  ['internal-db', 'acquireTimeoutMs', {}, 20_000],
  ['internal-db', 'silenceMs', {}, 10_000],
])('takes no busy machine for a fault: %s, %s of %j is %i', async (name, option, given, expected) => {
  const plugin = definePlugin({
    name,
    version: '1.0.0',
    type: 'core',
    description: 'Says what its option is.',
    options: Type.Object({ [option]: Type.Integer({ default: 1_000 }) }, { additionalProperties: false }),
    setup: (_, options) => ({ value: options[option] }),
  });
  await using app = await createTestApp({ plugins: [plugin(given)] });
  expect(app.get(plugin).value).toBe(expected);
});
