/** `atlas learn`: proposes what the audit log shows again and again as changes of the semantic layer. */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  type App,
  AtlasError,
  type CliCommand,
  type CliRun,
  createApp,
  datasourceList,
  didYouMean,
  type Logger,
  type PluginRef,
  Type,
} from '../../kernel/index.ts';
import { type Cli, printableText, renderTable, terminalStyle } from '../cli/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { importFiles, layerFolderOf, loadSemanticLayer } from '../semantic-layer/index.ts';
import { findDialect, type SqlDialect } from '../sql-kit/index.ts';
import { editedText } from './layer-edits.ts';
import { MIN_SEEN, type Proposal } from './proposal.ts';
import { readLog } from './read-log.ts';
import { proposeJoins, proposeMeasures, proposePatterns } from './structure.ts';
import { proposeFromQuestions, proposeFromRepairs } from './synonyms.ts';

const internalDb: PluginRef<InternalDb> = { pluginName: 'internal-db' };
const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 100_000;

const wrong = (message: string, hint: string) => new AtlasError(message, { code: 'invalid_request', hint });

function sinceOf({ since }: CliRun['options']): string | undefined {
  if (since === undefined) return undefined;
  const text = String(since);
  const time = /^\d{4}-\d\d-\d\d(T.*)?$/.test(text) ? new Date(text) : new Date(Number.NaN);
  // The engine takes the 31st of February for a day of March.
  if (
    !Number.isNaN(time.getTime()) &&
    new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10))
  )
    return time.toISOString();
  throw wrong('--since is invalid: expected a date, such as 2026-01-31.', 'Statements from that day on are read.');
}

function dialectsOf(app: App, signal: AbortSignal) {
  const found = new Map<string, Promise<SqlDialect | undefined>>();
  const find = async (name: string) => {
    const dialect = await findDialect(app, name, app.scope({ signal }));
    await dialect?.load?.();
    return dialect;
  };
  return (name: string) => {
    const known = found.get(name) ?? find(name);
    found.set(name, known);
    return known;
  };
}

/** All proposals for the files of the layer, by kind. */
async function proposalsFor(app: App, db: InternalDb, layerDir: string, run: CliRun): Promise<Proposal[]> {
  const model = await loadSemanticLayer(layerDir);
  const { source } = run.options;
  const sources = [...new Set(model.entities.map((entity) => entity.source))];
  if (source !== undefined && !sources.includes(String(source)))
    throw wrong(
      `There is no source "${source}"${didYouMean(String(source), sources) || '.'}`,
      `There are: ${sources.join(', ') || 'none'}.`,
    );
  const statements = await readLog({
    ...{ db, model, layerDir, limit: Number(run.options.limit ?? DEFAULT_LIMIT), since: sinceOf(run.options) },
    dialectOf: dialectsOf(app, run.signal),
    connections: (await app.call(datasourceList, undefined, app.scope({ signal: run.signal }))).map(
      ({ value }) => value,
    ),
  });
  run.signal.throwIfAborted();
  const worked = statements.filter(({ entry }) => entry.success);
  const all = [
    ...proposeJoins(worked),
    ...proposeMeasures(worked),
    ...proposeFromRepairs(statements, model),
    ...proposeFromQuestions(worked, model),
    ...proposePatterns(worked, model),
  ];
  const unique = new Map(
    all.map((proposal) => [`${proposal.entity.file}\n${proposal.kind}\n${proposal.summary}`, proposal]),
  );
  return [...unique.values()].filter(({ entity }) => source === undefined || entity.source === source);
}

interface Change {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

function changesOf(proposals: readonly Proposal[], layerDir: string): Change[] {
  const byFile = [...Map.groupBy(proposals, ({ entity }) => entity.file)].sort(([a], [b]) => (a < b ? -1 : 1));
  return byFile.flatMap(([path, own]) => {
    const before = readFileSync(join(layerDir, path), 'utf8');
    const after = editedText(before, own);
    return before === after ? [] : [{ path, before, after }];
  });
}

const shown = ({ kind, entity, seen, summary, value, ...more }: Proposal) => ({
  ...{ kind, entity: entity.name, source: entity.source, file: entity.file, seen, summary, value },
  ...('member' in more && { member: more.member }),
});

/** The changes of a file, for `patch -p1` and `git apply`. */
async function unifiedDiff(path: string, { before, after }: Change): Promise<string> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, options);
}

async function print(
  proposals: readonly Proposal[],
  changes: readonly Change[],
  dir: string,
  run: CliRun,
): Promise<void> {
  const { json, suggestions, apply } = run.options;
  if (json === true) {
    const body = { proposals: proposals.map(shown), applied: apply === true };
    run.stdout.write(`${JSON.stringify(body, undefined, 2)}\n`);
  } else if (proposals.length === 0) {
    run.stderr.write(`Nothing to propose: nothing new was seen in ${MIN_SEEN} or more successful statements.\n`);
  } else if (suggestions === true) {
    const rows = proposals.map(({ kind, seen, summary, entity }) => ({
      kind,
      proposal: summary,
      seen,
      file: entity.file,
    }));
    const table = { columns: ['kind', 'proposal', 'seen', 'file'], rows };
    run.stdout.write(`${renderTable(table, { ...terminalStyle(run.stdout), maxRows: rows.length })}\n`);
  } else if (apply === true) {
    const lines = changes.map(({ path }) => `Changed ${join(dir, path)}.`);
    run.stdout.write(`${printableText([...lines, `${proposals.length} proposals applied.`].join('\n'))}\n`);
  } else {
    const diffs = await Promise.all(changes.map((change) => unifiedDiff(join(dir, change.path), change)));
    run.stdout.write(printableText(diffs.join('')));
    run.stderr.write(`${proposals.length} proposals; write them with --apply, or list them with --suggestions.\n`);
  }
}

async function learn({ compose }: Cli, run: CliRun): Promise<number> {
  sinceOf(run.options);
  const { config, options } = await compose({ cwd: run.cwd, env: { ...run.env, SVC_PROVIDER: 'offline' } });
  await using app = await createApp(config, { ...options, log: SILENT, until: 'sealed' });
  const db = config.plugins.some(({ definition }) => definition.name === internalDb.pluginName)
    ? app.get(internalDb)
    : undefined;
  if (db?.configured !== true) {
    throw new AtlasError('There is no audit log to learn from: DATABASE_URL is not set.', {
      code: 'not_available',
      hint: 'Set it to "postgres://…" or "sqlite:PATH", as the server has it.',
    });
  }
  const layerDir = layerFolderOf(config, run.cwd);
  if (!existsSync(layerDir))
    throw wrong(`There is no semantic layer in ${relative(run.cwd, layerDir)}.`, 'Write one with "atlas init".');
  if (!(await db.migrations()).some(({ plugin, appliedAt }) => plugin === 'audit' && appliedAt !== undefined))
    throw wrong(
      'The database in DATABASE_URL has no audit log yet.',
      'Ask some questions first, or check DATABASE_URL.',
    );
  const proposals = await proposalsFor(app, db, layerDir, run);
  const changes = changesOf(proposals, layerDir);
  if (run.options.apply === true && changes.length > 0) {
    const files = changes.map(({ path, after }) => ({ path, text: after }));
    await importFiles(layerDir, null, files, { isKnown: false });
  }
  await print(proposals, changes, relative(run.cwd, layerDir) || '.', run);
  return 0;
}

export const learnCommand = (cli: Cli): CliCommand => ({
  name: 'learn',
  summary: `propose joins, measures, synonyms and query patterns that ${MIN_SEEN} or more statements of the audit log show, as a diff`,
  options: [
    {
      flags: '--apply',
      description: 'write the proposals into the files; without it nothing is changed',
      conflicts: ['--suggestions'],
    },
    { flags: '--suggestions', description: 'list the proposals instead of a diff' },
    {
      flags: '--limit <n>',
      description: `number of statements to read, the newest ones; default: ${DEFAULT_LIMIT}`,
      schema: Type.Integer({ minimum: 1, maximum: MAX_LIMIT }),
    },
    { flags: '--since <date>', description: 'only statements from this day on' },
    { flags: '--source <name>', description: 'only for the files of this source' },
    { flags: '--json', description: 'print JSON' },
  ],
  examples: [
    'DATABASE_URL=sqlite:atlas.db atlas learn',
    'atlas learn --since 2026-01-01 --suggestions',
    'atlas learn --apply',
  ],
  run: (run) => learn(cli, run),
});
