/** Sums up a run of BIRD: execution accuracy, efficiency, what was refused, and what the guard refuses of the gold set. */
import { indent, printableText, type RenderedTable, renderCsv, renderTable, terminalStyle } from '../../cli/index.ts';
import { type Counts, countsOf, countsTable, latencyOf, percent, seconds } from '../report.ts';
import type { BirdResult } from './run-question.ts';
import { rewardScore } from './score.ts';

interface Scores extends Counts {
  /** BIRD's R-VES. */
  readonly efficiency: number;
}

export interface BenchmarkSummary extends Scores {
  readonly byDifficulty: Readonly<Record<string, Scores>>;
  readonly byDatabase: Readonly<Record<string, Scores>>;
  readonly stepsAverage: number;
  readonly tokens: { readonly input: number; readonly output: number };
  /** In the currency of the configured prices; missing without prices. */
  readonly cost?: number;
  readonly latencyMs: ReturnType<typeof latencyOf>;
  readonly models: readonly string[];
  /** Gold statements that the guard refuses: how many, and how many for each reason. */
  readonly goldRefused: number;
  readonly goldRefusedReasons: Readonly<Record<string, number>>;
}

const scoresOf = (results: readonly BirdResult[]): Scores => ({
  ...countsOf(results),
  efficiency: Math.round(rewardScore(results.map(({ reward }) => reward)) * 100) / 100,
});

const scoresBy = (results: readonly BirdResult[], key: 'difficulty' | 'schema') =>
  Object.fromEntries(
    Array.from(
      Map.groupBy(results, (result) => result[key] || '(none)'),
      ([name, group]) => [name, scoresOf(group)],
    ),
  );

function summaryOf(results: readonly BirdResult[]): BenchmarkSummary {
  const sum = (of: (result: BirdResult) => number) => results.reduce((total, result) => total + of(result), 0);
  const reasons = Map.groupBy(
    results.flatMap(({ goldRefused }) => goldRefused ?? []),
    (reason) => reason,
  );
  const hasCost = results.some(({ cost }) => cost !== null);
  return {
    ...scoresOf(results),
    byDifficulty: scoresBy(results, 'difficulty'),
    byDatabase: scoresBy(results, 'schema'),
    stepsAverage: results.length === 0 ? 0 : Math.round((sum(({ steps }) => steps) / results.length) * 100) / 100,
    tokens: { input: sum(({ inputTokens }) => inputTokens), output: sum(({ outputTokens }) => outputTokens) },
    ...(hasCost && { cost: Math.round(sum(({ cost }) => cost ?? 0) * 1e6) / 1e6 }),
    latencyMs: latencyOf(results.map(({ durationMs }) => durationMs)),
    models: [...new Set(results.flatMap(({ model }) => model ?? []))],
    goldRefused: results.filter(({ goldRefused }) => goldRefused !== null).length,
    goldRefusedReasons: Object.fromEntries(Array.from(reasons, ([reason, all]) => [reason, all.length])),
  };
}

function scoresTable(title: string, groups: Readonly<Record<string, Scores>>): RenderedTable {
  const { columns, rows } = countsTable(title, groups);
  const scored = Object.values(groups).map(({ efficiency }, index) => ({ ...rows[index], 'R-VES': efficiency }));
  return { columns: [...columns, 'R-VES'], rows: scored };
}

export function renderBenchmark(results: readonly BirdResult[], stdout: Parameters<typeof terminalStyle>[0]): string {
  const style = { ...terminalStyle(stdout), maxRows: 200 };
  const summary = summaryOf(results);
  const { tokens, latencyMs, cost, models, goldRefused, goldRefusedReasons } = summary;
  const refusals = Object.entries(goldRefusedReasons).map(([reason, count]) => `${count} x ${reason}`);
  const lines = [
    `Execution accuracy ${percent(summary.accuracy)}: ${summary.passed} of ${summary.total}. R-VES ${summary.efficiency}.`,
    `${summary.failed} wrong, ${summary.refused} refused, ${summary.error} with an error.`,
    `Steps: ${summary.stepsAverage} on average. Tokens: ${tokens.input} in, ${tokens.output} out${models.length === 0 ? '' : `, by ${models.join(', ')}`}.`,
    ...(cost === undefined ? [] : [`Cost: ${cost}.`]),
    `Latency: ${seconds(latencyMs.average)} on average, ${seconds(latencyMs.median)} median, ${seconds(latencyMs.p95)} for 95 %.`,
    `Gold statements that the guard refuses: ${goldRefused}.${refusals.length === 0 ? '' : `\n${indent(refusals.join('\n'))}`}`,
  ];
  return `${[
    renderTable(scoresTable('difficulty', summary.byDifficulty), style),
    renderTable(scoresTable('database', summary.byDatabase), style),
    printableText(lines.join('\n')),
  ].join('\n\n')}\n`;
}

const CSV_COLUMNS = [
  ...['id', 'status', 'reason', 'database', 'difficulty', 'question', 'sql', 'timeRatio', 'reward', 'goldRefused'],
  ...['model', 'steps', 'inputTokens', 'outputTokens', 'cost', 'durationMs'],
];

export function benchmarkCsv(results: readonly BirdResult[]): string {
  const rows = results.map((result) => ({ ...result, database: result.schema, sql: result.sql.at(-1) ?? '' }));
  return renderCsv({ columns: CSV_COLUMNS, rows });
}

export function benchmarkJson(results: readonly BirdResult[]): string {
  const cases = results.map(({ schema: database, category: _, hash: __, notes, ...facts }) => ({
    ...facts,
    database,
    notes: notes.map(({ message }) => message),
  }));
  return `${JSON.stringify({ summary: summaryOf(results), cases }, undefined, 2)}\n`;
}
