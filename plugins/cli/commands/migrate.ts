/** `atlas migrate`: lists the migrations that the internal database lacks, or applies them without starting the server. */
import { AtlasError, type CliCommand, type CliRun, createApp, type PluginRef } from '../../../kernel/index.ts';
import type { AppliedMigration, InternalDb } from '../../internal-db/index.ts';
import type { Cli } from '../api.ts';
import { renderTable, terminalStyle } from '../render.ts';
import { warn } from '../start-warnings.ts';

const internalDb: PluginRef<InternalDb> = { pluginName: 'internal-db' };

const COLUMNS = ['plugin', 'migration', 'state'];

interface Listed extends AppliedMigration {
  readonly state: 'applied' | 'applied now' | 'missing';
}

function stateOf(migration: AppliedMigration, now: readonly AppliedMigration[]): Listed['state'] {
  if (migration.appliedAt === undefined) return 'missing';
  const justDone = now.some(({ plugin, name }) => plugin === migration.plugin && name === migration.name);
  return justDone ? 'applied now' : 'applied';
}

function nothingToMigrate(why: string, hint: string): AtlasError {
  return new AtlasError(`There is no internal database to migrate: ${why}.`, { code: 'not_available', hint });
}

const counted = (count: number) => (count === 1 ? '1 migration' : `${count} migrations`);

/** One sentence on what is left to do or what was done. */
function summary(all: readonly Listed[], applied: number): string {
  const missing = all.filter(({ state }) => state === 'missing').length;
  if (applied > 0) return `Applied ${counted(applied)}.`;
  if (missing === 0) return 'The internal database is up to date.';
  return `Dry run: ${counted(missing)} would be applied. Run atlas migrate --apply to do it; atlas serve does it too.`;
}

function print(run: CliRun, all: readonly Listed[], applied: number): void {
  if (run.options.json === true) {
    const shown = all.map(({ appliedAt = null, ...item }) => ({ ...item, appliedAt }));
    run.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`);
    return;
  }
  const rows = all.map(({ plugin, name, state, appliedAt }) => ({
    plugin,
    migration: name,
    state: appliedAt === undefined || state === 'applied now' ? state : `${state} ${appliedAt}`,
  }));
  const table = renderTable({ columns: COLUMNS, rows }, { ...terminalStyle(run.stdout), maxRows: rows.length });
  run.stdout.write(`${table}\n${summary(all, applied)}\n`);
}

export const migrate = ({ compose }: Cli): CliCommand => ({
  name: 'migrate',
  summary: 'show which migrations the internal database lacks, or apply them',
  options: [
    { flags: '--apply', description: 'apply them; without it nothing is changed' },
    { flags: '--json', description: 'print JSON' },
  ],
  examples: ['DATABASE_URL=sqlite:atlas.db atlas migrate', 'DATABASE_URL=sqlite:atlas.db atlas migrate --apply'],
  run: async (run) => {
    const { config, options, warnings } = await compose(run);
    for (const warning of warnings) warn(run, options.log, warning);
    if (!config.plugins.some(({ definition }) => definition.name === internalDb.pluginName)) {
      throw nothingToMigrate('the composition leaves it out', 'Add internalDb() to the plugins in atlas.config.ts.');
    }
    await using app = await createApp(config, { ...options, until: 'sealed' });
    const database = app.get(internalDb);
    if (!database.configured) {
      throw nothingToMigrate('DATABASE_URL is not set', 'Set it to "postgres://…" or "sqlite:PATH".');
    }
    const applied = run.options.apply === true ? await database.migrate() : [];
    const all = (await database.migrations()).map((item) => ({ ...item, state: stateOf(item, applied) }));
    print(run, all, applied.length);
    return 0;
  },
});
