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

it('while questions hold much, gaps between what is in use are closed', () => {
  const limits = new URL('./heap-limits.ts', import.meta.url);
  const probe = `import { channel } from 'node:diagnostics_channel';import v8 from 'node:v8';
    import { limitHeapGrowth } from '${limits}';
    limitHeapGrowth();
    const heldOf = channel('atlas:agent:held');
    const sizes = [];
    for (const bytes of [0, 20e6, 10e6, 1e6]) {
      heldOf.publish({ bytes });
      // Parsed texts stand one behind another; of four, three go.
      let texts = Array.from({ length: 8_000 }, (_, n) => JSON.parse('["' + String(n).padEnd(8_000) + '"]')[0]);
      gc();
      texts = texts.filter((_, n) => n % 4 === 0);
      gc();
      await new Promise(setImmediate);
      gc();
      const old = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space');
      sizes.push(old.physical_space_size - texts.length);
    }
    process.stdout.write(JSON.stringify(sizes));`;
  const args = ['--expose-gc', '--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', probe];
  const [before = 0, much = 0, less = 0, little = 0] = JSON.parse(
    execFileSync(process.execPath, args, { encoding: 'utf8' }),
  );
  // V8 also closes some of them by itself, now and then.
  const withGaps = Math.min(before, little);
  expect(much).toBeLessThan(0.85 * withGaps);
  expect(less).toBeLessThan(0.9 * withGaps);
});
