import { expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere } from '../../../test/harness/command-here.ts';
import { DEMOS, loadDemo } from '../../demo-data/index.ts';

it('prints the entities with their scores and bytes, then what the model would be sent', async () => {
  using folder = emptyFolder();
  const url = `sqlite:${folder.path}/shop.db`;
  await loadDemo('ecommerce', { url, signal: AbortSignal.timeout(60_000) });
  const env = { SVC_DATASOURCE_URL: url, SVC_SEMANTIC_DIR: DEMOS.ecommerce.layer, PORT: '9' };
  const explain = (...flags: string[]) =>
    atlasHere(['explain', 'How many orders were cancelled in 2025?', ...flags], { cwd: folder.path, env });
  const { code, stdout } = await explain();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\d+ bytes for offline\/\S+: tools \d+, instructions \d+, user \d+\.\n/);
  expect(stdout).toMatch(/│ orders +│ +\d+\.\d\d +│ +\d+ │/);
  expect(stdout).toContain('## orders (fact, one row per order)');
  expect(stdout).toContain('- cancelled_orders = count(');
  // Its reply is longer than what a stream takes at once.
  const long = await atlasHere(['explain', 'orders '.repeat(9_000), '--brief'], { cwd: folder.path, env });
  expect(long).toMatchObject({ code: 0, stdout: expect.stringMatching(/│ orders +│/) });
  expect((await explain('--brief')).stdout).not.toContain('## orders');
  const { entities, parts } = JSON.parse((await explain('--json')).stdout) as {
    entities: { name: string }[];
    parts: object[];
  };
  expect(entities[0]?.name).toBe('orders');
  expect(parts).toHaveLength(3);
});
