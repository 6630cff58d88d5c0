import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { emptyFolder } from '../test/harness/command.ts';

const BIN = fileURLToPath(new URL('./atlas.mjs', import.meta.url));
const MIB = 1024 * 1024;

it('loading the modules leaves a small young generation', () => {
  using folder = emptyFolder();
  const probe = `data:text/javascript,import v8 from 'node:v8';process.on('exit', () => {
    const { space_size } = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    process.stderr.write('young generation: ' + space_size);
  })`;
  const args = ['--import', probe, BIN, 'boot'];
  const said = execFileSync('/bin/sh', ['-c', 'exec "$@" 2>&1', 'sh', process.execPath, ...args], {
    cwd: folder.path,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, SVC_DATASOURCE_URL: 'sqlite:shop.db', SVC_PROVIDER: 'offline' },
  });
  const bytes = Number(/young generation: (\d+)/.exec(said)?.[1]);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(16 * MIB);
});
