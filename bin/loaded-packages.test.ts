import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { emptyFolder } from '../test/harness/command.ts';

const BIN = fileURLToPath(new URL('./atlas.mjs', import.meta.url));

/** Packages of modes, databases and providers that are not configured. */
const FOREIGN = /^(jose|better-auth|zod|ai|pg|mysql2|nodemailer|@(ai-sdk\/openai.*|duckdb\/.*|opentelemetry\/.*))$/;

it('a start loads no library of what is not configured', () => {
  using folder = emptyFolder();
  const probe = `data:text/javascript,import { registerHooks } from 'node:module';
    const packages = new Set();
    registerHooks({ load(url, context, next) {
      packages.add(/.*node_modules.((?:@[^/]+.)?[^/]+)/.exec(url)?.[1]);
      return next(url, context);
    } });
    process.on('exit', () => process.stderr.write('packages: ' + [...packages].join(' ') + '.'))`;
  const args = ['--import', probe, BIN, 'boot'];
  const said = execFileSync('/bin/sh', ['-c', 'exec "$@" 2>&1', 'sh', process.execPath, ...args], {
    cwd: folder.path,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, SVC_DATASOURCE_URL: 'sqlite:shop.db', SVC_PROVIDER: 'offline' },
  });
  const packages = /packages: (.*)\./.exec(said)?.[1]?.split(' ') ?? [];
  expect(packages).toContain('fastify');
  expect(packages.filter((name) => FOREIGN.test(name))).toEqual([]);
});
