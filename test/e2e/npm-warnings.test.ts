/** npm in a clone, on a Node that packages do not want: what it warns of is no fault, since the clone brings its own. */
import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../harness/command.ts';

it('says nothing of the version of Node', () => {
  using folder = emptyFolder();
  const root = join(import.meta.dirname, '../..');
  const file = { name: 'clone', version: '1.0.0', engines: { node: '>=99' } };
  const lock = { ...file, lockfileVersion: 3, requires: true, packages: { '': file } };
  const write = (name: string, content: object) => writeFileSync(join(folder.path, name), JSON.stringify(content));
  write('package.json', file);
  write('package-lock.json', lock);
  // What runs these tests may have told npm how loud to be.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const ci = () => spawnSync('npm', ['ci', '--offline'], { cwd: folder.path, encoding: 'utf8', env });
  expect(ci().stderr).toContain('EBADENGINE');
  cpSync(join(root, '.npmrc'), join(folder.path, '.npmrc'));
  expect(ci()).toMatchObject({ status: 0, stderr: '' });
});
