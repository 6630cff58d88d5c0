/** Provides the tool `explainChange`, which says which values of which dimensions changed a measure. */
import { type Static, Type } from '@sinclair/typebox';
import { type AgentTool, AtlasError, type ToolRun, type ToolTable } from '../../kernel/index.ts';
import { type Grain, PlanError, type QueryPlan } from '../semantic-query/index.ts';
import { conditions } from './conditions.ts';
import {
  type Breakdown,
  type Contribution,
  contributions,
  HISTORY,
  MIN_HISTORY,
  nameOf,
  type Totals,
  type ValueWindows,
} from './contributions.ts';
import { type AnalysisHost, cellsOf, clipped, numberIn, outcomeOf, type Row, rounded, whole } from './host.ts';
import { candidateDimensions, type MeasureParts, partsOf, timeOf } from './measure.ts';
import { commonGrain, type Period, periodBefore, periodOf, startOf, unitIndex, unitStart } from './periods.ts';

/** With the values of one dimension within the 1,000 rows of a result. */
const MAX_UNITS = 20;
const MAX_RANKED = 20;
const MAX_CAUSES = 3;
const PARALLEL = 4;
/** Sums of floating-point numbers depend on their order. */
const TOLERANCE = 1e-6;

const ExplainChangeInput = Type.Object({
  measure: Type.String(),
  period: Type.String({ description: '2025, 2025-Q1, 2025-03 or 2025-01..2025-06' }),
  against: Type.Optional(Type.String()),
  dimensions: Type.Optional(Type.Array(Type.String())),
  ...conditions,
});
type ExplainChangeInput = Static<typeof ExplainChangeInput>;

/** The windows of time that a change is judged by: first the period, then the one compared with, then earlier ones. */
interface Windows {
  readonly grain: Grain;
  /** The window of each unit; missing where two periods are compared as wholes. */
  readonly byUnit: ReadonlyMap<number, number> | undefined;
  readonly count: number;
  readonly range: { readonly from: string; readonly to: string };
}

export function windowsOf(period: Period, against: Period): Windows {
  const grain = commonGrain(period, against);
  const index = (day: string) => unitIndex(day, grain);
  const [start, before] = [index(period.from), index(against.from)];
  const length = index(period.to) - start;
  if (index(against.to) - before !== length || against.to > period.from) {
    throw new AtlasError(`${against.text} is no earlier period of the length of ${period.text}.`, {
      code: 'invalid_request',
      hint: 'Give an earlier period of the same length, or leave `against` out.',
    });
  }
  const most = Math.min(HISTORY + 2, Math.floor(MAX_UNITS / length));
  if (most < 2) return { grain, byUnit: undefined, count: 2, range: rangeOf(period) };
  const starts = [start, before];
  for (let at = start - length; at >= before + length && starts.length < most; at -= length) starts.push(at);
  for (let at = before - length; starts.length < most; at -= length) starts.push(at);
  const units = starts.flatMap((from, window) =>
    Array.from({ length }, (_, unit): [number, number] => [from + unit, window]),
  );
  const range = { from: unitStart(Math.min(...starts), grain), to: period.to };
  return { grain, byUnit: new Map(units), count: starts.length, range };
}

interface Asked {
  readonly parts: MeasureParts;
  readonly time: string;
  readonly period: Period;
  readonly against: Period;
  readonly windows: Windows;
  readonly input: ExplainChangeInput;
}

/** The plan for one dimension, or for the total. */
function planOf({ parts, time, against, windows, input }: Asked, dimension?: string): QueryPlan {
  const { filters, segments, joinPath } = input;
  const isSplit = windows.byUnit !== undefined;
  return {
    measures: [...parts.measures],
    dimensions: [
      ...(dimension === undefined ? [] : [{ dimension }]),
      ...(isSplit ? [{ dimension: time, grain: windows.grain }] : []),
    ],
    timeRange: { dimension: time, ...windows.range },
    ...(!isSplit && { comparison: rangeOf(against) }),
    ...(filters && { filters }),
    ...(segments && { segments }),
    ...(joinPath && { joinPath }),
  };
}

const rangeOf = ({ from, to }: Period) => ({ from, to });

/** The values of a table by windows. */
function valuesIn({ parts, windows }: Asked, table: ToolTable, hasDimension: boolean): ValueWindows[] {
  const values = new Map<string, { value: unknown; x: number[]; d: number[] }>();
  const zeros = () => Array.from({ length: windows.count }, () => 0);
  for (const cells of cellsOf(whole(table))) {
    const [value, rest] = hasDimension ? [cells[0] ?? null, cells.slice(1)] : [null, cells];
    const key = JSON.stringify(String(value)) + typeof value;
    const known = values.get(key) ?? { value, x: zeros(), d: zeros() };
    values.set(key, known);
    const add = (window: number, [x, d]: readonly unknown[]) => {
      known.x[window]! += numberIn(x);
      known.d[window]! += numberIn(d);
    };
    if (windows.byUnit === undefined) {
      // Each measure comes with its earlier value, the change and the change in percent.
      add(0, [rest[0], rest[4]]);
      add(1, [rest[1], rest[5]]);
    } else {
      const window = rest[0] === null ? undefined : windows.byUnit.get(unitIndex(startOf(rest[0]), windows.grain));
      if (window !== undefined) add(window, rest.slice(1));
    }
  }
  return [...values.values()].map(({ value, x, d }) => ({ value, x, ...(parts.isRatio && { d }) }));
}

/** Whether the groups add up to the total: rows in several groups, or in none, have no contributions. */
function addsUp(values: readonly ValueWindows[], totals: Totals): boolean {
  const isSum = (seriesOf: (one: ValueWindows | Totals) => readonly number[] | undefined) =>
    [0, 1].every((at) => {
      const all = seriesOf(totals)?.[at] ?? 0;
      const parts = values.reduce((sum, one) => sum + (seriesOf(one)?.[at] ?? 0), 0);
      return Math.abs(parts - all) <= TOLERANCE * Math.max(1, Math.abs(all));
    });
  return isSum(({ x }) => x) && isSum(({ d }) => d);
}

async function breakdowns(
  host: AnalysisHost,
  asked: Asked,
  totals: Totals,
  dimensions: readonly string[],
  run: ToolRun,
) {
  const tables: ToolTable[] = [];
  const found: Breakdown[] = [];
  const leftOut: string[] = [];
  for (let from = 0; from < dimensions.length; from += PARALLEL) {
    const some = dimensions.slice(from, from + PARALLEL);
    const results = await Promise.all(
      some.map((dimension) => host.query(planOf(asked, dimension), run, asked.parts.model)),
    );
    for (const [at, table] of results.entries()) {
      const dimension = some[at]!;
      tables.push(table);
      const values = table.truncated ? [] : valuesIn(asked, table, true);
      if (table.truncated) leftOut.push(`${dimension} has too many values`);
      else if (addsUp(values, totals)) found.push({ dimension, values });
      else leftOut.push(`${dimension} does not add up to the total`);
    }
  }
  return { tables, found, leftOut };
}

/** The dimensions to break down by, as far as the statements go. */
function dimensionsFor(host: AnalysisHost, asked: Asked): { wanted: readonly string[]; more: number } {
  const { input, parts } = asked;
  const compiles = (dimension: string) => {
    try {
      host.compile(planOf(asked, dimension), parts.model);
      return true;
    } catch (error) {
      if (error instanceof PlanError) return false;
      throw error;
    }
  };
  const all = input.dimensions ?? candidateDimensions(parts.model, parts).filter((one) => one !== asked.time);
  // What was named and does not fit is refused with the reason when it runs.
  const fitting = input.dimensions === undefined ? all.filter(compiles) : all;
  const wanted = fitting.slice(0, host.options.maxStatements - 1);
  return { wanted, more: fitting.length - wanted.length };
}

function shownRow(one: Contribution, change: number): Row {
  return {
    dimension: one.dimension,
    value: one.value,
    before: rounded(one.before),
    after: rounded(one.after),
    change: rounded(one.change),
    changeShare: change === 0 ? null : rounded(Math.round((1_000 * one.change) / change) / 10),
    ...(one.rate !== undefined && { rateEffect: rounded(one.rate, 6), mixEffect: rounded(one.mix ?? 0, 6) }),
    score: Math.round(10 * one.score) / 10,
    isCause: one.isCause,
  };
}

const valueAt = ({ x, d }: Totals, at: number): number | null =>
  d === undefined ? x[at]! : d[at] === 0 ? null : x[at]! / d[at]!;

function verdictOf(ranked: readonly Contribution[], totals: Totals): string {
  const causes = ranked.filter(({ isCause }) => isCause);
  if (causes.length > 0) return 'The causes stand out from what earlier periods and the other values did.';
  const earlier = totals.x.filter((value, at) => at > 0 && value !== 0).length;
  return earlier < MIN_HISTORY
    ? `No cause can be told from chance: only ${earlier} earlier periods of this length have data, ${MIN_HISTORY} are needed.`
    : 'No single cause: no value changed more than earlier periods vary, or all changed alike. The contributions alone prove none.';
}

/** The ranking of a change, and the statements that it took. */
export async function explainChange(host: AnalysisHost, input: ExplainChangeInput, run: ToolRun) {
  const model = await host.model(run);
  const parts = partsOf(model, input.measure);
  const period = periodOf(input.period);
  const against = input.against ? periodOf(input.against) : periodBefore(period);
  const windows = windowsOf(period, against);
  const asked: Asked = { parts, time: timeOf(model, parts, input.time), period, against, windows, input };
  const total = await host.query(planOf(asked), run, parts.model);
  const zeros = Array.from({ length: windows.count }, () => 0);
  const [whole = { value: null, x: zeros, d: zeros }] = valuesIn(asked, total, false);
  const totals: Totals = parts.isRatio ? whole : { x: whole.x };
  const { wanted, more } = dimensionsFor(host, asked);
  const { tables, found, leftOut } = await breakdowns(host, asked, totals, wanted, run);
  if (more > 0) leftOut.push(`${more} dimensions, as one call runs at most ${host.options.maxStatements} statements`);
  const ranked = contributions(found, totals, parts.isCount);
  return { asked, totals, ranked, leftOut, tables: [total, ...tables] };
}

export function explainChangeTool(host: AnalysisHost): AgentTool {
  return {
    name: 'explainChange',
    description:
      'Why a measure changed: contributions and causes. Takes time, filters and segments like queryMetrics, as do compare and forecast.',
    input: ExplainChangeInput,
    async run(given, run) {
      const input = given as ExplainChangeInput;
      const { asked, totals, ranked, leftOut, tables } = await explainChange(host, input, run);
      const [after, before] = [valueAt(totals, 0), valueAt(totals, 1)];
      const change = (after ?? 0) - (before ?? 0);
      const facts = {
        measure: input.measure,
        period: asked.period.text,
        against: asked.against.text,
        time: asked.time,
        before: rounded(before),
        after: rounded(after),
        change: rounded(change),
        changePercent: before ? rounded(Math.round((1_000 * change) / Math.abs(before)) / 10) : null,
        causes: ranked
          .filter(({ isCause }) => isCause)
          .slice(0, MAX_CAUSES)
          .map(({ dimension, value, same }) =>
            [nameOf(dimension, value), ...same.slice(0, 3)].map(clipped).join(', also '),
          ),
        verdict: verdictOf(ranked, totals),
        ...(leftOut.length > 0 && { leftOut }),
      };
      const rows = ranked.slice(0, MAX_RANKED).map((one) => shownRow(one, change));
      return outcomeOf(host, run, { facts, rows, tables });
    },
  };
}
