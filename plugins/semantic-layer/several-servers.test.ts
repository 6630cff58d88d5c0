import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../test/harness/command.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { changes } from '../changes/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { semanticLayer } from './index.ts';

const entity = (description: string) =>
  `table: boats\ndescription: ${description}\ndimensions:\n  - { name: id, type: number, primary_key: true }\n`;

it('other servers look at the files of a layer that one has changed, however seldom they look by themselves', async () => {
  using folder = emptyFolder();
  const dir = join(folder.path, 'semantic');
  mkdirSync(join(dir, 'entities'), { recursive: true });
  writeFileSync(join(dir, 'entities', 'boats.yml'), entity('Ours.'));
  const start = () =>
    createTestApp({
      plugins: [
        internalDb({ url: `sqlite:${join(folder.path, 'atlas.db')}` }),
        changes({ pollMs: 50 }),
        semanticLayer({ dir, checkIntervalMs: 3_600_000, watchIntervalMs: 0 }),
      ],
    });
  await using one = await start();
  await using two = await start();
  const described = async (orgId: string | null) =>
    (await two.get(semanticLayer).modelFor(orgId)).entities.map(({ description }) => description);
  const write = (orgId: string | null, text: string) =>
    one.get(semanticLayer).importLayer(orgId, [{ path: 'entities/boats.yml', text: entity(text) }]);
  expect([await described(null), await described('acme')]).toEqual([['Ours.'], ['Ours.']]);
  await write(null, 'Everybody.');
  await expect.poll(() => described(null)).toEqual(['Everybody.']);
  await write('acme', 'Of Acme.');
  await expect.poll(() => described('acme')).toEqual(['Of Acme.']);
  await write('acme', 'Of Acme, again.');
  await expect.poll(() => described('acme')).toEqual(['Of Acme, again.']);
  expect(await described(null)).toEqual(['Everybody.']);
});
