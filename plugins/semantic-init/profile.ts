/** Reads the tables of the connected database and sample rows of each. */
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
  didYouMean,
  messageOf,
  type Scope,
  type TableDescription,
} from '../../kernel/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import { holdsCredential, isCategory, samplesOf } from './sensitive.ts';
import type { InitTarget } from './target.ts';

const SAMPLED_ROWS = 1_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** Tables with more rows are not searched for distinct values, which would take too long. */
const MAX_COUNTED_ROWS = 1_000_000;
/** Distinct values that are read: more than the samples kept, to recognize columns with too many. */
const MAX_DISTINCT_VALUES = 50;

export interface Profile {
  readonly table: TableDescription;
  /** The first rows in the order of the primary key. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The values of category columns, by column, when they may be written to files. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Columns that contain a credential. */
  readonly credentials: ReadonlySet<string>;
  /** Why the table could not be read. */
  readonly failure?: string;
}

export interface ProfiledDatabase {
  readonly info: ConnectionInfo;
  readonly dialect: SqlDialect;
  /** Schema of unqualified tables; `undefined` when the engine has no schemas. */
  readonly ownSchema: string | undefined;
  readonly tables: readonly TableDescription[];
  /** Profiles the tables; keeps no values of those in `withoutSamples`. */
  profile(tables: readonly TableDescription[], withoutSamples: ReadonlySet<string>): Promise<readonly Profile[]>;
}

/** Runs `work` with the databases of a composition behind the SQL guard, without its other plugins. */
export async function withDatabase<T>(
  config: AtlasConfig,
  { connection, ...options }: CreateAppOptions & Pick<InitTarget, 'connection'>,
  signal: AbortSignal,
  work: (database: ProfiledDatabase) => Promise<T>,
): Promise<T> {
  // Loaded on demand: `--help` must not load the guard.
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
    return await work(await databaseOf(app, scope, dir, connection));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function databaseOf(
  app: App,
  scope: Scope,
  dir: string,
  wanted: InitTarget['connection'],
): Promise<ProfiledDatabase> {
  const connections = (await app.call(datasourceList, undefined, scope)).map(({ value }) => value);
  const named = connections.find(({ id }) => id === wanted?.id);
  if (named === undefined && wanted?.isRequired === true && connections.length > 0) {
    const known = connections.map(({ id }) => id);
    const near = didYouMean(wanted.id, known) || `; there are: ${known.join(', ')}.`;
    throw new AtlasError(`There is no connection "${wanted.id}"${near}`, { code: 'configuration_error' });
  }
  const info = named ?? connections.find(({ id }) => id === 'default') ?? connections[0];
  if (info === undefined) {
    throw new AtlasError('There is no database to read.', {
      code: 'no_datasource',
      hint: 'Set SVC_DATASOURCE_URL, such as SVC_DATASOURCE_URL=sqlite:shop.db.',
    });
  }
  const { dialectOf } = await import('../sql-kit/index.ts');
  const dialect = await dialectOf(app, info.dbType, scope);
  const tables = await app.callKey(datasourceDescribe, info.id, undefined, scope);
  const schemas = new Set(tables.map(({ schema }) => schema));
  const usual =
    schemas.has(undefined) || schemas.size === 0 ? undefined : schemas.has('public') ? 'public' : [...schemas][0];
  return {
    info,
    dialect,
    ownSchema: info.schema ?? usual,
    tables,
    async profile(wanted, withoutSamples) {
      writeBareLayer(dir, wanted, info.id);
      const profiles: Profile[] = [];
      for (const table of wanted) {
        profiles.push(await profileOf(app, scope, { info, dialect }, table, !withoutSamples.has(table.name)));
      }
      return profiles;
    },
  };
}

/** Writes a layer with just the table names, so that the guard permits them. */
function writeBareLayer(dir: string, tables: readonly TableDescription[], connection: string): void {
  mkdirSync(join(dir, 'entities'), { recursive: true });
  tables.forEach(({ schema, name }, index) => {
    const entity = { table: name, name: `t${index}`, connection, ...(schema !== undefined && { schema }) };
    writeFileSync(join(dir, 'entities', `${index}.yml`), stringify(entity));
  });
}

async function profileOf(
  app: App,
  scope: Scope,
  { info, dialect }: Pick<ProfiledDatabase, 'info' | 'dialect'>,
  table: TableDescription,
  withSamples: boolean,
): Promise<Profile> {
  const quoted = dialect.rendering.quoteName;
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
    const credentials = new Set<string>();
    const isWhole = rows.length < SAMPLED_ROWS || (table.estimatedRows ?? 0) > MAX_COUNTED_ROWS;
    for (const { name } of table.columns) {
      const sampled = rows.map((row) => row[name]);
      const isCredential = sampled.some(holdsCredential);
      if (isCredential) credentials.add(name);
      if (isCredential || !withSamples || !isCategory(name, sampled)) continue;
      const all = isWhole
        ? sampled
        : (await read(`SELECT DISTINCT ${quoted(name)} FROM ${from} LIMIT ${MAX_DISTINCT_VALUES}`)).map(
            (row) => Object.values(row)[0],
          );
      const samples = samplesOf(all);
      if (samples !== undefined) values.set(name, samples);
      if (all.some(holdsCredential)) credentials.add(name);
    }
    return { table, rows, values, credentials };
  } catch (error) {
    scope.signal.throwIfAborted();
    return { table, rows: [], values: new Map(), credentials: new Set(), failure: messageOf(error) };
  }
}
