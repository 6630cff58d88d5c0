/** `atlas export`: writes the data of the internal database and the semantic files into one archive. */
import { resolve } from 'node:path';
import type { Knex } from 'knex';
import { AtlasError, type CliCommand, type CliRun } from '../../kernel/index.ts';
import { type Cli, printableText, progress, type ReportProgress } from '../cli/index.ts';
import { keyIdsIn } from '../internal-db/index.ts';
import { type ArchivedFile, archivedFiles } from '../semantic-layer/index.ts';
import { checkFree, type Part, writeArchive } from './archive-writer.ts';
import { readTable, rowsOf, type Table } from './columns.ts';
import { type Opened, type OwnedTable, withDatabase } from './composition.ts';
import {
  FILES_FOLDER,
  type FilePart,
  FORMAT,
  FORMAT_VERSION,
  type Manifest,
  type TablePart,
  tablePath,
} from './manifest.ts';
import { readRows } from './read-rows.ts';

/** Lines are written together, as each piece is hashed and compressed on its own. */
const CHUNK_LENGTH = 65_536;

/** Tables that cannot be exported make an archive that only looks whole. */
async function refuseUnknown(
  trx: Knex,
  { tables, silentPlugins }: Opened,
  isPartial: boolean,
): Promise<readonly string[]> {
  const recorded = await rowsOf<{ plugin: string }>(trx, 'SELECT DISTINCT plugin FROM atlas_migrations');
  const known = new Set(tables.map(({ plugin }) => plugin));
  const unknown = recorded.flatMap(({ plugin }) => (known.has(plugin) ? [] : [plugin])).sort();
  if (unknown.length === 0 || isPartial) return unknown;
  const isSilent = unknown.some((plugin) => silentPlugins.includes(plugin));
  throw new AtlasError(
    `The internal database has tables of plugins about which the composition says nothing: ${unknown.join(', ')}.`,
    {
      code: 'configuration_error',
      reason: 'E_EXPORT_INCOMPLETE',
      hint: isSilent
        ? 'These plugins have to list their tables with the hook store.tables; --partial leaves them out.'
        : "Run the export with the server's environment and atlas.config.ts, or leave these tables out with --partial.",
    },
  );
}

interface Collected {
  readonly report: ReportProgress;
  readonly tables: TablePart[];
  readonly files: FilePart[];
  readonly secretKeys: Set<string>;
}

function tablePart(trx: Knex, { db }: Opened, table: Table, owned: OwnedTable, collected: Collected): Part {
  const { sealed = [], plugin } = owned;
  let rows = 0;
  return {
    path: tablePath(table.name),
    async *chunks() {
      let text = '';
      for await (const row of readRows(trx, db.dialect, table)) {
        rows += 1;
        for (const column of sealed) {
          const value = row[column];
          if (typeof value === 'string') for (const id of await keyIdsIn(value)) collected.secretKeys.add(id);
        }
        text += `${JSON.stringify(row)}\n`;
        if (text.length < CHUNK_LENGTH) continue;
        yield text;
        text = '';
        collected.report(rows, undefined, table.name);
      }
      yield text;
    },
    written(part) {
      collected.tables.push({
        ...part,
        table: table.name,
        plugin,
        columns: table.columns.map(({ name }) => name),
        rows,
      });
    },
  };
}

const filePart = ({ path, bytes }: ArchivedFile, { files }: Collected): Part => ({
  path: FILES_FOLDER + path,
  async *chunks() {
    yield bytes;
  },
  written: (part) => void files.push(part),
});

function manifestOf({ tables, files, secretKeys }: Collected, version: string): Manifest {
  return {
    format: FORMAT,
    version: FORMAT_VERSION,
    createdAt: new Date().toISOString(),
    atlas: version,
    secretKeys: [...secretKeys].sort(),
    counts: { tables: tables.length, rows: tables.reduce((sum, { rows }) => sum + rows, 0), files: files.length },
    tables,
    files,
  };
}

/** Everything in one snapshot of the database. */
async function writeAll(opened: Opened, out: string, version: string, run: CliRun, report: ReportProgress) {
  const missing = (await opened.db.migrations()).filter(({ appliedAt }) => appliedAt === undefined);
  if (missing.length > 0) {
    throw new AtlasError(`The internal database lacks ${missing.length} migrations, so it cannot be exported.`, {
      code: 'configuration_error',
      hint: 'Apply them with "atlas migrate --apply", or check DATABASE_URL.',
    });
  }
  return opened.db.snapshot(async (trx) => {
    const leftOut = await refuseUnknown(trx, opened, run.options.partial === true);
    const collected: Collected = { report, tables: [], files: [], secretKeys: new Set() };
    const parts: Part[] = [];
    for (const owned of opened.tables) {
      const table = owned.isTransient !== true ? await readTable(trx, opened.db.dialect, owned.table) : undefined;
      if (table !== undefined) parts.push(tablePart(trx, opened, table, owned, collected));
    }
    for await (const file of archivedFiles(opened.layerDir)) parts.push(filePart(file, collected));
    const manifest = () => manifestOf(collected, version);
    await writeArchive(out, parts, manifest, run.signal);
    return { ...manifest().counts, secretKeys: collected.secretKeys.size, leftOut };
  });
}

const counted = (count: number, noun: string) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

export function exportCommand(cli: Cli): CliCommand {
  return {
    name: 'export',
    summary: 'write all data of the internal database and the semantic files into one archive',
    options: [
      { flags: '--out <file>', description: 'the archive, a ZIP file that must not exist yet', required: true },
      { flags: '--partial', description: 'leave out tables of plugins that the composition does not have' },
    ],
    examples: ['atlas export --out atlas-2026-01-31.zip', 'DATABASE_URL=sqlite:atlas.db atlas export --out atlas.zip'],
    run: async (run) => {
      const out = String(run.options.out);
      const path = resolve(run.cwd, out);
      await checkFree(path);
      const { rows, tables, files, secretKeys, leftOut } = await withDatabase(cli, run, (opened) =>
        progress(run, 'Exporting rows', (report) => writeAll(opened, path, cli.version, run, report)),
      );
      const notes = [
        `Wrote ${counted(rows, 'row')} of ${counted(tables, 'table')} and ${counted(files, 'semantic file')} to ${out}.`,
        ...(leftOut.length > 0 ? [`Left out: the tables of ${leftOut.join(', ')}.`] : []),
        'It holds password hashes, questions and answers: keep it as safe as the database.',
        ...(secretKeys > 0
          ? [
              'Secrets in it stay encrypted: the other server needs the SVC_ENCRYPTION_KEY (or AUTHLIB_SECRET) of this one.',
            ]
          : []),
      ];
      run.stdout.write(`${printableText(notes.join('\n'))}\n`);
      return 0;
    },
  };
}
