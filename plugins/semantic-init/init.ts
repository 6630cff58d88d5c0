/** `atlas init`: reads the tables of the connected database and writes a semantic layer for them. */
import { existsSync, realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import {
  type AtlasConfig,
  AtlasError,
  type CliCommand,
  type CliRun,
  didYouMean,
  type TableDescription,
} from '../../kernel/index.ts';
import { type Cli, printableText } from '../cli/index.ts';
import { dataFiles, importDataFiles } from './data-files.ts';
import { type Written, writeFiles } from './files.ts';
import { layerFiles } from './layer.ts';
import { type Profile, withDatabase } from './profile.ts';
import { tenantTables } from './tenants.ts';

const FAILED_SHARE = 0.2;

const wrong = (message: string, hint?: string) =>
  new AtlasError(message, { code: 'configuration_error', ...(hint !== undefined && { hint }) });

/** The folder of the composition's semantic layer. */
function layerDir({ plugins }: AtlasConfig, run: CliRun, demoDir: string): string {
  const entry = plugins.find(({ definition }) => definition.name === 'semantic-layer');
  const { dir = './semantic' } = (entry?.options ?? {}) as { dir?: string };
  const path = resolve(run.cwd, dir);
  if (existsSync(path) && existsSync(demoDir) && realpathSync(path) === realpathSync(demoDir)) {
    throw wrong(
      `The layer in ${dir} is the demo's and is not overwritten.`,
      'Choose another folder with SVC_SEMANTIC_DIR, such as SVC_SEMANTIC_DIR=./layer, and keep the setting for "atlas serve".',
    );
  }
  return path;
}

/** The tables of the given schema, or of the connection's. */
function tablesOf(
  all: readonly TableDescription[],
  schema: string | undefined,
  names: readonly string[],
): readonly TableDescription[] {
  const tables = all.filter((table) => table.schema === schema);
  if (tables.length === 0) {
    const others = [...new Set(all.map((table) => table.schema ?? 'main'))].join(', ');
    const where = schema === undefined ? 'The database' : `The schema "${schema}"`;
    throw wrong(
      `${where} has no table that this login may read.`,
      others === '' ? undefined : `Choose a schema with --schema; there are: ${others}.`,
    );
  }
  for (const name of names) {
    if (tables.some((table) => table.name === name)) continue;
    const known = tables.map((table) => table.name);
    throw wrong(`There is no table "${name}"${didYouMean(name, known) || '.'}`);
  }
  return names.length === 0 ? tables : tables.filter(({ name }) => names.includes(name));
}

function checkFailures(profiles: readonly Profile[], run: CliRun): void {
  const failed = profiles.filter(({ failure }) => failure !== undefined);
  for (const { table, failure } of failed)
    run.stderr.write(`${printableText(`Left out: ${table.name}: ${failure}`)}\n`);
  if (run.options.force === true || failed.length <= profiles.length * FAILED_SHARE) return;
  throw wrong(
    `${failed.length} of ${profiles.length} tables could not be read, so nothing was written.`,
    'Give the login the right to read them, or continue with --force.',
  );
}

const WRITE_FAULTS: Readonly<Record<string, string>> = {
  ENOTDIR: 'a file is where a folder must be',
  EEXIST: 'a file is where a folder must be',
  EISDIR: 'a folder is where a file must be',
  ENOSPC: 'the disk is full',
};

function writtenFiles(dir: string, shown: string, files: ReadonlyMap<string, unknown>): Written[] {
  try {
    return writeFiles(dir, files);
  } catch (error) {
    const fault = WRITE_FAULTS[(error as NodeJS.ErrnoException).code ?? ''] ?? 'it may not be written';
    throw wrong(`The layer cannot be written to ${shown}: ${fault}.`, 'Choose another folder with SVC_SEMANTIC_DIR.');
  }
}

function summary(written: readonly Written[], dir: string, tables: number): string {
  const count = (state: Written['state']) => written.filter((file) => file.state === state).length;
  const kept = written.filter(({ state }) => state === 'kept').map(({ path }) => path);
  const done = `${count('written')} files written, ${count('unchanged')} unchanged`;
  return [
    `Read ${tables} ${tables === 1 ? 'table' : 'tables'}; ${done} in ${dir}.`,
    ...(kept.length > 0
      ? [`Kept, because they were changed by hand (delete one to have it written again): ${kept.join(', ')}.`]
      : []),
  ].join('\n');
}

const isRowSecured = ({ plugins }: AtlasConfig) => plugins.some(({ definition }) => definition.name === 'row-security');

/** Why some tables have no sample values. */
function withheldNote(config: AtlasConfig, withheld: readonly string[]): string {
  if (isRowSecured(config))
    return 'No sample values were written: row security is on, and every user would see them.\n';
  if (withheld.length === 0) return '';
  return `${printableText(`No sample values were written for tables whose rows belong to tenants: ${withheld.join(', ')}.`)}\n`;
}

export function initCommand({ compose, demoLayerDir }: Cli): CliCommand {
  return {
    name: 'init [files...]',
    summary: 'write a semantic layer for the connected database',
    options: [
      { flags: '--tables <names>', description: 'only these tables, separated by commas' },
      { flags: '--schema <name>', description: "schema of the tables; default: the connection's" },
      { flags: '--csv <files>', description: 'import CSV files, folders or patterns first, one table for each file' },
      { flags: '--parquet <files>', description: 'the same for Parquet files' },
      { flags: '--force', description: 'continue when more than a fifth of the tables cannot be read' },
    ],
    examples: [
      'SVC_DATASOURCE_URL=sqlite:shop.db atlas init',
      'atlas init --tables orders,customers',
      'atlas init --csv orders.csv,customers.csv',
      'atlas init --parquet data/',
    ],
    run: async (run) => {
      const files = dataFiles(run);
      // No model is asked: whichever keys are set, none of them may stop this.
      const env = { ...run.env, SVC_PROVIDER: 'offline' };
      const composition = await compose({ ...run, env });
      const dir = layerDir(composition.config, run, demoLayerDir);
      const imported = files.length === 0 ? undefined : await importDataFiles(files, run);
      if (imported !== undefined) run.stdout.write(`${printableText(imported.report)}\n`);
      const { config, options } =
        imported === undefined
          ? composition
          : await compose({ cwd: run.cwd, env: { ...env, SVC_DATASOURCE_URL: imported.url }, builtIn: true });
      const asked = String(run.options.tables ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean);
      const layer = await withDatabase(config, options, run.signal, async (database) => {
        const schema = typeof run.options.schema === 'string' ? run.options.schema : database.ownSchema;
        const tables = tablesOf(
          database.tables,
          schema === 'main' && database.ownSchema === undefined ? undefined : schema,
          asked,
        );
        const names = database.tables.map(({ name }) => name);
        const withheld = isRowSecured(config) ? new Set(names) : tenantTables(database.tables);
        const profiles = await database.profile(tables, withheld);
        checkFailures(profiles, run);
        const read = profiles.filter(({ failure }) => failure === undefined);
        return {
          count: read.length,
          files: await layerFiles(read, database),
          withheld: read.map(({ table }) => table.name).filter((name) => withheld.has(name)),
        };
      });
      run.signal.throwIfAborted();
      const shown = relative(run.cwd, dir) || '.';
      const written = writtenFiles(dir, shown, layer.files);
      run.stdout.write(`${summary(written, shown, layer.count)}\n`);
      run.stdout.write(withheldNote(config, layer.withheld));
      if (imported !== undefined) {
        run.stdout.write(`The tables are in ${imported.url}: put SVC_DATASOURCE_URL=${imported.url} into .env.\n`);
      }
      run.stdout.write(`Start the server with "npx atlas-query serve" and ask it with "npx atlas-query query".\n`);
      return 0;
    },
  };
}
