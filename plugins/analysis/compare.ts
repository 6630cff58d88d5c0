/** Provides the tool `compare`, which sets a measure in two periods, groups or segments side by side. */
import { type Static, Type } from '@sinclair/typebox';
import { type AgentTool, AtlasError, type ToolRun, type ToolTable } from '../../kernel/index.ts';
import type { SemanticModel } from '../semantic-layer/index.ts';
import type { QueryPlan } from '../semantic-query/index.ts';
import { conditions } from './conditions.ts';
import { type AnalysisHost, cellsOf, numberIn, outcomeOf, rounded, whole } from './host.ts';
import { addsUp, dimensionNamed, type MeasureParts, partsOf, timeOf } from './measure.ts';
import { type Period, periodOf } from './periods.ts';

const CompareInput = Type.Object({
  measure: Type.String(),
  a: Type.String({ description: 'period, value of `of`, or segment' }),
  b: Type.String(),
  of: Type.Optional(Type.String({ description: 'dimension' })),
  dimensions: Type.Optional(Type.Array(Type.String())),
  period: Type.Optional(Type.String()),
  ...conditions,
});
type CompareInput = Static<typeof CompareInput>;

type Side = readonly unknown[];

const periodIn = (text: string): Period | undefined => {
  try {
    return periodOf(text);
  } catch (error) {
    if (error instanceof AtlasError) return undefined;
    throw error;
  }
};

/** A value as the dimension has it. */
function dimensionValue(model: SemanticModel, name: string, text: string): string | number | boolean {
  const type = dimensionNamed(model, name)?.dimension.type;
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  return type === 'boolean' && /^(?:true|false)$/i.test(text) ? /^true$/i.test(text) : text;
}

/** The plans of both sides; one where two periods are compared. */
function plansOf(model: SemanticModel, parts: MeasureParts, input: CompareInput): readonly QueryPlan[] {
  const { measure, a, b, of, dimensions = [], period, time, filters = [], segments = [], joinPath } = input;
  const common: QueryPlan = {
    measures: [measure],
    dimensions: dimensions.map((dimension) => ({ dimension })),
    filters,
    segments,
    ...(joinPath && { joinPath }),
  };
  const [first, second] = of === undefined ? [periodIn(a), periodIn(b)] : [];
  if (first !== undefined && second !== undefined) {
    const timeRange = { dimension: timeOf(model, parts, time), from: second.from, to: second.to };
    return [{ ...common, timeRange, comparison: { from: first.from, to: first.to } }];
  }
  const range = period === undefined ? undefined : periodOf(period);
  const timeRange = range && { dimension: timeOf(model, parts, time), from: range.from, to: range.to };
  return [a, b].map((side) => ({
    ...common,
    ...(timeRange && { timeRange }),
    ...(of === undefined
      ? { segments: [...segments, side] }
      : {
          filters: [
            ...filters,
            { dimension: of, operator: 'equals' as const, values: [dimensionValue(model, of, side)] },
          ],
        }),
  }));
}

/** Both sides of each group, by its values as text. */
function sidesIn(tables: readonly ToolTable[], groups: number): Map<string, { group: Side; a: unknown; b: unknown }> {
  const found = new Map<string, { group: Side; a: unknown; b: unknown }>();
  for (const [side, table] of tables.entries()) {
    for (const cells of cellsOf(whole(table))) {
      const group = cells.slice(0, groups);
      const key = JSON.stringify(group.map(String));
      const known = found.get(key) ?? { group, a: null, b: null };
      // A comparison of periods has both in one row: the later, then the earlier one.
      if (tables.length === 1) found.set(key, { group, a: cells[groups + 1], b: cells[groups] });
      else found.set(key, side === 0 ? { ...known, a: cells[groups] } : { ...known, b: cells[groups] });
    }
  }
  return found;
}

const percent = (part: number, all: number) => (all === 0 ? null : rounded(Math.round((1_000 * part) / all) / 10));

interface Compared {
  readonly group: Side;
  readonly a: number | null;
  readonly b: number | null;
}

/** Runs the plans and pairs the sides. `isTotal`: nothing is 0, as the sum of no rows. */
async function compared(host: AnalysisHost, plans: readonly QueryPlan[], isTotal: boolean, run: ToolRun) {
  const tables: ToolTable[] = [];
  for (const plan of plans) tables.push(await host.query(plan, run));
  const numberOf = (value: unknown) => (isTotal || (value !== null && value !== undefined) ? numberIn(value) : null);
  const sides = [...sidesIn(tables, plans[0]?.dimensions?.length ?? 0).values()];
  const rows = sides.map(({ group, a, b }): Compared => ({ group, a: numberOf(a), b: numberOf(b) }));
  return { tables, rows };
}

function differenceOf({ a, b }: Pick<Compared, 'a' | 'b'>) {
  const difference = a === null || b === null ? null : b - a;
  const changePercent = difference === null || a === null ? null : percent(difference, Math.abs(a));
  return { a: rounded(a), b: rounded(b), difference: rounded(difference), changePercent };
}

export function compareTool(host: AnalysisHost): AgentTool {
  return {
    name: 'compare',
    description: 'A measure in two periods, values or segments: difference and shares.',
    input: CompareInput,
    async run(given, run) {
      const input = given as CompareInput;
      const { measure, a, b, dimensions = [], of } = input;
      const model = await host.model(run);
      const isTotal = addsUp(model, measure);
      const plans = plansOf(model, partsOf(model, measure, true), input);
      const { rows, tables } = await compared(host, plans, isTotal, run);
      const whole = { a: null as number | null, b: null as number | null };
      if (dimensions.length > 0) {
        // Rows may be in several groups, so that the groups need not add up to the total.
        const total = await compared(
          host,
          plans.map((plan) => ({ ...plan, dimensions: [] })),
          isTotal,
          run,
        );
        tables.push(...total.tables);
        Object.assign(whole, total.rows[0]);
      } else if (of !== undefined) whole.a = whole.b = (rows[0]?.a ?? 0) + (rows[0]?.b ?? 0);
      const shares = (row: Compared) =>
        isTotal && whole.a !== null && whole.b !== null
          ? { shareA: percent(row.a ?? 0, whole.a), shareB: percent(row.b ?? 0, whole.b) }
          : {};
      const shown = rows.map((row) => ({
        ...Object.fromEntries(dimensions.map((name, at) => [name, row.group[at]])),
        ...differenceOf(row),
        ...shares(row),
      }));
      shown.sort((one, other) => Math.abs(other.difference ?? 0) - Math.abs(one.difference ?? 0));
      const facts = { measure, a, b, ...(dimensions.length > 0 && { total: differenceOf(whole) }) };
      return outcomeOf(host, run, { facts, rows: shown, tables });
    },
  };
}
