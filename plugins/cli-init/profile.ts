/** Reads the tables of the connected database, and a sample of the rows of each. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import {
  type App,
  type AtlasConfig,
  AtlasError,
  type ConnectionInfo,
  type CreateAppOptions,
  createApp,
  datasourceDescribe,
  datasourceList,
  messageOf,
  type Scope,
  type TableDescription,
} from '../../kernel/index.ts';

const SAMPLED_ROWS = 1_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** Counting the different values of a larger table takes too long. */
const MOST_COUNTED_ROWS = 1_000_000;
const MOST_VALUES = 20;

export interface Profile {
  readonly table: TableDescription;
  /** The first rows in the order of the primary key. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** All values of columns with few of them. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Why the table could not be read. */
  readonly failure?: string;
}

export interface ProfiledDatabase {
  readonly info: ConnectionInfo;
  /** Of tables that are named without one; `undefined`: the engine has none. */
  readonly ownSchema: string | undefined;
  readonly tables: readonly TableDescription[];
  profile(tables: readonly TableDescription[]): Promise<readonly Profile[]>;
}

/** Starts the databases of a composition with a guard, and nothing else of it, for as long as `work` takes. */
export async function withDatabase<T>(
  config: AtlasConfig,
  options: CreateAppOptions,
  signal: AbortSignal,
  work: (database: ProfiledDatabase) => Promise<T>,
): Promise<T> {
  // Loaded for this command only: the command line must not load the guard to show its help.
  const { semanticLayer } = await import('../semantic-layer/index.ts');
  const { sqlGuard } = await import('../sql-guard/index.ts');
  const { sqlLimits } = await import('../sql-limits/index.ts');
  const dir = mkdtempSync(join(tmpdir(), 'atlas-init-'));
  try {
    const { log: _, ...quiet } = options;
    const plugins = [
      ...config.plugins.filter(({ definition }) => definition.type === 'datasource'),
      semanticLayer({ dir, checkIntervalMs: 0, watchIntervalMs: 0 }),
      sqlLimits({ maxRows: SAMPLED_ROWS, timeoutMs: STATEMENT_TIMEOUT_MS }),
      sqlGuard(),
    ];
    await using app = await createApp({ plugins }, { ...quiet, until: 'sealed' });
    const scope = app.scope({ signal, actor: { id: null, label: null, role: 'admin', mode: 'none', claims: {} } });
    return await work(await databaseOf(app, scope, dir));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function databaseOf(app: App, scope: Scope, dir: string): Promise<ProfiledDatabase> {
  const connections = (await app.call(datasourceList, undefined, scope)).map(({ value }) => value);
  const info = connections.find(({ id }) => id === 'default') ?? connections[0];
  if (info === undefined) {
    throw new AtlasError('There is no database to read.', {
      code: 'no_datasource',
      hint: 'Set SVC_DATASOURCE_URL, such as SVC_DATASOURCE_URL=sqlite:shop.db.',
    });
  }
  const tables = await app.callKey(datasourceDescribe, info.id, undefined, scope);
  const schemas = new Set(tables.map(({ schema }) => schema));
  const usual =
    schemas.has(undefined) || schemas.size === 0 ? undefined : schemas.has('public') ? 'public' : [...schemas][0];
  return {
    info,
    ownSchema: info.schema ?? usual,
    tables,
    async profile(wanted) {
      writeBareLayer(dir, wanted);
      const profiles: Profile[] = [];
      for (const table of wanted) profiles.push(await profileOf(app, scope, info, table));
      return profiles;
    },
  };
}

/** The tables without a word about them: what the guard lets through. */
function writeBareLayer(dir: string, tables: readonly TableDescription[]): void {
  mkdirSync(join(dir, 'entities'), { recursive: true });
  tables.forEach(({ schema, name }, index) => {
    const entity = { table: name, name: `t${index}`, ...(schema !== undefined && { schema }) };
    writeFileSync(join(dir, 'entities', `${index}.yml`), stringify(entity));
  });
}

async function profileOf(app: App, scope: Scope, info: ConnectionInfo, table: TableDescription): Promise<Profile> {
  const mark = info.dbType === 'mysql' ? '`' : '"';
  const quoted = (name: string) => mark + name.replaceAll(mark, mark + mark) + mark;
  const from = [table.schema, table.name]
    .filter((part) => part !== undefined)
    .map(quoted)
    .join('.');
  const read = async (sql: string) =>
    (await app.runSql({ sql, connectionId: info.id, surface: 'cli' }, scope)).result.rows;
  try {
    const key = table.primaryKey.map(quoted).join(', ');
    const rows = await read(`SELECT * FROM ${from}${key === '' ? '' : ` ORDER BY ${key}`} LIMIT ${SAMPLED_ROWS}`);
    const values = new Map<string, readonly string[]>();
    for (const { name } of table.columns) {
      const sampled = fewTexts(rows.map((row) => row[name]));
      const isWhole = rows.length < SAMPLED_ROWS || (table.estimatedRows ?? 0) > MOST_COUNTED_ROWS;
      if (sampled === undefined) continue;
      const all = isWhole
        ? sampled
        : fewTexts(
            (await read(`SELECT DISTINCT ${quoted(name)} FROM ${from} LIMIT ${MOST_VALUES + 2}`)).map(
              (row) => Object.values(row)[0],
            ),
          );
      if (all !== undefined) values.set(name, all);
    }
    return { table, rows, values };
  } catch (error) {
    scope.signal.throwIfAborted();
    return { table, rows: [], values: new Map(), failure: messageOf(error) };
  }
}

/** The different values in order, where they are short texts and few. */
function fewTexts(values: readonly unknown[]): readonly string[] | undefined {
  const texts = new Set(values.filter((value) => value !== null));
  if (texts.size === 0 || texts.size > MOST_VALUES) return undefined;
  const found = [...texts].filter((text) => typeof text === 'string' && text.length <= 60 && text.trim() !== '');
  return found.length === texts.size ? (found as string[]).sort() : undefined;
}
