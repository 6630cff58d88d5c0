/** Tests `atlas index`: what is indexed, by source and organization. */
import { expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere } from '../../../test/harness/command-here.ts';
import { layerFolder } from '../../../test/harness/layer-folder.ts';

const ORDERS =
  'table: orders\ndescription: Purchases.\ndimensions:\n  - { name: total }\n  - { name: secret, hidden: true }\n';

it('measures the index of every source and organization', async () => {
  using layer = layerFolder({
    'entities/orders.yml': ORDERS,
    'metrics/revenue.yml': 'id: revenue\nentity: orders\nsql: sum(total)\n',
    'glossary.yml': 'terms:\n  - { term: purchase, definition: An order. }\n',
    'lake/entities/events.yml': 'table: events\n',
    '.orgs/acme/entities/own.yml': 'table: own\n',
  });
  const run = (...flags: string[]) =>
    atlasHere(['index', ...flags], { cwd: layer.dir, env: { SVC_SEMANTIC_DIR: layer.dir } });
  expect(await run()).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Indexed 5 entities, metrics and terms of 3 layers\.\nA running server indexes/),
    stderr: '',
  });
  expect((await run('--stats')).stdout).toMatch(/│ \.orgs\/acme │ +1 │/);
  const { layers } = JSON.parse((await run('--stats', '--json')).stdout) as { layers: Record<string, unknown>[] };
  expect(layers).toMatchObject([
    { layer: 'default', entities: 1, columns: 2, metrics: 1, terms: 1, documents: 3, problems: 0 },
    { layer: 'lake', entities: 1, documents: 1 },
    { layer: '.orgs/acme', entities: 1, documents: 1 },
  ]);
  layer.write('entities/broken.yml', 'table: [\n');
  expect(await run()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^1 parts? of the layer cannot be used; "atlas validate"/),
  });
});

it('says where there is no layer', async () => {
  using folder = emptyFolder();
  expect(await atlasHere(['index', '--json'], { cwd: folder.path })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('There is no semantic layer to index.'),
  });
});
