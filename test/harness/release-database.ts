/**
 * `node test/harness/release-database.ts` writes the internal database of this version, with data of every kind, and what
 * the API answers about it, into the folder `fixtures/internal-db/release`: what the next versions are upgraded from.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { fill } from '../fixtures/admin/organization-data.ts';
import { type AdminServer, foundOrganization, startAdminServer, succeeded } from './admin-server.ts';
import { emptyFolder } from './command.ts';
import { installedPostgres, startPostgres } from './postgres.ts';

export const RELEASE = join(import.meta.dirname, '../fixtures/internal-db/release');
/** Who has signed up: an administrator of all, and one with an organization of their own. */
const BOSS = 'boss';
export const OWNER = 'north';
const WORD = 'release';

/** Answers about the process, the time or the network of the moment, those that are files, and what the package brings. */
const OF_THE_MOMENT =
  /^\/api\/(?:auth\/|health|v1\/(?:openapi|me$|usage|prompts|platform\/|admin\/(?:plugins|overview|settings|scim|sso|residency|semantic|me\/|integrations|.*(?:stats|export|download))))/;

/** What an answer says of the moment in which it is given. */
const FIELDS_OF_THE_MOMENT = new Set(['requestId', 'latencyMs', 'checkedAt', 'health']);

/** Answers of lists, by path. */
export type Answers = Readonly<Record<string, unknown>>;

/** What the owner is answered: at these paths, or at all that list what is stored. */
export async function answersOf(server: AdminServer, paths?: readonly string[]): Promise<Answers> {
  const lists = () =>
    server
      .routes()
      .filter(({ method, path }) => method === 'GET' && !path.includes(':') && !OF_THE_MOMENT.test(path))
      .map(({ path }) => path);
  const answers: Record<string, unknown> = {};
  for (const path of paths ?? lists()) {
    answers[path] = (await succeeded(server.send(OWNER, 'GET', path))).body;
  }
  return answers;
}

/** What of `old` is not in `now` any more, as paths with both values. Further fields and items are new, not lost. */
export function lostOf(old: unknown, now: unknown, path = ''): string[] {
  if (Array.isArray(old)) {
    if (!Array.isArray(now) || now.length < old.length) return [`${path}: ${JSON.stringify(now)?.slice(0, 200)}`];
    return old.flatMap((item, index) => lostOf(item, now[index], `${path}[${index}]`));
  }
  if (typeof old === 'object' && old !== null) {
    return Object.entries(old).flatMap(([key, value]) =>
      FIELDS_OF_THE_MOMENT.has(key)
        ? []
        : lostOf(value, (now as Record<string, unknown> | undefined)?.[key], `${path}.${key}`),
    );
  }
  return Object.is(old, now) ? [] : [`${path}: ${JSON.stringify(old)} became ${JSON.stringify(now)}`];
}

/** The built-in composition over an internal database, empty or one that is upgraded. */
export const startOver = (database: string): Promise<AdminServer> =>
  startAdminServer({ mode: 'managed', database, env: { SVC_PUBLIC_URL: 'http://localhost' } });

/** Fills an empty internal database; resolves to what the API answers then. */
async function lived(database: string): Promise<Answers> {
  await using server = await startOver(database);
  await server.signUp(BOSS);
  await fill(server, OWNER, await foundOrganization(server, OWNER, WORD), WORD);
  return await answersOf(server);
}

/** Statements that make the database anew. */
function sqliteDump(path: string): string {
  using stack = new DisposableStack();
  const db = stack.adopt(new Sqlite(path, { readonly: true }), (open) => open.close());
  const objects = db
    .prepare("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    .all() as { type: string; name: string; sql: string }[];
  const rows = objects
    .filter(({ type }) => type === 'table')
    .flatMap(({ name }) => {
      const columns = db.pragma(`table_info("${name}")`) as { name: string }[];
      const values = columns.map((column) => `quote("${column.name}")`).join(` || ', ' || `);
      const found = db.prepare(`SELECT ${values} FROM "${name}"`).pluck().all() as string[];
      return found.map((row) => `INSERT INTO "${name}" VALUES (${row});`);
    });
  const tablesFirst = objects.toSorted((a, b) => Number(b.type === 'table') - Number(a.type === 'table'));
  const isTable = ({ type }: { type: string }) => type === 'table';
  return [
    ...tablesFirst.filter(isTable).map(({ sql }) => `${sql};`),
    ...rows,
    ...tablesFirst.filter((object) => !isTable(object)).map(({ sql }) => `${sql};`),
    '',
  ].join('\n');
}

/** Lines that are for psql alone begin with a backslash. */
function postgresDump(url: string, bin: string): string {
  const options = ['--inserts', '--no-owner', '--no-privileges', '--no-comments', '--exclude-schema=atlas_jobs', url];
  const dump = execFileSync(join(bin, 'pg_dump'), options, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
  return dump.replaceAll(/^(?:\\.*|--.*)\n/gm, '').replaceAll(/\n{2,}/g, '\n');
}

if (import.meta.main) {
  mkdirSync(RELEASE, { recursive: true });
  const native = installedPostgres();
  if (native === undefined) throw new Error('Install PostgreSQL with its tools: apt-get install postgresql.');
  await using postgres = await startPostgres({}, native);
  using folder = emptyFolder();
  const file = join(folder.path, 'atlas.db');
  const answers = { postgres: await lived(postgres.url), sqlite: await lived(`sqlite:${file}`) };
  writeFileSync(join(RELEASE, 'postgres.sql'), postgresDump(postgres.url, join(native, 'bin')));
  writeFileSync(join(RELEASE, 'sqlite.sql'), sqliteDump(file));
  writeFileSync(join(RELEASE, 'answers.json'), `${JSON.stringify(answers)}\n`);
}
