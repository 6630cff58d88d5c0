/** Tests `atlas init --enrich` with the provider package against a server of the OpenAI protocol. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere as atlas } from '../../../test/harness/command-here.ts';
import { startOpenAIServer } from '../../../test/harness/openai-server.ts';

const REPLY = {
  entities: [
    {
      ...{
        name: 'orders',
        description: 'What customers\n bought.',
        synonyms: ['purchases', 7, ''],
        use_for: ['Sales'],
      },
      dimensions: [
        { name: 'status', description: 'Where the order is.', synonyms: ['state'] },
        { name: 'password', description: 'The key to everything.' },
        { name: 'unknown', description: 'Nothing.' },
        { name: 'total', description: 'x'.repeat(400) },
      ],
    },
    { name: 'other', description: 'Not asked for.' },
  ],
};

function shop(folder: string): void {
  const db = new Sqlite(join(folder, 'shop.db'));
  const rows = Array.from(
    { length: 20 },
    (_, n) => `(${n}, ${n}, '${n % 2 ? 'open' : 'sent'}', 'h${n}', 'Ann${n}@example.org')`,
  );
  db.exec(`CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL, status TEXT, password TEXT, buyer_email TEXT);
    INSERT INTO orders VALUES ${rows.join(', ')}`);
  db.close();
}

it('adds what is missing, sends no personal values, and overwrites nothing that a person wrote', async () => {
  using folder = emptyFolder();
  shop(folder.path);
  await using server = await startOpenAIServer({
    respond: () => ({ text: `\`\`\`json\n${JSON.stringify(REPLY)}\n\`\`\`` }),
  });
  const env = {
    ...{ SVC_DATASOURCE_URL: 'sqlite:shop.db', SVC_PROVIDER: 'openai-compatible', SVC_MODEL: 'm' },
    ...{ OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'k' },
  };
  const init = (...args: string[]) => atlas(['init', ...args], { cwd: folder.path, env });
  const file = () => readFileSync(join(folder.path, 'semantic/entities/orders.yml'), 'utf8');
  expect(await init('--enrich')).toMatchObject({ code: 0, stderr: '' });
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]?.text).toContain('status');
  expect(server.requests[0]?.text).not.toMatch(/example\.org|password|h11/);
  const orders = parse(file());
  expect(orders).toMatchObject({ description: 'What customers bought.', synonyms: ['purchases'] });
  const found = (name: string) => orders.dimensions.find((dimension: { name: string }) => dimension.name === name);
  expect(found('status')).toMatchObject({ description: 'Where the order is.', synonyms: ['state'] });
  expect([found('total').description, found('password').description, found('unknown')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(readFileSync(join(folder.path, 'semantic/catalog.yml'), 'utf8')).toContain('Sales');
  const before = file();
  expect((await init()).stdout).toContain('; 0 files written,');
  expect((await init('--enrich')).code).toBe(0);
  expect(file()).toBe(before);
});

it('goes on without a reply that is not what was asked for', async () => {
  using folder = emptyFolder();
  shop(folder.path);
  await using server = await startOpenAIServer({ respond: () => ({ text: 'Sorry, I cannot.' }) });
  const { code, stderr } = await atlas(['init', '--enrich'], {
    cwd: folder.path,
    env: {
      ...{ SVC_DATASOURCE_URL: 'sqlite:shop.db', SVC_PROVIDER: 'openai-compatible', SVC_MODEL: 'm' },
      ...{ OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'k' },
    },
  });
  expect([code, stderr]).toEqual([
    0,
    'The model has not described 1 tables: the reply was not the JSON that was asked for\n',
  ]);
});

it('needs a model', async () => {
  using folder = emptyFolder();
  shop(folder.path);
  const { code, stdout, stderr } = await atlas(['init', '--enrich'], {
    cwd: folder.path,
    env: { SVC_DATASOURCE_URL: 'sqlite:shop.db' },
  });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('--enrich needs a language model, and none is configured. Set the key of a provider');
  expect(existsSync(join(folder.path, 'semantic'))).toBe(false);
});
