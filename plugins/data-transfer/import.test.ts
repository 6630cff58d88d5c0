import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startBuiltIn } from '../../test/harness/built-in-server.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { command } from './fixtures/organization-server.ts';

const KEY = 'a key for administrators';

function folderWith(files: Readonly<Record<string, string>>) {
  const folder = emptyFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder.path, 'semantic', path, '..'), { recursive: true });
    writeFileSync(join(folder.path, 'semantic', path), text);
  }
  return folder;
}

const FILES = {
  'catalog.yml': 'name: Shop\n',
  'entities/orders.yml': '# Ours: ä 漢字.\ntable: orders\n',
  'warehouse/metrics/a.yml': 'metrics: []\n',
  'notes.txt': 'No semantic file.',
};

it('sends the semantic files of the folder', async () => {
  using layer = layerFolder();
  using folder = folderWith(FILES);
  const server = { SVC_SEMANTIC_DIR: layer.dir, SVC_API_KEY: KEY, SVC_API_KEY_ROLE: 'admin', SVC_BODY_LIMIT: '4096' };
  await using running = await startBuiltIn(server);
  const env = { SVC_API_URL: running.url, SVC_API_KEY: KEY };
  const run = (...flags: string[]) => command(['import', ...flags], folder.path, env);

  expect(await run()).toEqual({
    code: 0,
    stdout: `Imported 3 files into the shared layer of ${running.url}, 3 of them new or changed.\nIt has 1 entities, 0 metrics and 0 glossary terms now.\n`,
    stderr: '',
  });
  expect((await run()).stdout).toContain('0 of them new or changed');

  writeFileSync(join(folder.path, 'semantic/entities/orders.yml'), 'tabel: orders\nnew: 1\n');
  const broken = await run();
  expect(broken).toMatchObject({ code: 1, stdout: '' });
  expect(broken.stderr).toMatch(
    /entities\/orders\.yml:2:1: Unknown key `new`[\s\S]*Nothing was changed: entities\/orders\.yml:1:1/,
  );

  expect(await run('--connection', 'nowhere')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no connection "nowhere"'),
  });
  writeFileSync(
    join(folder.path, 'semantic/entities/orders.yml'),
    `table: orders\ndescription: ${'x'.repeat(5_000)}\n`,
  );
  expect((await run()).stderr).toMatch(/too large.*start the server with SVC_BODY_LIMIT=8192/);
  writeFileSync(join(folder.path, 'semantic/entities/orders.yml'), Buffer.from([0xff]));
  expect((await run()).stderr).toMatch(/entities\/orders\.yml cannot be sent: it is not readable as UTF-8/);
  const denied = await command(['import'], folderWith(FILES).path, {
    ...env,
    SVC_API_KEY: 'a wrong key of some length',
  });
  expect(denied).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Give the key or token of an administrator in SVC_API_KEY.'),
  });
  expect(denied.stderr).not.toContain('a wrong key');
}, 60_000);

it('says what is missing', async () => {
  using folder = emptyFolder();
  const run = (env: Record<string, string>) => command(['import'], folder.path, env);
  expect(await run({})).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There are no semantic files in semantic\. Write some with "atlas init"/),
  });
  using full = folderWith(FILES);
  const nobody = await command(['import'], full.path, { SVC_API_URL: 'http://127.0.0.1:1' });
  expect(nobody).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('No server answers at') });
  const other = createServer((_, response) => response.end('{}'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  try {
    expect(await command(['import'], full.path, { SVC_API_URL: url })).toEqual({
      code: 1,
      stdout: '',
      stderr: `${url} does not answer as an Atlas server does (status 200). Check that SVC_API_URL, or PORT without it, names an Atlas server, and that no proxy answers in its place.\n`,
    });
  } finally {
    other.close();
  }
});
