/**
 * Lists of administrators on PostgreSQL with a million rows: first, filtered and last page, each by index. The plans of all
 * statements go to standard error.
 */
import knex, { type Knex } from 'knex';
import { type App, createApp } from '../../kernel/index.ts';
import { adminUsers } from '../../plugins/admin-users/index.ts';
import { audit } from '../../plugins/audit/index.ts';
import { authManaged } from '../../plugins/auth-managed/index.ts';
import { authRoles } from '../../plugins/auth-roles/index.ts';
import { http } from '../../plugins/http/index.ts';
import { internalDb } from '../../plugins/internal-db/index.ts';
import { startPostgres } from '../harness/postgres.ts';
import { type Bench, median, type Row } from './measure.ts';

/** `BENCH_ROWS` for a trial of the benchmark itself. */
const MANY = Number(process.env.BENCH_ROWS ?? 1_000_000);
const FEW = 1_000;
const FILL_ROWS = 20_000;
const ROUNDS = 15;
const WARM_UP = 3;
const TARGET_MS = 100;
/** Tables of more rows must not be read from beginning to end. */
const LARGE_ROWS = 50_000;

const EMAIL = 'boss@example.com';
const PASSWORD = 'correct horse battery';
const SECRET = 'only the length of this text matters here';

interface Server extends AsyncDisposable {
  readonly app: App;
  readonly db: Knex;
  get(path: string): Promise<{ total: number }>;
}

/** Within 30 days, a thousand users, every fiftieth a failure; two connections and surfaces, of each also a rare one. */
const AUDIT_ROWS = `INSERT INTO audit_log (id, timestamp, user_id, user_label, auth_mode, sql, duration_ms, row_count,
    success, error, connection_id, db_type, tables, conversation_id, request_id, surface, org_id)
  SELECT gen_random_uuid(), now() - n * interval '30 days' / ?, 'user-' || n % 1000, 'user' || n % 1000 || '@example.com',
    'managed', 'SELECT COUNT(*) FROM orders WHERE id > ' || n, n::bigint * 7919 % 100003 / 10.0, 1, n % 50 <> 0, NULL,
    CASE WHEN n % 10007 = 0 THEN 'rare' WHEN n % 3 = 0 THEN 'sales' ELSE 'default' END, 'postgres', '["orders"]', NULL,
    gen_random_uuid()::text, CASE WHEN n % 10009 = 0 THEN 'scheduler' WHEN n % 5 = 0 THEN 'mcp' ELSE 'api' END, NULL
  FROM generate_series(?::int, ?::int) AS n`;

const USER_ROWS = `INSERT INTO auth_user (id, name, email, "emailVerified", "createdAt", "updatedAt", role)
  SELECT 'u-' || n, 'User ' || n, 'user' || n || '@' || (ARRAY['example.com', 'example.org', 'sales.test'])[1 + n % 3],
    true, now() - n * interval '1 second', now(), (ARRAY['analyst', 'viewer', 'analyst', 'analyst'])[1 + n % 4]
  FROM generate_series(?::int, ?::int) AS n`;

async function fill(db: Knex, rows: number): Promise<void> {
  for (let from = 1; from <= rows; from += FILL_ROWS) {
    const to = Math.min(rows, from + FILL_ROWS - 1);
    await db.raw(AUDIT_ROWS, [rows, from, to]);
    await db.raw(USER_ROWS, [from, to]);
  }
  // As autovacuum does before long.
  await db.raw('VACUUM (ANALYZE)');
}

async function start(url: string, rows: number): Promise<Server> {
  const app = await createApp({
    plugins: [
      http({ port: 0 }),
      internalDb({ url, deriveFrom: SECRET }),
      authRoles(),
      authManaged({ secret: SECRET }),
      adminUsers(),
      audit(),
    ],
  });
  const base = app.get(http).url();
  const post = (path: string, body: object) =>
    fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  await post('/api/auth/sign-up/email', { email: EMAIL, password: PASSWORD, name: 'Boss' });
  const signedIn = await post('/api/auth/sign-in/email', { email: EMAIL, password: PASSWORD });
  const { token } = (await signedIn.json()) as { token: string };
  const db = knex({ client: 'pg', connection: url });
  await fill(db, rows);
  return {
    app,
    db,
    async get(path) {
      const response = await fetch(base + path, { headers: { authorization: `Bearer ${token}` } });
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as { total: number };
    },
    async [Symbol.asyncDispose]() {
      await db.destroy();
      await app.close();
    },
  };
}

async function timeOf({ get }: Server, path: string): Promise<number> {
  const times: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    await get(path);
    if (round >= 0) times.push(performance.now() - startedAt);
  }
  return median(times);
}

interface Statement {
  readonly sql: string;
  readonly bindings: readonly Knex.RawBinding[];
}

/** The statements that a request sends to the internal database. */
async function statementsOf({ app, get }: Server, path: string): Promise<Statement[]> {
  const sent: Statement[] = [];
  const note = ({ sql, bindings }: Statement) =>
    void (/^\s*(?:select|with)/i.test(sql) && sent.push({ sql, bindings }));
  const instance = await app.get(internalDb).run(async (db) => ({ db }));
  instance.db.on('query', note);
  await get(path).finally(() => instance.db.off('query', note));
  return sent;
}

interface Plan {
  readonly text: string;
  /** Large tables that are read from beginning to end. */
  readonly scanned: readonly string[];
}

async function planOf(db: Knex, large: ReadonlySet<string>, { sql, bindings }: Statement): Promise<Plan> {
  const client = await db.client.acquireConnection();
  try {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, COSTS OFF, BUFFERS) ${sql}`, bindings);
    const text = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
    const scans = [...text.matchAll(/Seq Scan on "?(\w+)/g)].map(([, table = '']) => table);
    return { text, scanned: scans.filter((table) => large.has(table)) };
  } finally {
    await db.client.releaseConnection(client);
  }
}

async function largeTables(db: Knex): Promise<ReadonlySet<string>> {
  const rows = await db('pg_class')
    .where({ relkind: 'r' })
    .where('reltuples', '>', Math.min(LARGE_ROWS, MANY / 2));
  return new Set(rows.map(({ relname }: { relname: string }) => relname));
}

function requests(total: { readonly audit: number; readonly users: number }, at: number): [string, string][] {
  const time = (daysAgo: number) => new Date(at - daysAgo * 86_400_000).toISOString();
  const audited = '/api/v1/admin/audit?limit=50';
  const users = '/api/v1/admin/users?limit=50';
  return [
    ['audit, first page', audited],
    ['audit, of a user, succeeded, of ten days', `${audited}&user=user-7&success=true&from=${time(20)}&to=${time(10)}`],
    ['audit, succeeded', `${audited}&success=true`],
    ['audit, failed', `${audited}&success=false`],
    ['audit, of ten days', `${audited}&from=${time(20)}&to=${time(10)}`],
    ['audit, last page', `${audited}&offset=${total.audit - 50}`],
    ['audit, of a connection', `${audited}&connection=default`],
    ['audit, of a rare connection', `${audited}&connection=rare`],
    ['audit, of a surface, of ten days', `${audited}&surface=api&from=${time(20)}&to=${time(10)}`],
    ['audit, of a rare surface', `${audited}&surface=scheduler`],
    ['audit, slowest', `${audited}&sort=-durationMs`],
    ['audit, slowest that failed', `${audited}&sort=-durationMs&success=false`],
    ['audit, slowest of a user', `${audited}&sort=-durationMs&user=user-7`],
    ['audit, fastest, last page', `${audited}&sort=durationMs&offset=${total.audit - 50}`],
    ['users, first page', users],
    ['users, viewers', `${users}&role=viewer`],
    ['users, by a part of the address', `${users}&search=user777@`],
    ['users, last page', `${users}&offset=${total.users - 50}`],
    ['users, by address', `${users}&sort=email`],
    ['users, by address, last page', `${users}&sort=email&offset=${total.users - 50}`],
    ['users, viewers by address', `${users}&sort=-email&role=viewer`],
  ];
}

export const admin: Bench = async () => {
  await using postgres = await startPostgres({ shared_buffers: '128MB', maintenance_work_mem: '256MB' });
  const maker = knex({ client: 'pg', connection: postgres.url });
  for (const name of ['few', 'many']) await maker.raw('CREATE DATABASE ??', [name]);
  await maker.destroy();
  const url = (name: string) => postgres.url.replace(/postgres$/, name);
  await using few = await start(url('few'), FEW);
  await using many = await start(url('many'), MANY);
  const totals = async ({ get }: Server) => ({
    audit: (await get('/api/v1/admin/audit?limit=1')).total,
    users: (await get('/api/v1/admin/users?limit=1')).total,
  });
  const all = await totals(many);
  const at = Date.now();
  const ofFew = requests(await totals(few), at);
  const large = await largeTables(many.db);
  const rows: Row[] = [
    { what: 'entries that the total misses', value: Math.abs(all.audit - MANY), unit: '', target: 0 },
    { what: 'users that the total misses', value: Math.abs(all.users - MANY - 1), unit: '', target: 0 },
  ];
  const scanned: string[] = [];
  let plans = 0;
  for (const [index, [what, path]] of requests(all, at).entries()) {
    const value = await timeOf(many, path);
    rows.push({ what: `${what}, ${MANY.toLocaleString('en-US')} rows`, value, unit: 'ms', target: TARGET_MS });
    const floor = await timeOf(few, ofFew[index]?.[1] ?? '');
    rows.push({ what: `${what}, against ${FEW.toLocaleString('en-US')} rows`, value, unit: 'ms', floor });
    for (const statement of await statementsOf(many, path)) {
      const plan = await planOf(many.db, large, statement);
      plans += 1;
      scanned.push(...plan.scanned);
      process.stderr.write(`\n-- ${what}\n${statement.sql}\n${plan.text}\n`);
    }
  }
  rows.push({ what: `scans of a whole large table, in ${plans} plans`, value: scanned.length, unit: '', target: 0 });
  return rows;
};
