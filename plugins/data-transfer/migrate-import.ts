/** `atlas migrate-import`: brings the data of an archive into the internal database, and its semantic files into the layer. */
import { resolve } from 'node:path';
import type { Knex } from 'knex';
import { AtlasError, type CliCommand, type CliRun } from '../../kernel/index.ts';
import { type Cli, printableText, progress, type ReportProgress, renderTable, terminalStyle } from '../cli/index.ts';
import { type ArchivedFile, type StagedFiles, stageFiles } from '../semantic-layer/index.ts';
import { type Archive, openArchive } from './archive-reader.ts';
import { readTable } from './columns.ts';
import { type Opened, withDatabase } from './composition.ts';
import { FILES_FOLDER, type Manifest } from './manifest.ts';
import { advanceSequences, type WrittenRows, withoutTriggers, writeRows } from './write-rows.ts';

interface Imported extends WrittenRows {
  readonly name: string;
}

function conflict(message: string, hint: string): AtlasError {
  return new AtlasError(message, { code: 'conflict', reason: 'E_IMPORT_CONFLICT', hint });
}

/** Secrets that the other server has encrypted would be lost here, and noticed only when they are needed. */
function checkKeys({ secretKeys }: Manifest, { db }: Opened): void {
  const missing = secretKeys.filter((id) => !db.secrets.keyIds.includes(id));
  if (missing.length === 0) return;
  throw new AtlasError(
    `The archive holds secrets that were encrypted with another key (${missing.join(', ')}) than there is here, so nothing was imported.`,
    {
      code: 'configuration_error',
      reason: 'E_SECRET_KEY_MISSING',
      hint: "Add the other server's SVC_ENCRYPTION_KEY to that of this one, separated by a comma; where it has none, use the same AUTHLIB_SECRET.",
    },
  );
}

/** Tables of the archive that nothing here would read. */
function checkTables({ tables }: Manifest, { tables: known }: Opened): void {
  const unknown = tables.find(
    ({ table, rows }) => rows > 0 && !known.some((one) => one.table === table && one.isTransient !== true),
  );
  if (unknown === undefined) return;
  throw conflict(
    `The archive has rows of the table "${unknown.table}" (plugin ${unknown.plugin}), which this composition does not have.`,
    "Add the plugin here, with the environment of the other server's composition, then import again.",
  );
}

/** Writes all rows. In the order in which plugins list their tables, so that rows find those that they refer to. */
async function importRows(
  trx: Knex,
  archive: Archive,
  { db, tables }: Opened,
  onRows: (count: number, table: string) => void,
): Promise<Imported[]> {
  const { dialect } = db;
  const imported: Imported[] = [];
  const names = tables.map(({ table }) => table);
  const silent = tables.filter(({ runsTriggers }) => runsTriggers !== true).map(({ table }) => table);
  await withoutTriggers(trx, dialect, silent, async () => {
    for (const name of names) {
      const part = archive.manifest.tables.find(({ table }) => table === name);
      if (part === undefined || part.rows === 0) continue;
      const table = await readTable(trx, dialect, name);
      if (table === undefined)
        throw conflict(
          `The archive has rows of the table "${name}" (plugin ${part.plugin}), which is not in use here.`,
          'Turn on what the other server uses, such as SVC_ACTIONS_ENABLED=true, then import again.',
        );
      const before = imported.reduce((sum, { added, same }) => sum + added + same, 0);
      const written = await writeRows(trx, dialect, table, part, archive.lines(part), (count) =>
        onRows(before + count, name),
      );
      await advanceSequences(trx, table);
      imported.push({ name, ...written });
    }
  });
  return imported;
}

async function* filesOf(archive: Archive): AsyncGenerator<ArchivedFile> {
  for (const part of archive.manifest.files) {
    yield { path: part.path.slice(FILES_FOLDER.length), bytes: await archive.bytes(part) };
  }
}

function checkFiles({ different }: StagedFiles, dir: string): void {
  const [first] = different;
  if (first === undefined) return;
  const more = different.length === 1 ? '' : ` and ${different.length - 1} more`;
  throw conflict(
    `The semantic file ${first}${more} in ${dir} has another content than in the archive, so nothing was imported.`,
    'Move these files away, or import into another folder with SVC_SEMANTIC_DIR.',
  );
}

/** All rows and files, or none. */
async function importAll(
  archive: Archive,
  opened: Opened,
  run: CliRun,
  report: ReportProgress,
): Promise<readonly Imported[]> {
  const { db, layerDir } = opened;
  const isDry = run.options.dryRun === true;
  await using staged = await stageFiles(layerDir, filesOf(archive));
  checkFiles(staged, layerDir);
  const files = { name: 'semantic files', added: staged.added, same: staged.same };
  const isMigrated = (await db.migrations()).every(({ appliedAt }) => appliedAt !== undefined);
  if (isDry && !isMigrated)
    return [...archive.manifest.tables.map(({ table, rows }) => ({ name: table, added: rows, same: 0 })), files];
  if (!isMigrated) await db.migrate();
  const undone = new Error('A dry run undoes a transaction that went well.');
  let rows: readonly Imported[] = [];
  let takeAway = () => {};
  try {
    await db.transaction(async (trx) => {
      rows = await importRows(trx, archive, opened, (count, table) => {
        run.signal.throwIfAborted();
        report(count, archive.manifest.counts.rows, table);
      });
      run.signal.throwIfAborted();
      if (isDry) throw undone;
      takeAway = staged.place();
    });
  } catch (error) {
    takeAway();
    if (error !== undone) throw error;
  }
  return [...rows, files];
}

export function migrateImportCommand(cli: Cli): CliCommand {
  return {
    name: 'migrate-import <file>',
    summary:
      'bring the archive of another server into the internal database and the semantic layer: all of it or nothing',
    options: [{ flags: '--dry-run', description: 'check everything, and change nothing' }],
    examples: [
      'DATABASE_URL=postgres://… atlas migrate-import atlas.zip --dry-run',
      'DATABASE_URL=postgres://… atlas migrate-import atlas.zip',
    ],
    run: async (run) => {
      const [file = ''] = run.args;
      await using archive = await openArchive(resolve(run.cwd, file), run.signal);
      const imported = await withDatabase(cli, run, async (opened) => {
        checkTables(archive.manifest, opened);
        checkKeys(archive.manifest, opened);
        return progress(run, 'Importing rows', (report) => importAll(archive, opened, run, report));
      });
      const rows = imported.map(({ name, added, same }) => ({ '': name, added, 'already there': same }));
      const columns = ['', 'added', 'already there'];
      const table = renderTable({ columns, rows }, { ...terminalStyle(run.stdout), maxRows: rows.length });
      const done =
        run.options.dryRun === true
          ? 'Dry run: nothing was changed.'
          : 'Imported. Users sign in with their passwords as before.';
      run.stdout.write(`${table}\n${printableText(done)}\n`);
      return 0;
    },
  };
}
