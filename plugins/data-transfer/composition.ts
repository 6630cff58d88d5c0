/** Opens the internal database and the semantic layer of the working directory's composition, without serving. */
import {
  AtlasError,
  type CliRun,
  createApp,
  type Logger,
  type PluginRef,
  storeMigrations,
} from '../../kernel/index.ts';
import type { Cli } from '../cli/index.ts';
import { type InternalDb, type StoredTable, storeTables } from '../internal-db/index.ts';
import { layerFolderOf } from '../semantic-layer/index.ts';

const internalDb: PluginRef<InternalDb> = { pluginName: 'internal-db' };
const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A table with the plugin that has it. */
export interface OwnedTable extends StoredTable {
  readonly plugin: string;
}

export interface Opened {
  readonly db: InternalDb;
  /** Those that others refer to first. */
  readonly tables: readonly OwnedTable[];
  /** Plugins that have tables and do not say what these hold. */
  readonly silentPlugins: readonly string[];
  /** Folder of the semantic layer. */
  readonly layerDir: string;
}

function noDatabase(why: string, hint: string): AtlasError {
  return new AtlasError(`There is no internal database: ${why}.`, { code: 'not_available', hint });
}

/** The composition of the working directory. No model is asked: whichever keys are set, none of them may stop this. */
export const composition = ({ compose }: Cli, { cwd, env }: CliRun) =>
  compose({ cwd, env: { ...env, SVC_PROVIDER: 'offline' } });

/** Runs `work` with the database. Rejects with `not_available` where the composition has none. */
export async function withDatabase<T>(cli: Cli, run: CliRun, work: (opened: Opened) => Promise<T>): Promise<T> {
  const { config, options } = await composition(cli, run);
  if (!config.plugins.some(({ definition }) => definition.name === internalDb.pluginName))
    throw noDatabase('the composition leaves it out', 'Add internalDb() to the plugins in atlas.config.ts.');
  await using app = await createApp(config, { ...options, log: SILENT, until: 'sealed' });
  const db = app.get(internalDb);
  if (!db.configured)
    throw noDatabase('DATABASE_URL is not set', 'Set it to "postgres://…" or "sqlite:PATH", as the server has it.');
  const scope = app.scope({ signal: run.signal });
  const tables = (await app.call(storeTables, undefined, scope)).map(({ plugin, value }) => ({ ...value, plugin }));
  const migrating = (await app.call(storeMigrations, undefined, scope)).map(({ plugin }) => plugin);
  const silentPlugins = [...new Set(migrating)].filter((name) => !tables.some(({ plugin }) => plugin === name));
  return await work({ db, tables, silentPlugins, layerDir: layerFolderOf(config, run.cwd) });
}
