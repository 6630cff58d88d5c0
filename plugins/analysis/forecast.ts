/** Provides the tool `forecast`, which continues a measure with intervals. */
import { type Static, Type } from '@sinclair/typebox';
import { type AgentTool, AtlasError } from '../../kernel/index.ts';
import type { Grain } from '../semantic-query/index.ts';
import { conditions } from './conditions.ts';
import { holtWinters, LEVEL } from './holt-winters.ts';
import { type AnalysisHost, cellsOf, numberIn, outcomeOf, rounded, whole } from './host.ts';
import { partsOf, timeOf } from './measure.ts';
import { dayOf, labelOf, startOf, unitIndex, unitStart } from './periods.ts';

/** Units of a season, and how many of the past are read. */
const SEASONS: Readonly<Partial<Record<Grain, { readonly length: number; readonly history: number }>>> = {
  day: { length: 7, history: 180 },
  week: { length: 52, history: 260 },
  month: { length: 12, history: 120 },
  quarter: { length: 4, history: 60 },
};
const MIN_SEASONS = 2;
/** The past is shown this far in the table of the answer. */
const SHOWN_HISTORY = 24;

const ForecastInput = Type.Object({
  measure: Type.String(),
  grain: Type.Union([Type.Literal('day'), Type.Literal('week'), Type.Literal('month'), Type.Literal('quarter')]),
  horizon: Type.Integer({ minimum: 1, maximum: 60 }),
  ...conditions,
});

interface Series {
  /** The number of the first unit. */
  readonly first: number;
  readonly values: readonly number[];
}

const refuse = (message: string, hint: string) => new AtlasError(message, { code: 'invalid_request', hint });

/** The values of all complete units. `isTotal`: a unit without rows is 0. */
function seriesOf(cells: readonly (readonly unknown[])[], grain: Grain, now: number, isTotal: boolean): Series {
  const current = unitIndex(dayOf(now), grain);
  const known = new Map<number, number>();
  for (const [label, x, d] of cells) {
    const unit = label === null ? current : unitIndex(startOf(label), grain);
    if (unit >= current || (!isTotal && numberIn(d) === 0)) continue;
    known.set(unit, isTotal ? numberIn(x) : numberIn(x) / numberIn(d));
  }
  const first = Math.min(...known.keys());
  const length = known.size === 0 ? 0 : Math.max(...known.keys()) - first + 1;
  const values = Array.from({ length }, (_, at) => {
    const value = known.get(first + at) ?? (isTotal ? 0 : undefined);
    if (value !== undefined) return value;
    const label = labelOf(first + at, grain);
    throw refuse(`There is nothing to average in ${label}, so the series has a gap.`, 'Use a coarser grain.');
  });
  return { first, values };
}

export function forecastTool(host: AnalysisHost): AgentTool {
  return {
    name: 'forecast',
    description: `Continues a measure, with ${LEVEL} % intervals.`,
    input: ForecastInput,
    async run(given, run) {
      const { measure, grain, horizon, time: wanted, ...more } = given as Static<typeof ForecastInput>;
      const model = await host.model(run);
      const parts = partsOf(model, measure);
      const time = timeOf(model, parts, wanted);
      const { length, history } = SEASONS[grain]!;
      const now = host.now();
      const from = unitStart(unitIndex(dayOf(now), grain) - history, grain);
      const plan = {
        measures: [...parts.measures],
        dimensions: [{ dimension: time, grain }],
        timeRange: { dimension: time, from },
        ...more,
      };
      const table = await host.query(plan, run, parts.model);
      const { first, values } = seriesOf(cellsOf(whole(table)), grain, now, !parts.isRatio);
      if (values.length < MIN_SEASONS * length) {
        throw refuse(
          `A forecast by ${grain} needs at least ${MIN_SEASONS * length} complete periods, and there are ${values.length}.`,
          'Use another grain, or say that the data do not reach back far enough.',
        );
      }
      const next = first + values.length;
      const future = holtWinters(values, length, horizon).map(({ value, low, high }, at) => ({
        period: labelOf(next + at, grain),
        forecast: rounded(value, 6),
        low: rounded(low, 6),
        high: rounded(high, 6),
      }));
      const past = values.map((value, at) => ({ period: labelOf(first + at, grain), [measure]: rounded(value) }));
      const facts = {
        measure,
        grain,
        time,
        method: 'Holt-Winters, additive',
        intervalPercent: LEVEL,
        basedOn: `${values.length} periods, ${past[0]?.period} to ${past.at(-1)?.period}`,
        lastValues: past.slice(-3),
      };
      const outcome = outcomeOf(host, run, { facts, rows: future, tables: [table] });
      return {
        ...outcome,
        forClient: { ...(outcome.forClient as object), ...joined(past.slice(-SHOWN_HISTORY), future) },
      };
    },
  };
}

/** Past and future as one table. */
function joined(past: readonly object[], future: readonly object[]) {
  const columns = [...new Set([...past, ...future].flatMap((row) => Object.keys(row)))];
  const rows = [...past, ...future];
  return { columns, rows, rowCount: rows.length };
}
