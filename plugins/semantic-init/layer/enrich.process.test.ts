/** Tests `atlas init --enrich` with the provider package against a server of the OpenAI protocol. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
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

describe('--languages', () => {
  /** A model that knows German and French, and that says too much. */
  const respond = ({ question, instructions }: { readonly question: string; readonly instructions: string }) => {
    if (!instructions.startsWith('You translate')) return { text: '{}' };
    const { languages, parts } = JSON.parse(question) as {
      languages: object;
      parts: { id: string; values?: string[] }[];
    };
    const [code = ''] = Object.keys(languages);
    const reply = parts.map(({ id, values }) => {
      const ofValues = Object.fromEntries((values ?? []).map((value) => [value, [`${code} ${value}`, value, 7]]));
      return [id, { [code]: values ? { ...ofValues, unknown: ['no'] } : [`${code} ${id}`, 7, ''], xx: ['no'] }];
    });
    return { text: JSON.stringify({ ...Object.fromEntries(reply), unknown: { [code]: ['no'] } }) };
  };

  async function shopWith(server: { readonly url: string }, folder: { readonly path: string }) {
    shop(folder.path);
    const env = {
      ...{ SVC_DATASOURCE_URL: 'sqlite:shop.db', SVC_PROVIDER: 'openai-compatible', SVC_MODEL: 'm' },
      ...{ OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'k' },
    };
    const path = join(folder.path, 'semantic/entities/orders.yml');
    return {
      init: (...args: string[]) => atlas(['init', '--enrich', ...args], { cwd: folder.path, env }),
      text: () => readFileSync(path, 'utf8'),
      write: (text: string) => writeFileSync(path, text),
    };
  }
  const asked = (server: { readonly requests: readonly { readonly instructions: string }[] }) =>
    server.requests.filter(({ instructions }) => instructions.startsWith('You translate'));

  it('adds words where there are none, once, and sends nothing hidden', async () => {
    using folder = emptyFolder();
    await using server = await startOpenAIServer({ respond });
    const { init, text } = await shopWith(server, folder);
    expect(await init('--languages', 'de,fr')).toMatchObject({ code: 0, stderr: '' });
    expect(asked(server)).toHaveLength(2);
    expect(JSON.stringify(asked(server))).not.toMatch(/example\.org|password|h11/);
    const orders = parse(text());
    expect(orders.translations).toEqual({ de: ['de orders'], fr: ['fr orders'] });
    const dimension = (name: string) => orders.dimensions.find((one: { name: string }) => one.name === name);
    expect(dimension('status').translations).toEqual({ de: ['de orders.status'], fr: ['fr orders.status'] });
    // Each value by its own name, and nothing that was not asked for.
    expect(dimension('status').value_translations).toEqual({
      de: { sent: ['de sent'], open: ['de open'] },
      fr: { sent: ['fr sent'], open: ['fr open'] },
    });
    expect([dimension('password').translations, dimension('id').translations]).toEqual([undefined, undefined]);
    const written = text();
    expect((await init('--languages', 'de,fr')).stdout).toContain('; 0 files written,');
    expect([text() === written, asked(server).length]).toEqual([true, 2]);
    expect((await atlas(['validate'], { cwd: folder.path, env: { SVC_DATASOURCE_URL: 'sqlite:shop.db' } })).code).toBe(
      0,
    );
  });

  it('leaves what people wrote, and everything around it', async () => {
    using folder = emptyFolder();
    await using server = await startOpenAIServer({ respond });
    const { init, text, write } = await shopWith(server, folder);
    const before = [
      'table: orders # what was sold',
      'translations: { de: [Auftrag] } # ours',
      'dimensions:',
      "  - { name: total, type: number, translations: { de: ['Betrag'] } }",
      '  - name: status',
      '    # where it stands',
      '    description: Where it stands.',
      '    translations:',
      '      de:',
      '        - Zustand',
      '',
    ].join('\r\n');
    mkdirSync(join(folder.path, 'semantic/entities'), { recursive: true });
    mkdirSync(join(folder.path, 'semantic/metrics'));
    write(before);
    const metrics = join(folder.path, 'semantic/metrics/own.yml');
    writeFileSync(metrics, 'id: big\nsql: count(*)\nentity: orders\n');
    expect(await init('--languages', 'de,fr')).toMatchObject({ code: 0, stderr: '' });
    const orders = parse(text());
    expect(orders.translations).toEqual({ de: ['Auftrag'], fr: ['fr orders'] });
    const [total, status] = orders.dimensions;
    expect(total.translations).toEqual({ de: ['Betrag'], fr: ['fr orders.total'] });
    expect(status.translations).toEqual({ de: ['Zustand'], fr: ['fr orders.status'] });
    for (const line of before.split('\r\n').filter((one) => !one.includes('{')))
      expect(text()).toContain(`${line}\r\n`);
    expect(text()).toContain('# ours');
    expect(readFileSync(metrics, 'utf8')).toBe(
      'id: big\nsql: count(*)\nentity: orders\ntranslations: {de: [de metric big], fr: [fr metric big]}\n',
    );
  });

  it('is refused without --enrich and for a language that is not known', async () => {
    using folder = emptyFolder();
    const env = { SVC_DATASOURCE_URL: 'sqlite:shop.db' };
    const run = (...args: string[]) => atlas(['init', ...args], { cwd: folder.path, env });
    expect((await run('--languages', 'de')).stderr).toContain('--languages belongs to --enrich.');
    expect((await run('--enrich', '--languages', 'de,xx')).stderr).toContain(
      '--languages is invalid: expected languages out of de, fr, es, pt, ja, separated by commas.',
    );
  });
});
