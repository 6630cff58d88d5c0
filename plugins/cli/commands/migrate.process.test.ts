import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atlas, emptyFolder } from '../../../test/harness/command.ts';

const config = (upOfSecond: string) => `
  import { defineConfig, definePlugin, storeMigrations } from 'atlas-query';
  import { internalDb } from 'atlas-query/plugins/internal-db';
  const notes = definePlugin({
    name: 'notes', version: '1.0.0', type: 'core', description: 'Has tables.', needs: { internalDb },
    setup(ctx) {
      ctx.tap(storeMigrations, () => [
        { name: '0001-notes', up: (trx) => trx.schema.createTable('notes', (table) => table.text('text')) },
        { name: '0002-first', up: (trx) => ${upOfSecond} },
      ]);
    },
  });
  export default defineConfig({ plugins: [internalDb({ url: process.env.DATABASE_URL }), notes()] });
`;

const GOOD = "trx('notes').insert({ text: 'first' })";
const BROKEN = "trx('nowhere').insert({ text: 'a secret value' })";

/** Runs `atlas migrate` in a folder with this configuration, on a SQLite file there. */
function project(folder: string, upOfSecond = GOOD) {
  writeFileSync(join(folder, 'atlas.config.ts'), config(upOfSecond));
  const env = { DATABASE_URL: 'sqlite:data/atlas.db' };
  return (...flags: string[]) => atlas(['migrate', ...flags], { cwd: folder, env });
}

describe('atlas migrate', { timeout: 120_000 }, () => {
  it('shows what is missing and changes nothing; --apply does it, once', async () => {
    using folder = emptyFolder();
    const migrate = project(folder.path);
    const dry = await migrate();
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toMatch(/plugin.*migration.*state/);
    expect(dry.stdout).toMatch(/notes.*0001-notes.*missing[\s\S]*notes.*0002-first.*missing/);
    expect(dry.stdout).toContain('Dry run: 2 migrations would be applied. Run atlas migrate --apply');
    expect(existsSync(join(folder.path, 'data'))).toBe(false);

    const applied = await migrate('--apply');
    expect(applied.code).toBe(0);
    expect(applied.stdout).toMatch(
      /0001-notes.*applied now[\s\S]*0002-first.*applied now[\s\S]*Applied 2 migrations\./,
    );

    const again = await migrate('--apply');
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/0001-notes.*applied \d{4}-\d\d-\d\dT[\s\S]*The internal database is up to date\./);
  });

  it('prints JSON', async () => {
    using folder = emptyFolder();
    const migrate = project(folder.path);
    expect(JSON.parse((await migrate('--json')).stdout)).toEqual([
      { plugin: 'notes', name: '0001-notes', state: 'missing', appliedAt: null },
      { plugin: 'notes', name: '0002-first', state: 'missing', appliedAt: null },
    ]);
    const applied = JSON.parse((await migrate('--json', '--apply')).stdout);
    expect(applied).toMatchObject([{ state: 'applied now', appliedAt: expect.any(String) }, { state: 'applied now' }]);
  });

  it('a failing migration is named, and those before it stay', async () => {
    using folder = emptyFolder();
    const failed = await project(folder.path, BROKEN)('--apply');
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(
      /^The migration "0002-first" of plugin "notes" failed and was rolled back: .*nowhere/,
    );
    expect(failed.stderr).not.toMatch(/a secret value|\n\s+at /);
    const corrected = await project(folder.path)();
    expect(corrected.stdout).toMatch(/0001-notes.*applied \d{4}[\s\S]*0002-first.*missing[\s\S]*1 migration would/);
  });

  it('two at once apply each once', async () => {
    using folder = emptyFolder();
    const migrate = project(folder.path);
    const runs = await Promise.all([migrate('--apply', '--json'), migrate('--apply', '--json')]);
    const states = runs.flatMap(({ stdout }) => (JSON.parse(stdout) as { state: string }[]).map(({ state }) => state));
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(states.filter((state) => state === 'applied now')).toHaveLength(2);
    expect(states.filter((state) => state === 'applied')).toHaveLength(2);
  });

  it('says in one sentence when there is no database, or none that can be reached', async () => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, 'atlas.config.ts'), config(GOOD));
    const run = (env: Record<string, string>) => atlas(['migrate'], { cwd: folder.path, env });
    expect(await run({})).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'There is no internal database to migrate: DATABASE_URL is not set. Set it to "postgres://…" or "sqlite:PATH".\n',
    });
    const unreachable = await run({ DATABASE_URL: 'postgres://user:geheim@127.0.0.1:1/atlas' });
    expect(unreachable).toMatchObject({ code: 1, stdout: '' });
    expect(unreachable.stderr).toMatch(/^The internal database is not available: the server does not accept/);
    const malformed = await run({ DATABASE_URL: 'mysql://user:geheim@host/db' });
    expect(malformed.code).toBe(1);
    expect(malformed.stderr).toContain('DATABASE_URL is invalid: expected a URL that begins with postgres:');
    expect(`${unreachable.stderr}${malformed.stderr}`).not.toMatch(/geheim|\n\s+at /);

    writeFileSync(join(folder.path, 'atlas.config.ts'), 'export default { plugins: [] };');
    expect(await run({})).toMatchObject({ code: 1, stderr: expect.stringContaining('the composition leaves it out') });
  });
});
