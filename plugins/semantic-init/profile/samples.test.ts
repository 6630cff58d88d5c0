/** Tests which values `atlas init` writes to files: those of categories, and no personal data. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere as atlas } from '../../../test/harness/command-here.ts';
import { holdsCredential, isCategory, isNamedCredential, samplesOf, tenantTables } from '../../profile-kit/index.ts';

interface Entity {
  readonly dimensions: readonly {
    readonly name: string;
    readonly type: string;
    readonly hidden?: true;
    readonly sample_values?: string[];
    readonly range?: [string, string];
  }[];
  readonly row_count?: number;
  readonly measures: readonly { readonly name: string }[];
}

/** Runs the command on a database with these tables and generated rows. */
async function init(
  tables: Readonly<Record<string, { readonly columns: string; readonly rows: number; row(i: number): unknown[] }>>,
  env: Readonly<Record<string, string>> = {},
) {
  using folder = emptyFolder();
  const db = new Sqlite(join(folder.path, 'own.db'));
  for (const [name, { columns, rows, row }] of Object.entries(tables)) {
    db.exec(`CREATE TABLE ${name} (${columns})`);
    const marks = columns.split(',').map(() => '?');
    const insert = db.prepare(`INSERT INTO ${name} VALUES (${marks.join(', ')})`);
    db.transaction(() => {
      for (let i = 1; i <= rows; i += 1) insert.run(...row(i));
    })();
  }
  db.close();
  const ran = await atlas(['init'], { cwd: folder.path, env: { SVC_DATASOURCE_URL: 'sqlite:own.db', ...env } });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const texts = Object.keys(tables).map((name) => [
    name,
    readFileSync(join(folder.path, `semantic/entities/${name}.yml`), 'utf8'),
  ]);
  return {
    stdout: ran.stdout,
    texts: Object.fromEntries(texts) as Record<string, string>,
    entity: (name: string) => parse(Object.fromEntries(texts)[name]) as Entity,
  };
}

const samplesIn = ({ dimensions }: Entity) =>
  Object.fromEntries(dimensions.flatMap(({ name, sample_values }) => (sample_values ? [[name, sample_values]] : [])));
const rangesIn = ({ dimensions }: Entity) =>
  Object.fromEntries(dimensions.flatMap(({ name, range }) => (range ? [[name, range]] : [])));
const hiddenIn = ({ dimensions }: Entity) => dimensions.filter(({ hidden }) => hidden).map(({ name }) => name);
const of = <T>(i: number, ...list: T[]) => list[i % list.length] as T;

/** Columns whose values must not be written; the first are also hidden. */
const SECRET =
  'passphrase tokens secrets credentials apikey pin otp_seed recovery_codes hash signing_key access_key dsn password bearer cvv auth';
const PERSONAL =
  'name contact login diagnosis webhook_url note national_id dob ip email nickname iban_nr company tel contact_person';

describe('a table of people', () => {
  const columns = [...SECRET.split(' '), ...PERSONAL.split(' ')];
  const table = (rows: number, different: number) => ({
    columns: [
      'id INTEGER PRIMARY KEY',
      'settings JSON',
      'status TEXT',
      ...columns.map((name) => `${name} TEXT`),
    ].join(),
    rows,
    row: (i: number) => [i, '{}', of(i, 'open', 'closed'), ...columns.map(() => `value-${'x'.repeat(i % different)}`)],
  });

  it.each([
    ['all values different', table(12, 12)],
    ['values repeated', table(48, 2)],
  ])('shows none of their values: %s', async (_, people) => {
    const { entity, texts } = await init({ people });
    expect(samplesIn(entity('people'))).toEqual({ status: ['closed', 'open'] });
    expect(hiddenIn(entity('people')).sort()).toEqual(SECRET.split(' ').sort());
    expect(texts.people).not.toContain('value-');
  });

  it('hides credentials of any type, and offers no measure of them', async () => {
    const accounts = {
      columns: 'id INTEGER PRIMARY KEY, pin INTEGER, cvv INTEGER, settings JSON, remark TEXT, token_count INTEGER',
      rows: 6,
      row: (i: number) => [i, 1000 + i, 100 + i, '{"password":"hunter2"}', `postgres://u:pw${i}@db/x`, i],
    };
    const api_keys = { columns: 'id INTEGER PRIMARY KEY, value TEXT', rows: 6, row: (i: number) => [i, `v${i % 2}`] };
    const { entity } = await init({ accounts, api_keys });
    expect(hiddenIn(entity('accounts'))).toEqual(['pin', 'cvv', 'settings', 'remark']);
    expect(entity('accounts').measures.map(({ name }) => name)).toEqual([
      'account_count',
      'total_token_count',
      'average_token_count',
    ]);
    expect(hiddenIn(entity('api_keys'))).toEqual(['value']);
  });
});

describe('tenants', () => {
  const projects = {
    columns: 'id INTEGER PRIMARY KEY, tenant_id INTEGER, kind TEXT, begun_on DATE',
    rows: 1_100,
    row: (i: number) => [i, 1 + (i % 2), i % 2 === 0 ? 'Merger' : 'Audit', '2025-01-02'],
  };
  const tasks = {
    columns: 'id INTEGER PRIMARY KEY, project_id INTEGER, state TEXT',
    rows: 40,
    row: (i: number) => [i, i, i % 2 === 0 ? 'layoffs' : 'hiring'],
  };
  const colours = {
    columns: 'id INTEGER PRIMARY KEY, family TEXT',
    rows: 12,
    row: (i: number) => [i, of(i, 'warm', 'cold')],
  };

  it('no values are written of their tables and of tables that refer to them', async () => {
    const { entity, stdout } = await init({ projects, tasks, colours });
    expect(samplesIn(entity('projects'))).toEqual({});
    expect(rangesIn(entity('projects'))).toEqual({});
    expect(['projects', 'tasks', 'colours'].map((name) => entity(name).row_count)).toEqual([undefined, undefined, 12]);
    expect(samplesIn(entity('tasks'))).toEqual({});
    expect(samplesIn(entity('colours'))).toEqual({ family: ['cold', 'warm'] });
    expect(stdout).toContain('No sample values were written for tables whose rows belong to tenants: projects, tasks.');
  });

  it('no values are written when only row security knows the tenants', async () => {
    const env = { SVC_RLS_ENABLED: 'true', SVC_RLS_COLUMN: 'family', SVC_RLS_CLAIM: 'family' };
    const { entity, stdout } = await init(
      { colours },
      { ...env, SVC_AUTH_MODE: 'none', SVC_RLS_CLAIMS: '{"family":"warm"}' },
    );
    expect(samplesIn(entity('colours'))).toEqual({});
    expect(stdout).toContain('No sample values were written: row security is on');
  });

  it('are recognized by name in every schema, together with all views', () => {
    const table = (name: string, ...columns: string[]) => ({
      name,
      kind: name.startsWith('v_') ? ('view' as const) : ('table' as const),
      columns: columns.map((column) => ({ name: column, type: 'text', nullable: true })),
      primaryKey: [],
      foreignKeys: [],
    });
    const tables = [
      { ...table('orders', 'tenantId'), schema: 'live' },
      { ...table('orders', 'state'), schema: 'archive' },
      table('v_lines', 'state'),
      table('regions', 'organisation_chart'),
      table('organizations', 'plan'),
    ];
    expect([...tenantTables(tables)].sort()).toEqual(['orders', 'organizations', 'regions', 'v_lines']);
    expect([...tenantTables([table('v_lines', 'state'), table('customers', 'country')])]).toEqual([]);
  });
});

describe('ranges of times and numbers of rows', () => {
  const day = (i: number) => new Date(Date.UTC(2024, 0, i)).toISOString();
  const columns =
    'id INTEGER PRIMARY KEY, at TEXT, on_day DATE, birth_date DATE, diagnosed_on DATE, mixed DATE, token_secret DATE, never TIMESTAMP';
  const row = (i: number) => {
    const on = day(i).slice(0, 10);
    return [i, day(i), on, on, on, i === 3 ? 'soon' : on, on, null];
  };

  it.each([30, 1_500])('are those of all %i rows; none of lives, credentials and other texts', async (rows) => {
    const { entity } = await init({ visits: { columns, rows, row } });
    const last = day(rows);
    expect(entity('visits').row_count).toBe(rows);
    expect(rangesIn(entity('visits'))).toEqual({
      at: ['2024-01-01T00:00:00', last.slice(0, 19)],
      on_day: ['2024-01-01', last.slice(0, 10)],
    });
  });

  it('are not searched in a table of more than 100,000 rows', async () => {
    const { entity } = await init({
      events: {
        columns: 'id INTEGER PRIMARY KEY, on_day DATE',
        rows: 100_001,
        row: (i) => [i, day(i % 900).slice(0, 10)],
      },
    });
    expect(entity('events').row_count).toBeUndefined();
    expect(rangesIn(entity('events'))).toEqual({});
  });
});

describe('categories', () => {
  it('keep their samples, in a small table and a large one', async () => {
    const row = (i: number) => [
      i,
      of(i, 'active', 'blocked'),
      of(i, 'EMEA', 'North America', 'APAC'),
      of(i, 'Tools', 'Toys & Games'),
      of(i, 'EUR', 'USD'),
      of(i, 'DE', 'FR', 'GB'),
      of(i, 'visa', 'amex'),
      of(i, 'bounced', 'delivered'),
      of(i, 'free', 'tier_2_enterprise'),
      of(i, '10:00:00-12:00', 'Q1 2024'),
    ];
    const columns =
      'id INTEGER PRIMARY KEY, status TEXT, region TEXT, category TEXT, currency TEXT, country_code TEXT, card_type TEXT, email_status TEXT, customer_segment TEXT, slot TEXT';
    const { entity, stdout } = await init({
      small: { columns, rows: 12, row },
      large: { columns, rows: 2_500, row },
    });
    for (const name of ['small', 'large']) {
      expect(hiddenIn(entity(name))).toEqual([]);
      expect(samplesIn(entity(name))).toEqual({
        status: ['active', 'blocked'],
        region: ['APAC', 'EMEA', 'North America'],
        category: ['Tools', 'Toys & Games'],
        currency: ['EUR', 'USD'],
        country_code: ['DE', 'FR', 'GB'],
        card_type: ['amex', 'visa'],
        email_status: ['bounced', 'delivered'],
        customer_segment: ['free', 'tier_2_enterprise'],
        slot: ['10:00:00-12:00', 'Q1 2024'],
      });
    }
    expect(stdout).not.toContain('No sample values');
  });

  const repeated = (...values: unknown[]) => [...values, ...values, ...values];

  it('are few and repeated', () => {
    expect(isCategory('status', repeated('a', 'b'))).toBe(true);
    expect(isCategory('status', ['a', 'a', 'b', 'b'])).toBe(false);
    expect(isCategory('status', ['a', 'a', 'b', 'b', 'c', 'd'])).toBe(false);
    expect(isCategory('status', ['a', 'b', null, null, null, null, null, null])).toBe(false);
    expect(isCategory('status', repeated(...Array.from({ length: 21 }, (_, i) => `s${i}`)))).toBe(false);
    expect(isCategory('status', repeated('a', 'x'.repeat(41)))).toBe(false);
    expect(isCategory('status', repeated('a', 1))).toBe(false);
  });

  it.each([
    'ann@example.org',
    'reply to ann@localhost',
    'https://example.org/x',
    'www.example.org',
    '4111 1111 1111 1111',
    'DE89 3704 0044 0532 0130 00',
    'NL91ABNA0417164300',
    '+49 (30) 123-4567',
    '1990-02-28',
    '123-45-6789',
    '10.0.0.1',
    'fe80::1:2:3',
    '00:1a:2b:3c:4d:5e',
    '52.5200, 13.4050',
    '0b9d9ac2-5a3e-4a6e-9d0b-6f4f0a1d2c3b',
    'd41d8cd98f00',
    'JBSWY3DPEHPK3PXP',
    'c2VjcmV0LXBhc3N3b3Jk==',
    'p4ssw0rd',
    'xK9vQ2pL',
    'aBcDefGhIjkLmNoPqr',
    'two\nlines',
  ])('never hold a value like %j', (value) => {
    expect(samplesOf(repeated('open', value))).toBeUndefined();
  });

  it.each([
    'ISO 27001',
    'Windows 11',
    'covid19',
    'A1B2',
    'Baden-Württemberg',
    'in_progress',
    '2XL',
    'B2B',
    '24/7',
    '50-100',
    'v1.2.3',
    'McDonald-Smith Line',
    '日本',
    'Zone 10115',
  ])('may hold a value like %j', (value) => {
    expect(samplesOf(repeated('open', value))).toContain(value);
  });
});

describe('names', () => {
  it.each(
    'customer_name firstName LASTNAME full_names surname maiden_name user_name assigned_by owner patient_id phone_2 mobileNumber fax tax_id taxId vat_number passport_no SSN birthdate date_of_birth home_address street zip postal_code lat longitude card_number creditCard account_number comments body message description medication allergies religion diagnosis_category url callback_link ip_address ipv4 device_ids client nicknames'.split(
      ' ',
    ),
  )('%s: no samples, not hidden', (name) => {
    expect(isCategory(name, ['a', 'a', 'a', 'b', 'b', 'b'])).toBe(false);
    expect(isNamedCredential('t', name, 'string')).toBe(false);
  });

  it.each(
    'Password userPwd passwort_hash passphrases client_secret accessToken refresh_tokens credential API_KEY apiKeys private_key ssh_key license_key PIN pinCode otp totp_secret cvv2 backup_codes session sessionKey cookies auth oauth password_salt md5 sha256 signature webhook_secret connectionString'.split(
      ' ',
    ),
  )('%s: hidden', (name) => {
    expect(isNamedCredential('t', name, 'string')).toBe(true);
    expect(isCategory(name, ['a', 'a', 'a', 'b', 'b', 'b'])).toBe(false);
  });

  it.each([
    ['status', 'string'],
    ['shipping_method', 'string'],
    ['spin', 'string'],
    ['author', 'string'],
    ['secretary', 'string'],
    ['token_type', 'string'],
    ['auth_method', 'string'],
    ['customer_key', 'number'],
    ['session_id', 'number'],
    ['session_id', 'string'],
    ['web_sessionid', 'string'],
    ['session_duration', 'number'],
    ['token_count', 'number'],
    ['password_changed_at', 'timestamp'],
    ['salt', 'number'],
    ['prompt_tokens', 'number'],
    ['mfa_enabled', 'boolean'],
    ['has_password', 'boolean'],
  ])('%s as a %s: not hidden', (name, type) => {
    expect(isNamedCredential('t', name, type)).toBe(false);
  });

  it('credentials are also known by their values', () => {
    expect(holdsCredential('mysql://app:pw@db/x')).toBe(true);
    expect(holdsCredential({ smtp: { password: 'hunter2' } })).toBe(true);
    expect(holdsCredential('the password was changed')).toBe(false);
    expect(holdsCredential(17)).toBe(false);
  });
});

describe('a short table that others refer to', () => {
  const rows = { rows: 6, row: (i: number) => [i, `Place ${i}`, of(i, 'Graz', 'Linz', 'Wels'), i % 2, i % 2, i % 2] };
  const columns = 'id INTEGER PRIMARY KEY, name TEXT, city TEXT, out_of_order INTEGER, bedrooms INTEGER, is_open INT';

  it('is written with its names, unless its rows are people', async () => {
    const person = { ...rows, columns };
    const { entity } = await init({
      branches: { ...rows, columns },
      speakers: person,
      staff: person,
      notables: { ...rows, columns: columns.replace('city', 'e_mail') },
    });
    expect(samplesIn(entity('branches')).name).toHaveLength(6);
    expect(samplesIn(entity('branches')).city).toEqual(['Graz', 'Linz', 'Wels']);
    for (const name of ['speakers', 'staff', 'notables']) expect(samplesIn(entity(name)).name).toBeUndefined();
  });

  it('has flags where whole numbers are 0 or 1 and say yes or no', async () => {
    const { entity } = await init({ branches: { ...rows, columns } });
    const types = entity('branches').dimensions.map(({ name, type }) => [name, type]);
    expect(Object.fromEntries(types)).toMatchObject({
      out_of_order: 'boolean',
      bedrooms: 'number',
      is_open: 'boolean',
    });
  });
});
