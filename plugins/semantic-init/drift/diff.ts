/** `atlas diff`: compares the semantic layer with the schema of the database; exit code 1 when they differ. */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import {
  AtlasError,
  type CliCommand,
  type CliRun,
  didYouMean,
  type HealthItem,
  type TableDescription,
} from '../../../kernel/index.ts';
import { type Cli, printableText, probedLayer, renderTable, terminalStyle, wrongUse } from '../../cli/index.ts';
import { plainName, typeOf, withoutKind } from '../../profile-kit/index.ts';
import type { EntityFile, ModelEntity, SemanticModel } from '../../semantic-layer/index.ts';
import { layerFolderOf } from '../../semantic-layer/index.ts';
import { writtenFiles } from '../files/files.ts';
import { splitRecord } from '../files/written-record.ts';
import { FOLDER_NAME } from '../init/flags.ts';
import { NO_RIGHT, type ProfiledDatabase, withDatabase } from '../profile/profile.ts';
import type { ComparedDatabase, ComparedLayer, Condition, Drift, DriftKind, LayerEntity } from './compared-layer.ts';
import { driftOf } from './drift.ts';

/** Tables that are read at most: those without an entity, of which `init` leaves out what cannot be read, and those whose values tell types. */
const MAX_TRIED_TABLES = 200;

const MEANINGS: Readonly<Record<DriftKind, string>> = {
  table_added: 'table added',
  table_removed: 'table removed',
  table_moved: 'table in another schema',
  table_kind: 'table or view',
  column_added: 'column added',
  column_removed: 'column removed',
  column_type: 'type changed',
  column_nullable: 'nullability changed',
  primary_key: 'primary key changed',
  foreign_key_added: 'foreign key added',
  foreign_key_removed: 'foreign key removed',
  foreign_key_changed: 'foreign key changed',
  join_broken: 'join broken',
  expression_broken: 'expression broken',
};

/** The layer's entities of a source. Throws when there are none, or when a file of theirs cannot be used. */
function entitiesOf(model: SemanticModel, dir: string, shown: string, source: string, ownSchema: string | undefined) {
  const entities = model.entities.filter((entity) => entity.source === source);
  const known = new Set(entities.map(({ file }) => file));
  const folder = source === 'default' ? 'entities/' : `${source}/entities/`;
  const broken = model.problems.find(({ file }) => file.startsWith(folder) && !known.has(file));
  if (broken !== undefined) {
    const { file, line, column, message } = broken;
    throw new AtlasError(`${file}:${line}:${column}: ${message}`, { hint: 'Correct the file, then compare again.' });
  }
  if (entities.length === 0) {
    const where = source === 'default' ? shown : `${shown}/${source}`;
    throw new AtlasError(`There is no semantic layer in ${where}.`, {
      hint: 'Write one with "atlas init", or name its folder in SVC_SEMANTIC_DIR.',
    });
  }
  return entities.map((entity) => declared(entity, dir, ownSchema));
}

function declared({ name, file, table, schema }: ModelEntity, dir: string, ownSchema: string | undefined): LayerEntity {
  const text = readFileSync(join(dir, file), 'utf8');
  const { body, record } = splitRecord(text);
  const entity = parse(body, { merge: true }) as EntityFile;
  const own = schema ?? ownSchema;
  return { name, file, table, schema: own === 'main' ? undefined : own, entity, record };
}

function conditionsOf({ metrics, glossary }: SemanticModel, source: string): Condition[] {
  const ofMetrics = metrics.map(({ id, ...metric }) => ({ ...metric, label: `metric ${id}` }));
  const ofTerms = glossary.map(({ term, ...given }) => ({ ...given, label: `term ${term}` }));
  return [...ofMetrics, ...ofTerms].flatMap(({ label, entity, sql, file, source: own }) =>
    entity === undefined || sql === undefined || own !== source ? [] : [{ label, entity, sql, file }],
  );
}

/** The schema whose tables should be in the layer: that of the options or, as far as the engine has schemas, of the environment. */
function schemaOf({ options, env }: CliRun, { tables, ownSchema }: ProfiledDatabase): string | undefined {
  const schemas = [...new Set(tables.map((table) => table.schema))];
  const { schema = ownSchema === undefined ? undefined : env.SVC_SCHEMA || ownSchema } = options;
  if (typeof schema !== 'string' || (schema === 'main' && ownSchema === undefined)) return undefined;
  if (!schemas.includes(schema) && options.schema !== undefined) {
    const known = schemas.map((name) => name ?? 'main').join(', ');
    throw wrongUse(`There is no schema "${schema}" with a table that this login may read.`, `There are: ${known}.`);
  }
  return schema;
}

interface Asked {
  readonly entities: readonly LayerEntity[];
  readonly expected: readonly TableDescription[];
}

/** What is compared: a schema and, where the options name tables, only these. */
function asked(run: CliRun, database: ProfiledDatabase, all: readonly LayerEntity[]): Asked {
  const schema = schemaOf(run, database);
  const isChosen = run.options.schema !== undefined;
  const entities = isChosen ? all.filter((entity) => entity.schema === schema) : all;
  // Other schemas count if "atlas init" has read them; a layer of these only was not meant for the tables of this one.
  const read = all.filter((item) => item.schema === schema || !item.record.isEmpty);
  const schemas = isChosen ? [schema] : (read.length > 0 ? read : all).map((item) => item.schema);
  const expected = database.tables.filter((table) => schemas.includes(table.schema));
  const names = String(run.options.tables ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const known = [...entities.map(({ table }) => table), ...expected.map(({ name }) => name)];
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = didYouMean(name, known) || '.';
    throw wrongUse(`Neither the layer nor the database has a table "${name}"${near}`);
  }
  if (names.length === 0) return { entities, expected };
  return {
    entities: entities.filter(({ table }) => names.includes(table)),
    expected: expected.filter(({ name }) => names.includes(name)),
  };
}

/** Rows by which a table must have grown or shrunk, at least to the double or half, for its facts to be old. */
const OLD_ROWS = 1_000;

/** Names the tables that have many more or fewer rows than when they were profiled, as far as the engine estimates them. */
function tellOldFacts(entities: readonly LayerEntity[], { tables, ownSchema }: ProfiledDatabase, run: CliRun): void {
  const old = entities.filter(({ table: name, schema = ownSchema, entity: { row_count: known } }) => {
    const now = tables.find((table) => table.name === name && table.schema === schema)?.estimatedRows;
    if (known === undefined || now === undefined || Math.abs(now - known) <= OLD_ROWS) return false;
    return Math.max(now, known) > 2 * Math.min(now, known);
  });
  if (old.length === 0) return;
  const names = old.map(({ table }) => table).join(', ');
  run.stderr.write(
    `${printableText(`Row counts and ranges are old, as the number of rows has changed: ${names}. Run "atlas init" to read them again.`)}\n`,
  );
}

/** The differences, after reading tables that `init` may not have been able to read, and those whose values tell types. */
async function driftIn(
  all: ComparedLayer,
  expected: readonly TableDescription[],
  database: ProfiledDatabase,
  run: CliRun,
) {
  const denied = (item: LayerEntity) =>
    database.tables.some(
      (table) =>
        table.name === item.table &&
        table.schema === (item.schema ?? database.ownSchema) &&
        !database.isReadable(table),
    );
  const layer = { ...all, entities: all.entities.filter((item) => !denied(item)) };
  const leaveOut = (name: string, reason: string) =>
    run.stderr.write(`${printableText(`Left out, as it cannot be read: ${name}: ${reason}`)}\n`);
  for (const { table } of all.entities.filter(denied)) leaveOut(table, NO_RIGHT);
  const isDynamic = database.dialect.hasDynamicTypes === true;
  const compared: ComparedDatabase = {
    tables: database.tables,
    expected,
    ownSchema: database.ownSchema,
    hasExactNames: database.dialect.hasExactNames === true,
    typeOf: (column) => typeOf(column, [], database.dialect),
  };
  const named = (kind: DriftKind, drift: readonly Drift[]) =>
    new Set(drift.filter((one) => one.kind === kind).map(({ table }) => table));
  const first = driftOf(layer, compared);
  const added = named('table_added', first);
  const retyped = isDynamic ? named('column_type', first) : new Set();
  const looked = database.tables.filter(({ name, schema }) => {
    const shown = schema === undefined || schema === database.ownSchema ? name : `${schema}.${name}`;
    return added.has(shown) || retyped.has(shown);
  });
  const withoutSamples = new Set(looked.map(({ name }) => name));
  const profiles = await database.profile(looked.slice(0, MAX_TRIED_TABLES), { withoutSamples });
  const unreadable = new Set(profiles.flatMap(({ table, failure }) => (failure === undefined ? [] : [table])));
  for (const { table, failure } of profiles) {
    if (failure === undefined || !expected.includes(table)) continue;
    if (!all.entities.some((item) => denied(item) && item.table === table.name)) leaveOut(table.name, failure);
  }
  const typesByValues = new Map(
    profiles.map(({ table, columns }) => [table, new Map(Array.from(columns, ([name, { type }]) => [name, type]))]),
  );
  return driftOf(layer, { ...compared, expected: expected.filter((table) => !unreadable.has(table)), typesByValues });
}

/** Prints what runs differently of what the layer holds, such as its verified queries; whether there is any. */
function printProbed(run: CliRun, wrong: readonly HealthItem[]): boolean {
  for (const { component, id = component, message = 'It is not as it was.' } of wrong)
    run.stderr.write(`${printableText(`${component} "${id}": ${message}`)}\n`);
  return wrong.length > 0;
}

function print(run: CliRun, drift: readonly Drift[], compared: number): void {
  if (run.options.json === true) {
    const status = drift.length === 0 ? 'clean' : 'drift';
    run.stdout.write(`${JSON.stringify({ status, compared, drift }, undefined, 2)}\n`);
    return;
  }
  const tables = compared === 1 ? '1 table' : `${compared} tables`;
  if (drift.length === 0) {
    run.stdout.write(`The semantic layer fits the database: ${tables} compared, no difference.\n`);
    return;
  }
  const rows = drift.map(({ kind, table, column, layer, database, note }) => ({
    difference: MEANINGS[kind],
    table,
    column,
    layer,
    database,
    note,
  }));
  const columns = ['difference', 'table', 'column', 'layer', 'database', 'note'].filter((name) =>
    rows.some((row) => row[name as keyof typeof row] !== undefined),
  );
  const count = drift.length === 1 ? '1 difference' : `${drift.length} differences`;
  run.stdout.write(`${renderTable({ columns, rows }, { ...terminalStyle(run.stdout), maxRows: rows.length })}\n`);
  run.stdout.write(`${count} in ${tables}. Run "atlas init" to take them into the layer, or correct its files.\n`);
}

async function compare(run: CliRun, { compose }: Cli): Promise<number> {
  // No model is asked: whichever keys are set, none of them may stop this.
  const { config, options } = await compose({ ...run, env: { ...run.env, SVC_PROVIDER: 'offline' } });
  const dir = layerFolderOf(config, run.cwd);
  const shown = relative(run.cwd, dir) || '.';
  const { source = 'default' } = run.options as { source?: string };
  const connection = source === 'default' ? undefined : { id: source, isRequired: false };
  const { loadSemanticLayer } = await import('../../semantic-layer/index.ts');
  const model = await loadSemanticLayer(dir);
  if (!existsSync(dir))
    throw new AtlasError(`There is no folder ${shown}.`, { hint: 'Write a layer with "atlas init".' });
  const code = await withDatabase(config, { ...options, connection }, run.signal, async (database) => {
    const all = entitiesOf(model, dir, shown, source, database.ownSchema);
    const { entities, expected: known } = asked(run, database, all);
    const sourceDir = join(dir, source === 'default' ? '' : source);
    const written = writtenFiles(sourceDir);
    // A file that a person has deleted is not written again by `init` either.
    const isDeleted = (file: string) => written.has(file) && !existsSync(join(sourceDir, file));
    const namesOf = (table: string) => [plainName(table), withoutKind(plainName(table))];
    const expected = known.filter(({ name }) => !namesOf(name).some((own) => isDeleted(`entities/${own}.yml`)));
    const drift = await driftIn({ entities, conditions: conditionsOf(model, source) }, expected, database, run);
    run.signal.throwIfAborted();
    tellOldFacts(entities, database, run);
    print(run, drift, entities.length);
    return drift.length === 0 ? 0 : 1;
  });
  const probed = model.verified === undefined ? [] : await probedLayer(config, options, run.signal);
  const wrong = probed.filter(({ status }) => status !== 'ok');
  return printProbed(run, wrong) ? 1 : code;
}

export const diffCommand = (cli: Cli): CliCommand => ({
  name: 'diff',
  summary: 'compare the semantic layer with the schema of the database',
  options: [
    { flags: '--tables <names>', description: 'only these tables, separated by commas' },
    {
      flags: '--schema <name>',
      description: 'only this schema; default: those that the layer has tables of',
    },
    {
      flags: '--source <name>',
      description: 'the layer in the folder of this name, for the connection of this name',
      schema: FOLDER_NAME,
    },
    { flags: '--json', description: 'print JSON' },
  ],
  examples: ['atlas diff', 'atlas diff --tables orders,customers --json'],
  exitCodes: { 0: 'no difference', 1: 'differences, or an error' },
  run: (run) => compare(run, cli),
});
