import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { emptyFolder } from '../test/harness/command.ts';

const BIN = fileURLToPath(new URL('./atlas.mjs', import.meta.url));
const MIB = 1024 * 1024;

/** Of modes, databases and providers that are not configured. */
const FOREIGN = /^(jose|better-auth|zod|ai|pg|mysql2|nodemailer|@(ai-sdk\/openai.*|duckdb\/.*|opentelemetry\/.*))$/;

it('loading the modules leaves a small young generation, and no library that is not needed', () => {
  using folder = emptyFolder();
  const probe = `data:text/javascript,import v8 from 'node:v8';import { registerHooks } from 'node:module';
    const packages = new Set();
    registerHooks({ load(url, context, next) {
      packages.add(/.*node_modules.((?:@[^/]+.)?[^/]+)/.exec(url)?.[1]);
      return next(url, context);
    } });
    process.on('exit', () => {
      const { space_size } = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
      process.stderr.write('young generation: ' + space_size + ', packages: ' + [...packages].join(' ') + '.');
    })`;
  const args = ['--import', probe, BIN, 'boot'];
  const said = execFileSync('/bin/sh', ['-c', 'exec "$@" 2>&1', 'sh', process.execPath, ...args], {
    cwd: folder.path,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, SVC_DATASOURCE_URL: 'sqlite:shop.db', SVC_PROVIDER: 'offline' },
  });
  const [, bytes, packages = ''] = /young generation: (\d+), packages: (.*)\./.exec(said) ?? [];
  expect(Number(bytes)).toBeGreaterThan(0);
  expect(Number(bytes)).toBeLessThanOrEqual(16 * MIB);
  expect(packages.split(' ')).toContain('fastify');
  expect(packages.split(' ').filter((name) => FOREIGN.test(name))).toEqual([]);
});
