/** Sums up the results of a run: by category and difficulty, with tokens, cost and latency. */
import { indent, printableText, type RenderedTable, renderCsv, renderTable, terminalStyle } from '../cli/index.ts';
import type { RunComparison } from './regressions.ts';
import type { CaseResult, Status } from './run-case.ts';
import { type Stability, stabilityOf } from './stability.ts';

export interface Counts extends Readonly<Record<Status, number>> {
  readonly total: number;
  /** Share that passed, from 0 to 1. */
  readonly accuracy: number;
}

export interface Summary extends Counts {
  /** Wrong answers without any note for their reader. */
  readonly failedWithoutNote: number;
  readonly byCategory: Readonly<Record<string, Counts>>;
  readonly byDifficulty: Readonly<Record<string, Counts>>;
  readonly tokens: { readonly input: number; readonly output: number };
  /** In the currency of the configured prices; missing without prices. */
  readonly cost?: number;
  readonly latencyMs: { readonly average: number; readonly median: number; readonly p95: number };
  readonly models: readonly string[];
  /** Present with `--repeat`. */
  readonly stability?: Stability;
  readonly comparison?: RunComparison;
}

const NONE = '(none)';

export function countsOf(results: readonly { readonly status: Status }[]): Counts {
  const of = (status: Status) => results.filter((result) => result.status === status).length;
  const [total, passed] = [results.length, of('passed')];
  const accuracy = total === 0 ? 0 : Math.round((passed / total) * 1e4) / 1e4;
  return { total, passed, failed: of('failed'), refused: of('refused'), error: of('error'), accuracy };
}

function countsBy(results: readonly CaseResult[], key: 'category' | 'difficulty'): Record<string, Counts> {
  const groups = Map.groupBy(results, (result) => result[key] || NONE);
  return Object.fromEntries(Array.from(groups, ([name, group]) => [name, countsOf(group)]));
}

/** The value below which a share of the values lies. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

export function latencyOf(durations: readonly number[]): Summary['latencyMs'] {
  const sum = durations.reduce((total, value) => total + value, 0);
  const average = durations.length === 0 ? 0 : Math.round(sum / durations.length);
  return { average, median: quantile(durations, 0.5), p95: quantile(durations, 0.95) };
}

export function summaryOf(results: readonly CaseResult[], comparison?: RunComparison): Summary {
  const sum = (of: (result: CaseResult) => number) => results.reduce((total, result) => total + of(result), 0);
  const stability = stabilityOf(results);
  const hasCost = results.some(({ cost }) => cost !== null);
  return {
    ...countsOf(results),
    failedWithoutNote: results.filter(({ status, notes }) => status === 'failed' && notes.length === 0).length,
    byCategory: countsBy(results, 'category'),
    byDifficulty: countsBy(results, 'difficulty'),
    tokens: { input: sum((result) => result.inputTokens), output: sum((result) => result.outputTokens) },
    ...(hasCost && { cost: Math.round(sum(({ cost }) => cost ?? 0) * 1e6) / 1e6 }),
    latencyMs: latencyOf(results.map(({ durationMs }) => durationMs)),
    models: [...new Set(results.flatMap(({ model }) => (model === null ? [] : [model])))],
    ...(stability !== undefined && { stability }),
    ...(comparison !== undefined && { comparison }),
  };
}

export const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
export const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

export function countsTable(title: string, groups: Readonly<Record<string, Counts>>): RenderedTable {
  const rows = Object.entries(groups).map(([name, { total, passed, failed, refused, error, accuracy }]) => ({
    ...{ [title]: name, cases: total, passed, failed, refused, error },
    'passed %': Math.round(accuracy * 1000) / 10,
  }));
  return { columns: [title, 'cases', 'passed', 'failed', 'refused', 'error', 'passed %'], rows };
}

/** What people read: two tables, the sums, and every case that did not pass with its reason. */
export function renderSummary(
  results: readonly CaseResult[],
  summary: Summary,
  stdout: Parameters<typeof terminalStyle>[0],
): string {
  const style = { ...terminalStyle(stdout), maxRows: 200 };
  const open = results.filter(({ status }) => status !== 'passed');
  const reasons = open.map(({ id, status, reason }) => `${status.padEnd(8)}${id}: ${reason ?? ''}`);
  const { tokens, latencyMs, cost, models, stability, comparison } = summary;
  const lines = [
    `${summary.passed} of ${summary.total} passed (${percent(summary.accuracy)}); ${summary.failed} failed, ${summary.failedWithoutNote} of them without a note; ${summary.refused} refused, ${summary.error} with an error.`,
    ...(stability === undefined ? [] : [stabilityLine(stability)]),
    `Tokens: ${tokens.input} in, ${tokens.output} out${models.length === 0 ? '' : `, by ${models.join(', ')}`}.`,
    ...(cost === undefined ? [] : [`Cost: ${cost}.`]),
    `Latency: ${seconds(latencyMs.average)} on average, ${seconds(latencyMs.median)} median, ${seconds(latencyMs.p95)} for 95 %.`,
    ...(comparison === undefined ? [] : comparisonLines(comparison)),
  ];
  const blocks = [
    renderTable(countsTable('category', summary.byCategory), style),
    renderTable(countsTable('difficulty', summary.byDifficulty), style),
    ...(reasons.length === 0 ? [] : [`Not passed:\n${indent(printableText(reasons.join('\n')))}`]),
    ...unstable(results),
    printableText(lines.join('\n')),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const stabilityLine = ({ askings, cases, stable, stableShare, agreement, accuracy }: Stability) =>
  `Asked ${askings} times each: ${stable} of ${cases} cases had the same result each time (${percent(stableShare)}); ${percent(agreement)} of the results agree with the most frequent one of their case, and ${percent(accuracy)} passed.`;

/** The cases whose results do not agree, in a block of their own. */
function unstable(results: readonly CaseResult[]): string[] {
  const lines = results.flatMap(({ id, repeated }) =>
    repeated === undefined || repeated.agreeing === repeated.askings
      ? []
      : [`${id}: ${repeated.agreeing} of ${repeated.askings} agree, ${repeated.passed} passed`],
  );
  return lines.length === 0 ? [] : [`Not stable:\n${indent(printableText(lines.join('\n')))}`];
}

function comparisonLines({ regressions, missing, improvements }: RunComparison): string[] {
  const list = (what: string, ids: readonly string[]) => (ids.length === 0 ? [] : [`${what}: ${ids.join(', ')}.`]);
  const lines = [
    ...list('Passed before and not now', regressions),
    ...list('Passed before and missing now', missing),
    ...list('Passes now and did not before', improvements),
  ];
  return lines.length === 0 ? ['No change against the earlier run.'] : lines;
}

const CSV_COLUMNS = [
  'id',
  'status',
  'reason',
  'schema',
  'category',
  'difficulty',
  'question',
  'sql',
  'notes',
  'model',
  'steps',
  'inputTokens',
  'outputTokens',
  'cost',
  'durationMs',
] as const;

const REPEATED = ['askings', 'agreeing', 'passed'] as const;

export function resultsCsv(results: readonly CaseResult[]): string {
  const rows = results.map((result) => ({
    ...result,
    sql: result.sql.join(';\n'),
    notes: result.notes.map(({ message }) => message).join(' '),
    ...result.repeated,
  }));
  const isRepeated = results.some(({ repeated }) => repeated !== undefined);
  return renderCsv({ columns: isRepeated ? [...CSV_COLUMNS, ...REPEATED] : CSV_COLUMNS, rows });
}

export function resultsJson(results: readonly CaseResult[], summary: Summary): string {
  const cases = results.map(({ id, status, reason, question: _, hash: __, notes, ...facts }) => ({
    ...{ id, status, reason },
    ...facts,
    notes: notes.map(({ message }) => message),
  }));
  return `${JSON.stringify({ summary, cases }, undefined, 2)}\n`;
}
