/** Tests what `atlas validate` says of wrong configurations: which check, which exit code, no secret, no stack. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere } from '../../../test/harness/command-here.ts';
import { createSimpleDemo } from '../../demo-data/index.ts';

const folder = emptyFolder();
const ORDERS = { 'semantic/entities/orders.yml': 'table: orders\ndimensions:\n  - { name: id, type: number }\n' };
const SHOP = {
  SVC_DATASOURCE_URL: `sqlite:${join(folder.path, 'shop.db')}`,
  SVC_SEMANTIC_DIR: join(folder.path, 'semantic'),
};
const KEY = 'a-secret-a-secret-a-secret-a-secret';

beforeAll(() => createSimpleDemo(join(folder.path, 'shop.db')));
afterAll(() => folder[Symbol.dispose]());

type Case = readonly [
  what: string,
  env: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
  code: number,
  message: RegExp,
];

const CASES: readonly Case[] = [
  [
    'a port that is no number',
    { PORT: 'a-secret' },
    ORDERS,
    1,
    /^PORT is invalid: expected an integer from 0 to 65535\./,
  ],
  ['a port out of range', { PORT: '65536' }, ORDERS, 1, /^PORT is invalid/],
  ['a row limit of zero', { SVC_ROW_LIMIT: '0' }, ORDERS, 1, /^SVC_ROW_LIMIT is invalid/],
  ['a negative timeout', { SVC_QUERY_TIMEOUT_MS: '-5' }, ORDERS, 1, /^SVC_QUERY_TIMEOUT_MS is invalid/],
  ['too many steps', { SVC_MAX_STEPS: '26' }, ORDERS, 1, /^SVC_MAX_STEPS is invalid/],
  ['a body limit in words', { SVC_BODY_LIMIT: '1MB' }, ORDERS, 1, /^SVC_BODY_LIMIT is invalid/],
  ['an unknown log level', { SVC_LOG_LEVEL: 'verbose' }, ORDERS, 1, /^SVC_LOG_LEVEL is invalid: expected one of debug/],
  [
    'a flag that is neither',
    { SVC_ACTIONS_ENABLED: 'yes' },
    ORDERS,
    1,
    /^SVC_ACTIONS_ENABLED is invalid: expected true or false/,
  ],
  ['an unknown provider', { SVC_PROVIDER: 'skynet' }, ORDERS, 1, /^SVC_PROVIDER is invalid/],
  ['a provider without its key', { SVC_PROVIDER: 'openai' }, ORDERS, 1, /OPENAI_API_KEY/],
  ['another provider without its key', { SVC_PROVIDER: 'anthropic' }, ORDERS, 1, /ANTHROPIC_API_KEY/],
  ['two providers', { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY }, ORDERS, 1, /choose one with SVC_PROVIDER/],
  [
    'a datasource of an unknown scheme',
    { SVC_DATASOURCE_URL: 'oracle://u:a-secret@h/db' },
    ORDERS,
    1,
    /^SVC_DATASOURCE_URL is invalid: expected a URL that begins with/,
  ],
  ['a datasource without a host', { SVC_DATASOURCE_URL: 'postgres://' }, ORDERS, 1, /./],
  ['a datasource file that is missing', { SVC_DATASOURCE_URL: 'sqlite:gone.db' }, ORDERS, 1, /gone\.db/],
  ['a datasource file that is a folder', { SVC_DATASOURCE_URL: `sqlite:${folder.path}` }, ORDERS, 1, /./],
  [
    'a datasource file that is no database',
    { SVC_DATASOURCE_URL: `sqlite:${join(folder.path, 'text.db')}` },
    { ...ORDERS, 'text.db': 'not a database, but a text that is long enough to be read as one' },
    1,
    /./,
  ],
  ['a missing DuckDB file', { SVC_DATASOURCE_URL: 'duckdb:gone.duckdb' }, ORDERS, 1, /gone\.duckdb/],
  [
    'a datasource that is away',
    { SVC_DATASOURCE_URL: 'postgres://u:a-secret@127.0.0.1:9/db' },
    ORDERS,
    1,
    /Connection failed/,
  ],
  ['a MySQL server that is away', { SVC_DATASOURCE_URL: 'mysql://u:a-secret@127.0.0.1:9/db' }, ORDERS, 1, /./],
  [
    'an internal database of an unknown scheme',
    { DATABASE_URL: 'mysql://u:a-secret@h/db' },
    ORDERS,
    1,
    /^DATABASE_URL is invalid/,
  ],
  [
    'an internal database that is away',
    { DATABASE_URL: 'postgres://u:a-secret@127.0.0.1:9/db' },
    ORDERS,
    1,
    /internal database is not available/,
  ],
  ['an unknown mode', { SVC_AUTH_MODE: 'password' }, ORDERS, 1, /^SVC_AUTH_MODE is invalid/],
  ['managed without its secret', { SVC_AUTH_MODE: 'managed' }, ORDERS, 1, /set AUTHLIB_SECRET too/],
  [
    'managed with a short secret',
    { AUTHLIB_SECRET: 'a-secret', DATABASE_URL: 'sqlite:i.db' },
    ORDERS,
    1,
    /^AUTHLIB_SECRET is invalid/,
  ],
  ['managed without a database', { AUTHLIB_SECRET: KEY }, ORDERS, 1, /DATABASE_URL/],
  ['byot without an issuer', { SVC_AUTH_JWKS_URL: 'https://id.example.com/keys' }, ORDERS, 1, /SVC_AUTH_ISSUER/],
  [
    'byot with a wrong URL',
    { SVC_AUTH_JWKS_URL: 'keys', SVC_AUTH_ISSUER: 'x' },
    ORDERS,
    1,
    /^SVC_AUTH_JWKS_URL is invalid/,
  ],
  ['an empty key', { SVC_AUTH_MODE: 'api-key', SVC_API_KEY: '' }, ORDERS, 1, /SVC_API_KEY/],
  ['an unknown role', { SVC_API_KEY: KEY, SVC_API_KEY_ROLE: 'root' }, ORDERS, 1, /^SVC_API_KEY_ROLE is invalid/],
  [
    'row security without its column',
    { SVC_RLS_ENABLED: 'true' },
    ORDERS,
    1,
    /set SVC_RLS_COLUMN and SVC_RLS_CLAIM too/,
  ],
  ['row security that is not on', { SVC_RLS_COLUMN: 'tenant' }, ORDERS, 1, /SVC_RLS_ENABLED=true/],
  [
    'claims that are no JSON',
    { SVC_API_KEY: KEY, SVC_RLS_CLAIMS: '{a-secret' },
    ORDERS,
    1,
    /^SVC_RLS_CLAIMS is invalid/,
  ],
  ['an unknown platform', { SVC_DEPLOY_MODE: 'cloud' }, ORDERS, 1, /^SVC_DEPLOY_MODE is invalid/],
  ['a key of the wrong length', { SVC_ENCRYPTION_KEY: 'a-secret' }, ORDERS, 1, /SVC_ENCRYPTION_KEY/],
  [
    'an unknown variable',
    { SVC_ROWLIMIT: '5' },
    ORDERS,
    2,
    /^SVC_ROWLIMIT is not a variable of Atlas; did you mean SVC_ROW_LIMIT\?/,
  ],
  ['a missing layer folder', { SVC_SEMANTIC_DIR: './nowhere' }, ORDERS, 1, /nowhere/],
  ['a layer folder that is a file', { SVC_SEMANTIC_DIR: join(folder.path, 'shop.db') }, ORDERS, 1, /shop\.db/],
  ['an empty layer', {}, { 'semantic/readme.txt': 'nothing' }, 1, /./],
  [
    'a broken entity',
    {},
    { 'semantic/entities/orders.yml': 'table: orders\ndimensions: [\n' },
    1,
    /^entities\/orders\.yml:\d+:\d+: /,
  ],
  [
    'an unknown key',
    {},
    { 'semantic/entities/orders.yml': 'table: orders\ndimensons: []\n' },
    1,
    /^entities\/orders\.yml:2:1: .*dimensions/,
  ],
  [
    'a join to nowhere',
    {},
    {
      'semantic/entities/orders.yml':
        'table: orders\njoins:\n  - { target: gone, relationship: many_to_one, on: { from: id, to: id } }\n',
    },
    1,
    /^entities\/orders\.yml:3:\d+: .*gone/,
  ],
  [
    'a metric of no entity',
    {},
    { ...ORDERS, 'semantic/metrics/m.yml': 'id: m\nentity: gone\nsql: count(*)\n' },
    1,
    /^metrics\/m\.yml:\d+:\d+: /,
  ],
  ['a table that the database lacks', {}, { 'semantic/entities/orders.yml': 'table: ordres\n' }, 1, /ordres/],
  [
    'a configuration that does not parse',
    {},
    { ...ORDERS, 'atlas.config.ts': 'export default {' },
    1,
    /atlas\.config\.ts/,
  ],
];

it.each(CASES)('%s', async (_, env, files, code, message) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  try {
    const given = { SVC_PROVIDER: 'offline', ...SHOP, ...env };
    const clean = env.ANTHROPIC_API_KEY === undefined ? given : { ...given, SVC_PROVIDER: '' };
    const found = await atlasHere(['validate', '--json'], { cwd: folder.path, env: clean });
    const { checks } = JSON.parse(found.stdout) as { checks: { status: string; message?: string }[] };
    const faults = checks.filter(({ status }) => status !== 'ok').map((check) => check.message ?? '');
    expect({ code: found.code, stderr: found.stderr, faults }).toEqual({
      code,
      stderr: '',
      faults: expect.arrayContaining([expect.stringMatching(message)]),
    });
    expect(found.stdout).not.toMatch(/a-secret|\\n\s+at |node:internal/);
  } finally {
    for (const path of ['semantic', 'atlas.config.ts', 'text.db'])
      rmSync(join(folder.path, path), { recursive: true, force: true });
  }
});
