/** `atlas init`: reads the tables of the connected database and writes a semantic layer for them. */
import {
  type AtlasConfig,
  type CliCommand,
  type CliRun,
  didYouMean,
  type TableDescription,
} from '../../../kernel/index.ts';
import { type Cli, type Composition, printableText, progress } from '../../cli/index.ts';
import type { LanguageCode } from '../../language-kit/index.ts';
import { tenantTables } from '../../profile-kit/index.ts';
import { isSameSchema, withExistingNames } from '../files/existing-names.ts';
import {
  type ExistingEntity,
  existingEntities,
  type MergedFile,
  mergeLayer,
  otherFiles,
  writeMerged,
} from '../files/files.ts';
import type { Content } from '../files/merge.ts';
import { projectsOf, withProjects } from '../import/project-files.ts';
import { checkModel, enrich, withModel } from '../layer/enrich.ts';
import { layerFiles } from '../layer/layer.ts';
import { type IsWithheld, translate } from '../layer/translations.ts';
import { wrong } from '../profile/errors.ts';
import { type Profile, type ProfiledDatabase, withDatabase } from '../profile/profile.ts';
import { dataFiles, importDataFiles } from './data-files.ts';
import { initDemo } from './demo.ts';
import { checkFlags, INIT_OPTIONS } from './flags.ts';
import { writeForOrganization } from './organization.ts';
import { chosenSchema } from './prompts.ts';
import { nextSteps, summaryOf } from './summary.ts';
import { type InitTarget, targetOf } from './target.ts';
import { triedQuestions } from './tried-questions.ts';

const FAILED_SHARE = 0.2;

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
      others === ''
        ? 'Check the name of the database in the URL, and the rights of the login.'
        : `Choose a schema with --schema; there are: ${others}.`,
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

const lastPart = (table: string) => table.slice(table.lastIndexOf('.') + 1);

const isRowSecured = ({ plugins }: AtlasConfig) => plugins.some(({ definition }) => definition.name === 'row-security');

/** Why some tables have no sample values. */
function withheldNote(config: AtlasConfig, withheld: readonly string[]): string {
  if (isRowSecured(config))
    return 'No sample values were written: row security is on, and every user would see them.\n';
  if (withheld.length === 0) return '';
  return `${printableText(`No sample values were written for tables whose rows belong to tenants: ${withheld.join(', ')}.`)}\n`;
}

/** The schema that is asked for, or the connection's own; `undefined` where the engine has no schemas. */
async function schemaOf(run: CliRun, { ownSchema, tables }: ProfiledDatabase): Promise<string | undefined> {
  const { options, env } = run;
  const hasSchemas = tables.some(({ schema }) => schema !== undefined);
  if (typeof options.schema === 'string') return options.schema === 'main' && !hasSchemas ? undefined : options.schema;
  return hasSchemas ? env.SVC_SCHEMA || chosenSchema(run, tables, ownSchema) : ownSchema;
}

/** Entities in the folder of a source would belong to the connection of that name. */
function onConnection(files: ReadonlyMap<string, unknown>, id: string, { source }: InitTarget): Map<string, Content> {
  return new Map(
    Array.from(files, ([path, content]) => {
      const { table, name, schema, ...rest } = content as Content;
      if (source === undefined || table === undefined) return [path, content as Content];
      const own = { table, ...(name !== undefined && { name }), ...(schema !== undefined && { schema }) };
      return [path, { ...own, connection: id, ...rest }];
    }),
  );
}

interface Found {
  readonly files: ReadonlyMap<string, Content>;
  readonly count: number;
  readonly withheld: readonly string[];
  readonly isWithheld: IsWithheld;
  /** What the layer says of the tables that were looked at and is gone from the database. */
  readonly gone: readonly string[];
}

/** What is in files of the layer, but not in the database any more, one sentence each. */
function goneParts(
  existing: readonly ExistingEntity[],
  { tables, ownSchema }: ProfiledDatabase,
  schema: string | undefined,
  isWhole: boolean,
): string[] {
  return existing.flatMap(({ path, table, schema: own = ownSchema, columns }) => {
    const found = tables.find((one) => one.name.toLowerCase() === table.toLowerCase() && one.schema === own);
    if (found === undefined) return isWhole && own === schema ? [`${path}: the table ${table}`] : [];
    const known = new Set(found.columns.map(({ name }) => name.toLowerCase()));
    return columns.filter((name) => !known.has(name.toLowerCase())).map((name) => `${path}: the column ${name}`);
  });
}

async function enrichedBy({ config, options }: Composition, run: CliRun, files: ReadonlyMap<string, Content>) {
  const done = await progress(run, 'Asking the model', (report) =>
    withModel(config, options, run.signal, (ask) => enrich(files, ask, run.signal, report)),
  );
  for (const failure of done.failures) run.stderr.write(`${printableText(failure)}\n`);
  return done;
}

/** The files with words of the languages that are asked for, and those of the folder that got some. */
async function translatedBy(
  { config, options }: Composition,
  run: CliRun,
  { base }: InitTarget,
  files: readonly MergedFile[],
  isWithheld: IsWithheld,
) {
  const others = run.options.tables === undefined ? otherFiles(base, files) : [];
  const languages = [...new Set(String(run.options.languages).split(','))] as LanguageCode[];
  const done = await progress(run, 'Asking for translations', (report) =>
    withModel(config, options, run.signal, (ask) =>
      translate([...files, ...others], { languages, isWithheld }, ask, run.signal, report),
    ),
  );
  for (const failure of done.failures) run.stderr.write(`${printableText(failure)}\n`);
  return done.files.filter((file) => !others.includes(file));
}

export function initCommand(cli: Cli): CliCommand {
  const { compose, demoLayerDir } = cli;
  return {
    name: 'init [files...]',
    summary: 'write a semantic layer for the connected database',
    options: INIT_OPTIONS,
    examples: [
      'SVC_DATASOURCE_URL=sqlite:shop.db atlas init',
      'atlas init --tables orders,customers',
      'atlas init --csv orders.csv,customers.csv',
      'atlas init --parquet data/',
      'atlas init --connection warehouse',
      'atlas init --from target/manifest.json',
      'atlas init --enrich',
      'atlas init --enrich --languages de,fr',
      'atlas init --demo ecommerce',
    ],
    run: async (run) => {
      checkFlags(run);
      if (run.options.demo !== undefined) return initDemo(run, cli);
      const dataToImport = dataFiles(run);
      const projects = run.options.from === undefined ? [] : await projectsOf(String(run.options.from), run.cwd);
      // No model is asked: whichever keys are set, none of them may stop this.
      const env = { ...run.env, SVC_PROVIDER: 'offline' };
      const composition = await compose({ ...run, env });
      const target = targetOf(composition.config, run, demoLayerDir);
      const model = run.options.enrich === true ? await compose(run) : undefined;
      if (model !== undefined) checkModel(model.config);
      const imported = dataToImport.length === 0 ? undefined : await importDataFiles(dataToImport, run);
      if (imported !== undefined) run.stdout.write(`${printableText(imported.report)}\n`);
      const { config, options } =
        imported === undefined
          ? composition
          : await compose({ cwd: run.cwd, env: { ...env, SVC_DATASOURCE_URL: imported.url }, builtIn: true });
      const asked = String(run.options.tables ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean);
      const existing = existingEntities(target.base);
      const found = await withDatabase(
        config,
        { ...options, connection: target.connection },
        run.signal,
        async (database): Promise<Found> => {
          const schema = await schemaOf(run, database);
          const tables = tablesOf(database.tables, schema, asked);
          const names = database.tables.map(({ name }) => name);
          const withheld = isRowSecured(config) ? new Set(names) : tenantTables(database.tables);
          const profiles = await progress(run, 'Reading tables', (report) => {
            report(0, tables.length);
            return database.profile(tables, { withoutSamples: withheld, onProgress: report });
          });
          checkFailures(profiles, run);
          const read = profiles.filter(({ failure }) => failure === undefined);
          const isUsed = (name: string, { schema: own }: TableDescription) =>
            existing.some((entity) => entity.name === name && !isSameSchema(entity.schema, own, database.ownSchema));
          const generated = onConnection(await layerFiles(read, database, isUsed), database.info.id, target);
          return {
            count: read.length,
            files: withExistingNames(generated, existing, database.ownSchema),
            // Of a table that is not known nobody knows whether its rows belong to tenants.
            isWithheld: (table) => withheld.has(lastPart(table)) || !names.includes(lastPart(table)),
            withheld: read.map(({ table }) => table.name).filter((name) => withheld.has(name)),
            gone: goneParts(existing, database, schema, asked.length === 0),
          };
        },
      );
      run.signal.throwIfAborted();
      const wanted = new Set(
        asked.length === 0 ? [] : [...found.files.keys()].filter((path) => path.startsWith('entities/')),
      );
      const taken = withProjects(found.files, projects);
      const full = model === undefined ? undefined : await enrichedBy(model, run, taken.files);
      const said = new Set([...taken.said, ...(full?.said ?? [])]);
      const generated = mergeLayer(target.base, full?.files ?? taken.files, { wanted, said, base: found.files });
      const merged =
        model === undefined || run.options.languages === undefined
          ? generated
          : await translatedBy(model, run, target, generated, found.isWithheld);
      if (target.orgId === undefined) writeMerged(target.dir, target.shown, merged);
      else
        await writeForOrganization(
          composition,
          { ...target, orgId: target.orgId },
          merged,
          run.options.import !== false,
        );
      run.stdout.write(summaryOf(merged, { ...found, shown: target.shown }));
      run.stdout.write(taken.told);
      run.stdout.write(withheldNote(config, found.withheld));
      const layer = { dir: target.orgDir ?? target.root, source: target.source ?? 'default' };
      const tried = await progress(run, 'Trying questions', () => triedQuestions(config, options, layer, run.signal));
      if (imported !== undefined) {
        run.stdout.write(`The tables are in ${imported.url}: put SVC_DATASOURCE_URL=${imported.url} into .env.\n`);
      }
      run.stdout.write(nextSteps(tried));
      return 0;
    },
  };
}
