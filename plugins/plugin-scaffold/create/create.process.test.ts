import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atlas, emptyFolder } from '../../../test/harness/command.ts';
import { localPackage, ownPackage } from './own-package.ts';
import { PLUGIN_TYPES } from './plugin-types.ts';

const create = (cwd: string, name: string, ...more: string[]) => atlas(['plugin', 'create', name, ...more], { cwd });

describe('a new plugin', () => {
  it.each(PLUGIN_TYPES)('of the type %s is a package that runs in a composition', async (type) => {
    using folder = emptyFolder();
    const { code, stdout, stderr } = await create(folder.path, `acme-${type}`, '--type', type);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`cd acme-${type}\n  npm install --save-dev <file>.tgz\n  npm test`);
    const path = join(folder.path, `acme-${type}`);
    const files = readdirSync(path, { recursive: true }).map(String);
    expect(files).toEqual(
      expect.arrayContaining(['.gitignore', 'README.md', 'package.json', 'tsconfig.json', 'src/index.ts']),
    );
    for (const file of files.filter((one) => /\.\w+$/.test(one))) {
      expect(readFileSync(join(path, file), 'utf8'), file).not.toMatch(/template/i);
    }
    expect(JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))).toMatchObject({
      name: `acme-${type}`,
      description: expect.stringMatching(/^An? .*\.$/),
      peerDependencies: { 'atlas-query': '^0.1.0' },
      devDependencies: { vitest: expect.anything(), typescript: expect.anything() },
    });
    const exported = `acme${type.charAt(0).toUpperCase()}${type.slice(1)}`;
    writeFileSync(
      join(folder.path, 'atlas.config.ts'),
      `import { defineConfig } from 'atlas-query';
import { selfHosted } from 'atlas-query/presets/self-hosted';
import { ${exported} } from './acme-${type}/src/index.ts';
export default defineConfig({ plugins: [...selfHosted(), ${exported}()] });\n`,
    );
    const listed = await atlas(['plugin', 'list', '--json'], { cwd: folder.path });
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(listed.stdout)).toContainEqual({
      id: `acme-${type}`,
      name: `acme-${type}`,
      type,
      version: '0.1.0',
      status: 'registered',
      description: expect.stringMatching(/^[A-Z].*\.$/),
    });
    expect(await atlas(['boot'], { cwd: folder.path })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('plugins ready'),
    });
  });

  it.each([
    ['my--plugin-', 'my-plugin', 'myPlugin'],
    ['x1-2y', 'x1-2y', 'x12y'],
    ['delete', 'delete', 'deletePlugin'],
    ['define', 'define', 'define'],
    ['define-plugin', 'define-plugin', 'definePluginPlugin'],
    ['a'.repeat(64), 'a'.repeat(64), 'a'.repeat(64)],
  ])('may be named %s', async (name, plugin, exported) => {
    using folder = emptyFolder();
    expect(await create(folder.path, name, '--type', 'action')).toMatchObject({ code: 0, stderr: '' });
    const source = readFileSync(join(folder.path, name, 'src/index.ts'), 'utf8');
    expect(source).toContain(`export const ${exported} = definePlugin({\n  name: '${plugin}',`);
  });

  it.each([
    [['x', '--type', 'database'], '--type is invalid: expected datasource, context, interaction, action or sandbox.'],
    [['x', '--type', 'contxt'], 'did you mean `context`?'],
    [['x'], '--type is missing.'],
    [['X', '--type', 'context'], '"X" is no name for a plugin'],
    [['a'.repeat(65), '--type', 'context'], 'is no name for a plugin'],
    [['../x', '--type', 'context'], '"../x" is no name for a plugin'],
    [['1x', '--type', 'context'], 'is no name for a plugin'],
    [['x\u001b[2J', '--type', 'context'], '"x\\u001b[2J" is no name for a plugin'],
    [['sql-guard', '--type', 'context'], '"sql-guard" is a plugin that comes with Atlas.'],
    [['http-', '--type', 'context'], '"http" is a plugin that comes with Atlas.'],
    [['fs', '--type', 'context'], '"fs" is a module of Node.js.'],
    [['vitest', '--type', 'context'], '"vitest" is a package that every plugin uses.'],
    [['atlas-query', '--type', 'context'], '"atlas-query" is a package that every plugin uses.'],
    [['x', '--type', 'context', '--json'], '"atlas plugin create" has no option --json.'],
  ])('is refused: %j', async (args, message) => {
    using folder = emptyFolder();
    const { code, stdout, stderr } = await create(folder.path, args[0] ?? '', ...args.slice(1));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('replaces nothing that is there, not even a link that leads nowhere', async () => {
    using folder = emptyFolder();
    mkdirSync(join(folder.path, 'one'));
    writeFileSync(join(folder.path, 'two'), 'mine');
    symlinkSync('nowhere', join(folder.path, 'three'));
    for (const name of ['one', 'two', 'three']) {
      const { code, stderr } = await create(folder.path, name, '--type', 'context');
      expect([code, stderr]).toEqual([1, `./${name} is there already. Choose another name, or remove it.\n`]);
    }
    expect(readdirSync(folder.path).sort()).toEqual(['one', 'three', 'two']);
    expect(existsSync(join(folder.path, 'one/package.json'))).toBe(false);
  });
});

describe('where a new plugin gets Atlas from', () => {
  const own = { ...ownPackage(), folder: '/nowhere/node_modules/atlas-query' };

  it.each([
    ['file:../packed/atlas-query-0.1.0.tgz', 'file:../../packed/atlas-query-0.1.0.tgz'],
    ['file:atlas-query-0.1.0.tgz', 'file:../atlas-query-0.1.0.tgz'],
    ['./atlas-query-0.1.0.tgz', 'file:../atlas-query-0.1.0.tgz'],
    ['https://example.com/atlas-query.tgz', 'https://example.com/atlas-query.tgz'],
    ['^0.1.0', undefined],
    ['workspace:*', undefined],
  ])('a project that depends on %s: %s', (spec, expected) => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, 'package.json'), JSON.stringify({ dependencies: { 'atlas-query': spec } }));
    expect(localPackage(folder.path, join(folder.path, 'x'), own)).toBe(expected);
  });
});
