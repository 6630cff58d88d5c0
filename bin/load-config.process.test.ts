import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atlas, emptyFolder } from '../test/harness/command.ts';
import { loadConfig } from './load-config.ts';

describe('loadConfig', () => {
  const file = (text: string) => {
    const path = join(mkdtempSync(join(tmpdir(), 'atlas-config-')), 'atlas.config.ts');
    writeFileSync(path, text);
    return path;
  };

  it.each([
    ['export default { plugins: [] as string[] };', undefined],
    ['export default {};', /has no plugins.*|plugins/],
    ['export default { plugins: [() => {}] };', /item 1 of plugins is not a plugin entry/],
    ['this is not TypeScript', /could not be loaded/],
    ['import "./nowhere.ts";', /could not be loaded: Cannot find module '\S+nowhere\.ts' imported from \S+$/],
  ])('%s', async (text, error) => {
    const loaded = loadConfig(file(text));
    if (error === undefined) expect(await loaded).toEqual({ plugins: [] });
    else await expect(loaded).rejects.toThrow(error);
  });
});

it.each([
  ['commonjs, as npm init writes it', '{ "type": "commonjs" }', 'ts'],
  ['no type', '{}', 'ts'],
  ['module', '{ "type": "module" }', 'ts'],
  ['commonjs, in plain JavaScript', '{ "type": "commonjs" }', 'js'],
])('a configuration and what it imports load in a package of type %s', async (_, manifest, extension) => {
  using folder = emptyFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  mkdirSync(join(folder.path, 'parts'));
  write('package.json', manifest);
  write(
    `parts/own.${extension}`,
    "import { outbound } from 'atlas-query/plugins/outbound';\nexport const own = [outbound()];\n",
  );
  write('parts/none.cjs', 'module.exports = [];\n');
  const types = extension === 'ts' ? ': unknown[]' : '';
  write(
    `atlas.config.${extension}`,
    `import { own } from './parts/own.${extension}';
import none from './parts/none.cjs';
const plugins${types} = [...own, ...none];
export default { plugins };
`,
  );
  expect(await atlas(['hooks'], { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' });
});

it('a configuration of CommonJS stays one', async () => {
  using folder = emptyFolder();
  writeFileSync(join(folder.path, 'package.json'), '{ "type": "commonjs" }');
  writeFileSync(join(folder.path, 'atlas.config.js'), 'module.exports = { plugins: [] };\n');
  expect(await atlas(['hooks'], { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' });
});
