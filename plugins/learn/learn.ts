/** `atlas learn`: proposes what people's questions show again and again as changes of the semantic layer. */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  type App,
  AtlasError,
  type CliCommand,
  type CliRun,
  createApp,
  didYouMean,
  type Logger,
  type PluginRef,
  Type,
} from '../../kernel/index.ts';
import { type Cli, printableText, renderTable, terminalStyle } from '../cli/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { importFiles, layerFolderOf, loadSemanticLayer } from '../semantic-layer/index.ts';
import { type Change, changesOf, unifiedDiff } from './changes.ts';
import type { Evaluation, EvaluationRequest } from './evaluation.ts';
import { MIN_SEEN, type Proposal, shownProposal } from './proposal.ts';
import { proposalsFor } from './propose.ts';

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

/** All proposals for the files of the shared layer. */
async function proposalsOf(app: App, db: InternalDb, layerDir: string, run: CliRun): Promise<Proposal[]> {
  const model = await loadSemanticLayer(layerDir);
  const { source } = run.options;
  const sources = [...new Set(model.entities.map((entity) => entity.source))];
  if (source !== undefined && !sources.includes(String(source)))
    throw wrong(
      `There is no source "${source}"${didYouMean(String(source), sources) || '.'}`,
      `There are: ${sources.join(', ') || 'none'}.`,
    );
  const all = await proposalsFor({
    ...{ db, model, orgId: null, since: sinceOf(run.options) },
    limit: Number(run.options.limit ?? DEFAULT_LIMIT),
    hasOwnLayer: (orgId) => existsSync(join(layerDir, '.orgs', orgId)),
    ...{ ctx: app, scope: app.scope({ signal: run.signal }) },
  });
  return all.filter(({ owner }) => source === undefined || owner.source === source);
}

interface Proposed {
  readonly proposals: readonly Proposal[];
  readonly changes: readonly Change[];
  readonly evaluation: Evaluation | undefined;
  /** Folder of the layer as users write it. */
  readonly dir: string;
}

const counted = ({ passed, cases }: Evaluation['before']) => `${passed} of ${cases}`;

function shown(proposal: Proposal, evaluation: Evaluation | undefined) {
  const { value } = proposal;
  const outcome = evaluation?.of.get(proposal);
  return {
    ...shownProposal(proposal),
    ...('member' in proposal && { member: proposal.member }),
    ...{ value, ...(outcome && { evaluation: outcome }) },
  };
}

function evaluationText({ before, after, harmful }: Evaluation): string {
  const lines = [`Evaluation: ${counted(before)} cases pass now, ${counted(after)} with the proposals.`];
  for (const [{ kind, summary }, lost] of harmful)
    lines.push(`Left out: ${kind} ${summary}: ${lost.join(', ')} would pass no more.`);
  return `${lines.join('\n')}\n`;
}

async function print({ proposals, changes, evaluation, dir }: Proposed, run: CliRun): Promise<void> {
  const { json, suggestions, apply } = run.options;
  if (json === true) {
    const { before, after, harmful = [] } = evaluation ?? {};
    const leftOut = [...harmful].map(([proposal, lost]) => ({ ...shown(proposal, undefined), lost }));
    const body = {
      proposals: proposals.map((proposal) => shown(proposal, evaluation)),
      ...{ applied: apply === true, ...(evaluation && { evaluation: { before, after, leftOut } }) },
    };
    run.stdout.write(`${JSON.stringify(body, undefined, 2)}\n`);
    return;
  }
  if (evaluation !== undefined) run.stderr.write(printableText(evaluationText(evaluation)));
  if (proposals.length === 0) {
    run.stderr.write(
      `Nothing to propose: nothing new was seen ${MIN_SEEN} times, where each person counts once a day.\n`,
    );
  } else if (suggestions === true) {
    const rows = proposals.map((proposal) => {
      const { kind, seen, summary, support, owner } = proposal;
      const outcome = evaluation?.of.get(proposal);
      const cases = outcome && { 'cases before': outcome.before.passed, after: outcome.after.passed };
      return { kind, proposal: summary, seen, ...support, ...cases, file: owner.file };
    });
    const table = { columns: Object.keys(rows[0] ?? {}), rows };
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

const evaluated = async (request: EvaluationRequest) => (await import('./evaluation.ts')).evaluateProposals(request);

async function learn(cli: Cli, run: CliRun): Promise<number> {
  sinceOf(run.options);
  const { config, options } = await cli.compose({ cwd: run.cwd, env: { ...run.env, SVC_PROVIDER: 'offline' } });
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
  const read = async (path: string) => readFileSync(join(layerDir, path), 'utf8');
  const found = await proposalsOf(app, db, layerDir, run);
  const evaluation = run.options.eval === true ? await evaluated({ run, cli, layerDir, proposals: found }) : undefined;
  const proposals = evaluation?.proposals ?? found;
  const changes = await changesOf(proposals, read);
  if (run.options.apply === true && changes.length > 0) {
    const files = changes.map(({ path, after }) => ({ path, text: after }));
    await importFiles(layerDir, null, files, { isKnown: false });
  }
  await print({ proposals, changes, evaluation, dir: relative(run.cwd, layerDir) || '.' }, run);
  return 0;
}

export const learnCommand = (cli: Cli): CliCommand => ({
  name: 'learn',
  summary:
    'propose joins, measures, synonyms, query patterns and wordings that questions show again and again, as a diff',
  options: [
    {
      flags: '--apply',
      description: 'write the proposals into the files; without it nothing is changed',
      conflicts: ['--suggestions'],
    },
    { flags: '--suggestions', description: 'list the proposals instead of a diff' },
    {
      flags: '--eval',
      description:
        'ask the questions of eval/cases/*.yml before and after each proposal, without a language model; what makes one fail is left out',
    },
    {
      flags: '--limit <n>',
      description: `number of statements and of conversations to read, the newest ones; default: ${DEFAULT_LIMIT}`,
      schema: Type.Integer({ minimum: 1, maximum: MAX_LIMIT }),
    },
    { flags: '--since <date>', description: 'only statements and conversations from this day on' },
    { flags: '--source <name>', description: 'only for the files of this source' },
    { flags: '--json', description: 'print JSON' },
  ],
  examples: [
    'DATABASE_URL=sqlite:atlas.db atlas learn',
    'atlas learn --since 2026-01-01 --suggestions',
    'atlas learn --eval --apply',
  ],
  run: (run) => learn(cli, run),
});
