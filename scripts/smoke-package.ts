/**
 * Packs the package, or takes the file that ATLAS_PACKAGE names, installs it in an empty folder, and has it answer: the
 * demo, and a composition of the folder's own `atlas.config.ts` with an unknown database and semantic layer.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import Database from 'better-sqlite3';
import { createPlugins } from './created-plugins.ts';
import { followGuide, forgetBeginnings, GUIDES } from './follow-guide.ts';
import { OPTIONAL_PACKAGES } from './optional-packages.ts';
import { buildOutsideProject } from './outside-project.ts';
import { packClone } from './pack-clone.ts';
import { installPnpm } from './pnpm.ts';
import { serve } from './serve-command.ts';

/** On disk, with everything that it depends on. */
const MOST_INSTALLED_MB = 125;

const folder = mkdtempSync(join(tmpdir(), 'atlas-smoke-'));
const run = (command: string, args: readonly string[], cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

process.env.PATH = `${installPnpm(join(folder, 'tools'))}${delimiter}${process.env.PATH}`;

// `.ci/run` has packed it for a test as well.
const tarball = process.env.ATLAS_PACKAGE ?? packClone(folder);
writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'smoke', private: true, type: 'module' }));
run('npm', ['install', '--no-audit', '--no-fund', tarball]);

const installedMb = Number(run('du', ['-sm', 'node_modules']).split('\t', 1)[0]);
assert.ok(installedMb <= MOST_INSTALLED_MB, `installed, the package takes ${installedMb} MB`);
console.log(`installed, the package takes ${installedMb} MB`);

for (const { packages } of OPTIONAL_PACKAGES) {
  run('npm', ['install', '--dry-run', '--no-audit', '--no-fund', '--prefer-offline', ...packages]);
}
console.log('every command of the optional packages resolves');

const demo = run('npx', ['atlas', 'demo', '--once']);
assert.match(demo, /SELECT/, 'the demo shows its SQL');

// What is optional is named by the start that needs it.
for (const [env, install] of [
  [{ SVC_DATASOURCE_URL: 'duckdb:shop.duckdb' }, 'npm i @duckdb/node-api'],
  [{ SVC_DATASOURCE_URL: 'mysql://reader:secret@localhost/shop' }, 'npm i mysql2'],
  [{ SVC_DATASOURCE_URL: 'clickhouse://reader:secret@localhost/shop' }, 'npm i @clickhouse/client'],
  [{ SVC_DATASOURCE_URL: 'bigquery://lake/shop' }, 'npm i google-auth-library'],
  [{ DATABASE_URL: 'sqlite:atlas.db', AUTHLIB_SECRET: 'x'.repeat(32) }, 'npm i better-auth'],
  [{ SVC_METRICS_ENABLED: 'true' }, 'npm i @opentelemetry/api '],
  [{ SVC_SCHEDULER_ENABLED: 'true', SVC_SMTP_URL: 'smtp://localhost' }, 'npm i nodemailer'],
  [{ DATABASE_URL: 'postgres://atlas@localhost/atlas', SVC_SCHEDULER_ENABLED: 'true' }, 'npm i pg-boss'],
] as const) {
  const started = spawnSync(join(folder, 'node_modules/.bin/atlas'), ['boot'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  assert.equal(started.status, 1);
  assert.match(started.stderr, new RegExp(`not installed\\. Run: ${install}`));
}

const database = new Database(join(folder, 'fleet.db'));
database.exec(`CREATE TABLE trucks (id INTEGER PRIMARY KEY, depot TEXT, load_kg REAL);
  INSERT INTO trucks (depot, load_kg) VALUES ('Graz', 120), ('Graz', 80), ('Linz', 50)`);
database.close();
mkdirSync(join(folder, 'layer', 'entities'), { recursive: true });
writeFileSync(
  join(folder, 'layer', 'entities', 'trucks.yml'),
  `table: trucks
description: One row per truck.
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: depot, type: string, sample_values: [Graz, Linz] }
  - { name: load_kg, type: number }
measures:
  - { name: truck_count, type: count, synonyms: [trucks] }
  - { name: total_load, sql: load_kg, type: sum }
`,
);
writeFileSync(
  join(folder, 'atlas.config.ts'),
  `import { defineConfig } from 'atlas-query';
import { agent } from 'atlas-query/plugins/agent';
import { authNone } from 'atlas-query/plugins/auth-none';
import { datasourceSqlite } from 'atlas-query/plugins/datasource-sqlite';
import { health } from 'atlas-query/plugins/health';
import { http } from 'atlas-query/plugins/http';
import { modelOffline } from 'atlas-query/plugins/model-offline';
import { queryApi } from 'atlas-query/plugins/query-api';
import { semanticLayer } from 'atlas-query/plugins/semantic-layer';
import { semanticQuery } from 'atlas-query/plugins/semantic-query';
import { sqlGuard } from 'atlas-query/plugins/sql-guard';
import { sqlLimits } from 'atlas-query/plugins/sql-limits';
import { webConsole } from 'atlas-query/plugins/web-console';

const port: number = 0;
export default defineConfig({
  plugins: [
    http({ port }), health(), authNone(), semanticLayer({ dir: './layer' }), semanticQuery(), sqlLimits(), sqlGuard(),
    datasourceSqlite({ connections: [{ id: 'default', url: 'sqlite:fleet.db' }] }), modelOffline(), agent(), queryApi(),
    webConsole(),
  ],
});
`,
);

const server = serve('npx atlas serve', folder);
try {
  const url = await server.url;
  const response = await fetch(`${url}/api/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question: 'Total load by depot' }),
  });
  const reply = (await response.json()) as { data: { rows: object[] }[] };
  assert.equal(response.status, 200, JSON.stringify(reply));
  const rows = (reply.data[0]?.rows ?? []).map((row) => Object.values(row).join(' ')).sort();
  assert.deepEqual(rows, ['Graz 200', 'Linz 50']);
  console.log('the packed tarball answers: Total load by depot ->', rows.join(', '));
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  assert.equal(page.status, 200, 'the web console is served');
  const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
  assert.equal((await fetch(new URL(script, url))).status, 200, 'the web console has its script');
  console.log('the packed tarball serves the web console');
  const documentation = await (await fetch(`${url}/docs/first-question.html`)).text();
  assert.match(documentation, /<h1[^>]*>First question/, 'the documentation is served');
  console.log('the packed tarball serves its documentation');
} finally {
  await server.stop();
}
buildOutsideProject(tarball);
console.log('a project with its own plugin, datasource and command compiles and runs with pnpm');
await createPlugins(tarball);
console.log('a created plugin of each type is green, and all of them serve, with pnpm');
for (const guide of GUIDES) {
  for (const manager of guide.managers) {
    await followGuide(guide, tarball, manager);
    console.log(`${guide.page} holds to the letter with ${manager}`);
  }
}
forgetBeginnings();
rmSync(folder, { recursive: true, force: true });
