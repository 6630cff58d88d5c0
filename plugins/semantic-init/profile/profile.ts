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
  type PluginEntry,
  type Scope,
  type TableDescription,
} from '../../../kernel/index.ts';
import { type ColumnProfile, type Read, SAMPLED_ROWS, sampleTable } from '../../profile-kit/index.ts';
import type { SqlDialect } from '../../sql-kit/index.ts';
import { declaredKey, hasDeclaredKeys, possibleKeys } from './keys.ts';
import { type Relationship, relationshipFinder } from './relationships.ts';

/** Why a table is left out that the login sees and may not read. */
export const NO_RIGHT = 'the login has no right to read it';
const STATEMENT_TIMEOUT_MS = 10_000;
/** Tables that are read at the same time. */
const CONCURRENCY = 4;

/** Connections to a database server, those that are being reset included. */
const MAX_CONNECTIONS = 8;

/** What is known of a table. Its rows are not held. */
export interface Profile {
  readonly table: TableDescription;
  /** By name; none when reading the table took too long. */
  readonly columns: ReadonlyMap<string, ColumnProfile>;
  /** How many rows it has, of a large table the engine's estimate; unknown where no values may be written. */
  readonly rowCount?: number;
  /** The columns that tell rows apart: declared, or found in the values of a database without any declared key. */
  readonly key: readonly string[];
  readonly relationships: readonly Relationship[];
  /** Why the table could not be read. */
  readonly failure?: string;
}

export interface ProfileOptions {
  /** Names of tables of which no value may be written. */
  readonly withoutSamples: ReadonlySet<string>;
  readonly onProgress?: (done: number, all: number) => void;
}

export interface ProfiledDatabase {
  readonly info: ConnectionInfo;
  readonly dialect: SqlDialect;
  /** Schema of unqualified tables; `undefined` when the engine has no schemas. */
  readonly ownSchema: string | undefined;
  /** With those that the login may not read. */
  readonly tables: readonly TableDescription[];
  isReadable(table: TableDescription): boolean;
  profile(tables: readonly TableDescription[], options: ProfileOptions): Promise<readonly Profile[]>;
}

/** Connection to read; `isRequired` where the user has named it. */
export interface WantedConnection {
  readonly id: string;
  readonly isRequired: boolean;
}

/** The datasource plugins of a composition, their pools limited to `MAX_CONNECTIONS`. */
export const datasourcesOf = ({ plugins }: AtlasConfig): PluginEntry[] =>
  plugins.filter(({ definition }) => definition.type === 'datasource').map(withFewConnections);

function withFewConnections(entry: PluginEntry): PluginEntry {
  const { connections } = (entry.options ?? {}) as { connections?: readonly { maxConnections?: number }[] };
  const schema = entry.definition.options?.properties?.connections?.items?.properties;
  if (!Array.isArray(connections) || schema?.maxConnections === undefined) return entry;
  const limited = connections.map((one) => ({
    ...one,
    maxConnections: Math.min(one.maxConnections ?? MAX_CONNECTIONS, MAX_CONNECTIONS),
  }));
  return { ...entry, options: { ...(entry.options as object), connections: limited } };
}

/** Runs `work` with the databases of a composition behind the SQL guard, without its other plugins. */
export async function withDatabase<T>(
  config: AtlasConfig,
  { connection, ...options }: CreateAppOptions & { readonly connection?: WantedConnection | undefined },
  signal: AbortSignal,
  work: (database: ProfiledDatabase) => Promise<T>,
): Promise<T> {
  // Loaded on demand: `--help` must not load the guard.
  const { semanticLayer } = await import('../../semantic-layer/index.ts');
  const { sqlGuard } = await import('../../sql-guard/index.ts');
  const { sqlLimits } = await import('../../sql-limits/index.ts');
  const dir = mkdtempSync(join(tmpdir(), 'atlas-init-'));
  try {
    const { log: _, ...quiet } = options;
    const plugins = [
      ...datasourcesOf(config),
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
  wanted: WantedConnection | undefined,
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
  const { dialectOf } = await import('../../sql-kit/index.ts');
  const dialect = await dialectOf(app, info.dbType, scope);
  const readable = await app.callKey(datasourceDescribe, info.id, undefined, scope);
  const tables = await app.callKey(datasourceDescribe, info.id, { schemas: [], withUnreadable: true }, scope);
  const idOf = ({ schema, name }: TableDescription) => JSON.stringify([schema, name]);
  const known = new Set(readable.map(idOf));
  const isReadable = (table: TableDescription) => known.has(idOf(table));
  const schemas = new Set(tables.map(({ schema }) => schema));
  const usual =
    schemas.has(undefined) || schemas.size === 0 ? undefined : schemas.has('public') ? 'public' : [...schemas][0];
  return {
    info,
    dialect,
    ownSchema: info.schema ?? usual,
    tables,
    isReadable,
    profile(wanted, profileOptions) {
      writeBareLayer(dir, wanted, info.id);
      const read: Read = async (sql) =>
        (await app.runSql({ sql, connectionId: info.id, surface: 'cli' }, scope)).result;
      const findsKeys = !hasDeclaredKeys(tables);
      return profileTables(wanted, { ...profileOptions, isReadable, findsKeys, dialect, read, signal: scope.signal });
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

/** Runs `work` on the items, at most `CONCURRENCY` at a time; the results are in the order of the items. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  const run = async () => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, run));
  return results;
}

interface Profiling extends ProfileOptions, Pick<ProfiledDatabase, 'isReadable'> {
  /** Whether keys are searched in the values. */
  readonly findsKeys: boolean;
  readonly dialect: SqlDialect;
  readonly read: Read;
  readonly signal: AbortSignal;
}

async function profileTables(
  tables: readonly TableDescription[],
  { withoutSamples, onProgress, isReadable, findsKeys, dialect, read, signal }: Profiling,
): Promise<readonly Profile[]> {
  let done = 0;
  const sampled = await inTurns(tables, async (table): Promise<Profile> => {
    const key = declaredKey(table);
    const known = { table, key, columns: new Map(), relationships: [] };
    try {
      if (!isReadable(table)) return { ...known, failure: NO_RIGHT };
      const sample = await sampleTable(
        {
          table,
          dialect,
          withValues: !withoutSamples.has(table.name),
          possibleKeys: findsKeys && table.kind === 'table' ? possibleKeys(table, tables) : [],
        },
        read,
      );
      return { ...known, ...sample, key: sample.key ?? key };
    } catch (error) {
      signal.throwIfAborted();
      // A view that takes long can still be asked about some of its rows.
      if (error instanceof AtlasError && error.code === 'sql_timeout') return known;
      return { ...known, failure: messageOf(error) };
    } finally {
      done += 1;
      onProgress?.(done, tables.length);
    }
  });
  const readable = sampled.filter(({ failure }) => failure === undefined);
  const find = relationshipFinder(readable, dialect, read);
  const joined = await inTurns(readable, async (profile) => ({ ...profile, relationships: await find(profile) }));
  signal.throwIfAborted();
  const byTable = new Map(joined.map((profile) => [profile.table, profile]));
  return sampled.map((profile) => byTable.get(profile.table) ?? profile);
}
