/** Every block of the README and of the pages for readers is run in order, with servers of our own in their places. */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, describe, expect, it } from 'vitest';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { loadSemanticLayer } from '../../plugins/semantic-layer/index.ts';
import { atlas, emptyFolder, serve } from '../harness/command.ts';
import { commandHost } from '../harness/command-host.ts';
import { blocksOf, type DocBlock, DocShell } from '../harness/doc-blocks.ts';
import { layerFolder } from '../harness/layer-folder.ts';

const root = join(import.meta.dirname, '../..');
const OUR_DATABASE = (text: string) => text.replace(/postgres:\/\/reader:secret@localhost\/shop/, 'sqlite:shop.db');

const host = await commandHost();
afterAll(() => host[Symbol.asyncDispose]());

/** The README's question about what its file of the layer has added. */
const AFTER_A_CHANGED_FILE = 2;

/** A project with its own composition. */
function project(folder: string, config: string): void {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  cpSync(join(root, 'semantic'), join(folder, 'semantic'), { recursive: true });
  writeFileSync(join(folder, 'atlas.config.ts'), config);
}

/** The composition of an example with its `plugins` or some of them in place of a block's `…`. */
function completed(block: string): string {
  const example = readFileSync(join(root, 'examples/two-databases/atlas.config.ts'), 'utf8');
  const named = new Set(Array.from(block.matchAll(/import \{ (\w+) \}/g), ([, name]) => name));
  const imports = [...example.matchAll(/^import \{ (\w+) \}.*$/gm)].filter(([, name]) => !named.has(name ?? ''));
  const body = /plugins: \[\n([\s\S]*)\n {2}\],/.exec(example)?.[1] ?? '';
  const calls = body.split(/\n(?= {4}\w)/).filter((call) => !named.has(/\w+/.exec(call)?.[0] ?? ''));
  return block
    .replace('// …', imports.map(([line]) => line).join('\n'))
    .replace(/\/\* … \*\/,?/, `${calls.join('\n').replace(/,$/, '')},`);
}

async function boots(config: string): Promise<void> {
  using folder = emptyFolder();
  project(folder.path, config);
  cpSync(join(root, 'examples/own-plugin/business-hours.ts'), join(folder.path, 'business-hours.ts'));
  expect(await host.atlas(['boot'], { cwd: folder.path })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('plugins ready'),
  });
}

describe('README.md', () => {
  const blocks = blocksOf('README.md');

  it('the two commands at the top do what the package says', () => {
    const [first] = blocks;
    expect(first?.text).toContain('npm ci && npm run demo');
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(scripts).toMatchObject({ demo: 'node bin/atlas.mjs demo', test: 'vitest run --project=!process' });
  });

  it('the way to an answer of one’s own, and every start, work as written', async () => {
    using folder = emptyFolder();
    createSimpleDemo(join(folder.path, 'shop.db'));
    await using shell = await DocShell.open(folder.path);
    const outputs: string[] = [];
    for (const { language, text } of blocks) {
      const [, path] = /^# (\S+\.yml)\n/.exec(text) ?? [];
      if (path !== undefined) writeFileSync(join(folder.path, path), text);
      if (language !== 'sh') continue;
      const at = outputs.length;
      const run = async () => {
        outputs[at] = await shell.run(OUR_DATABASE(text));
        return outputs[at];
      };
      // The server notices a changed file a moment later.
      if (at === AFTER_A_CHANGED_FILE) await expect.poll(run, { interval: 500 }).toMatch(/Revenue: [\d,.]+\./);
      else await run();
    }
    expect(outputs[0]).toMatch(/Read 3 tables; \d files written/);
    expect(outputs[1]).toMatch(/│ completed +│ +4244 │/);
    for (const output of outputs.slice(3)) expect(output).toContain('Atlas is listening on');
  });

  it('a layer of the one file it shows answers the question beside it', async () => {
    using folder = emptyFolder();
    createSimpleDemo(join(folder.path, 'shop.db'));
    const file = blocks.find(({ language }) => language === 'yaml')?.text ?? '';
    mkdirSync(join(folder.path, 'layer/entities'), { recursive: true });
    writeFileSync(join(folder.path, 'layer/entities/orders.yml'), file);
    await using server = await serve({
      cwd: folder.path,
      env: { SVC_DATASOURCE_URL: 'sqlite:shop.db', SVC_SEMANTIC_DIR: './layer' },
    });
    const question =
      /npx atlas query "(What was the revenue[^"]*)"/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? '';
    const asked = await atlas(['query', question], { cwd: folder.path, env: { SVC_API_URL: server.url } });
    expect(asked.stdout).toMatch(/Revenue: [\d,.]+\./);
  });

  it('the composition boots, and so does the plugin in one', async () => {
    const [preset, composition, plugin] = blocks.flatMap(({ language, text }) => (language === 'ts' ? [text] : []));
    await boots(preset ?? '');
    await boots(completed(composition ?? ''));
    const imports = "import { definePlugin, sqlSettled, Type } from 'atlas-query';\n";
    await boots(
      `${imports}${plugin}\n${completed("import { defineConfig } from 'atlas-query';\n// …\nexport default defineConfig({ plugins: [slowQueries(), /* … */] });")}`.replaceAll(
        "import { defineConfig } from 'atlas-query';\nimport { defineConfig } from 'atlas-query';",
        "import { defineConfig } from 'atlas-query';",
      ),
    );
  });

  it('has no other block', () => {
    const kinds = blocks.map(({ language }: DocBlock) => language);
    expect(kinds.filter((kind) => !['sh', 'yaml', 'ts'].includes(kind))).toEqual(['', '']);
  });
});

async function toParquet(csv: string, path: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (SELECT * FROM read_csv('${csv}')) TO '${path}'`);
  connection.closeSync();
}

/** Examples with another server, database, project or package, which the tests of those commands run. */
const ELSEWHERE =
  /…|example\.com|completions (zsh|fish)|--bird-path|--from|--enrich|--replay|--demo|--connection warehouse|plugin add|upgrade --check/;

/** Commands that go on, or read standard input. */
const OWN_PROCESS = /atlas (?:serve|chat|mcp)\b/;

it('docs/cli.md: every example runs', { timeout: 300_000 }, async () => {
  using folder = emptyFolder();
  createSimpleDemo(join(folder.path, 'shop.db'));
  for (const layer of ['semantic', 'own'])
    cpSync(join(root, 'semantic'), join(folder.path, layer), { recursive: true });
  mkdirSync(join(folder.path, 'data'));
  for (const name of ['orders.csv', 'customers.csv']) writeFileSync(join(folder.path, name), 'id\n1\n');
  writeFileSync(join(folder.path, 'questions.txt'), 'How many orders are there?\n');
  const revenue = 'name: revenue\nquestion: What is our revenue?\nsql: SELECT COUNT(*) AS orders FROM orders\n';
  writeFileSync(join(folder.path, 'revenue.yml'), revenue);
  mkdirSync(join(folder.path, 'eval/cases'), { recursive: true });
  cpSync(join(root, 'eval/cases/simple.yml'), join(folder.path, 'eval/cases/simple.yml'));
  await toParquet(join(folder.path, 'orders.csv'), join(folder.path, 'data/orders.parquet'));
  const serving = {
    SVC_DATASOURCE_URL: 'sqlite:shop.db',
    DATABASE_URL: 'sqlite:server.db',
    SVC_EXPORT_URL: 'file:exports',
  };
  await using server = await serve({ cwd: folder.path, env: serving });
  mkdirSync(join(folder.path, '.bin'));
  host.writeProgram(join(folder.path, '.bin/atlas'));
  const lines = blocksOf('docs/cli.md').flatMap(({ text }) => text.match(/(?<=^\$ ).*$/gm) ?? []);
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) {
    if (ELSEWHERE.test(line)) continue;
    // One that goes on serving is seen to listen.
    const command = line.replace('--port 8080', '--port 0').replace(/\batlas demo(?!.*--once)/, '$& --once');
    const env = {
      SVC_API_URL: server.url,
      SVC_DATASOURCE_URL: 'sqlite:shop.db',
      SVC_SEMANTIC_DIR: './own',
      DATABASE_URL: 'sqlite:atlas.db',
      SVC_LOG_LEVEL: 'error',
    };
    await using shell = await DocShell.open(folder.path);
    await shell.run(OWN_PROCESS.test(line) ? command.replace(/\batlas /, 'npx atlas ') : command, env);
  }
});

it('docs/configuration.md: the compositions boot', async () => {
  const blocks = blocksOf('docs/configuration.md').filter(({ language }) => language === 'ts');
  expect(blocks).toHaveLength(3);
  for (const { text } of blocks) await boots(text.includes('// …') ? completed(text) : text);
});

it('docs/semantic-layer.md: every file shown is read without a problem', async () => {
  const names = ['entities/orders', 'metrics/sales', 'glossary', 'catalog', 'entities/invoices', 'entities/customers'];
  const files = blocksOf('docs/semantic-layer.md').filter(({ language }) => language === 'yaml');
  expect(files).toHaveLength(names.length);
  using folder = layerFolder(Object.fromEntries(files.map(({ text }, index) => [`${names[index]}.yml`, text])));
  const { problems, entities } = await loadSemanticLayer(folder.dir);
  expect([problems, entities.length]).toEqual([[], 3]);
});

it('docs/authentication.md: every block runs against its server', async () => {
  using folder = emptyFolder();
  await using shell = await DocShell.open(folder.path);
  const key = 'a-key-of-a-test-that-is-long-enough';
  let id = '';
  for (const { language, text } of blocksOf('docs/authentication.md')) {
    expect(language).toBe('sh');
    // Without an identity provider, the test checks that the server starts and refuses an invalid token.
    if (text.includes('$JWT')) {
      await expect(shell.run(text, { JWT: 'none' })).rejects.toThrow('401');
      continue;
    }
    if (text.includes('id=…')) {
      const [upTo = '', from = ''] = text.split(/^id=….*$/m);
      await shell.run(`${upTo}\ndeclare -p > state`, {});
      await shell.run(
        'source state 2>/dev/null || true\ncurl $api/api/auth/sign-up/email -H "$json" -d \'{"email":"bob@example.com","password":"correct horse","name":"Bob"}\'',
      );
      const users = await shell.run(
        'source state 2>/dev/null || true\ncurl -b jar "$api/api/v1/admin/users?search=bob"',
      );
      id = /"id":"([^"]+)"/.exec(users)?.[1] ?? '';
      await shell.run(`source state 2>/dev/null || true\nid=${id}\n${from}`);
      continue;
    }
    await shell.run(text.replace('$(openssl rand -hex 32)\n', `${key}\n`), {
      SVC_API_KEY: key,
      ...(text.includes('AUTHLIB') && { SVC_AUTH_MODE: 'managed' }),
    });
  }
  expect(id).not.toBe('');
});

it('docs/administration.md and the pages that go on from it: every block runs', async () => {
  using folder = emptyFolder();
  createSimpleDemo(join(folder.path, 'shop.db'));
  cpSync(join(root, 'semantic'), join(folder.path, 'semantic'), { recursive: true });
  writeFileSync(join(folder.path, '.env'), 'SVC_DATASOURCE_URL=sqlite:shop.db\nSVC_CONNECTION_FILES_DIR=.\n');
  await using shell = await DocShell.open(folder.path);
  const pages = ['administration', 'connections', 'approval-rules'];
  const outputs: string[] = [];
  for (const { language, text } of pages.flatMap((page) => blocksOf(`docs/${page}.md`))) {
    expect(language).toBe('sh');
    outputs.push(await shell.run(text.replace(/postgres:\/\/[^"]+/, 'sqlite:shop.db')));
  }
  expect(outputs).toEqual([
    expect.stringContaining('Atlas is listening on'),
    expect.stringContaining('"action":"prompt_collection.created"'),
    expect.stringContaining('"outcome":"answered"'),
    expect.stringMatching(/"id":"warehouse".*"status":"ok".*"success":true/s),
    expect.stringMatching(/"pendingActions":\[.*"action_type":"sql"/s),
  ]);
});

it('docs/security.md: what it runs is there', () => {
  const [block] = blocksOf('docs/security.md');
  const paths = block?.text.match(/\b(?:plugins|test)\/[\w-]+/g) ?? [];
  expect(paths.length).toBeGreaterThan(3);
  for (const path of paths) expect(existsSync(join(root, path)), path).toBe(true);
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [, name = ''] of block?.text.matchAll(/npm run (\S+)/g) ?? []) expect(scripts).toHaveProperty([name]);
});
