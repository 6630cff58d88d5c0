/**
 * Whether `explainChange` names planted causes and nothing else, whether the intervals of forecasts hold, and how many
 * statements and bytes an analysis takes. The formulas stand in `plugins/analysis/contributions.ts` and `holt-winters.ts`.
 * Then which figures of scheduled questions are delivered (`planted-figures.ts`).
 *
 * Both large demos are loaded into SQLite, and the times of each measured table are dealt anew among its rows: the totals
 * of months stay, and nothing but chance sets one value of a dimension apart. Into such a month a cause is planted: of the
 * rows of one value, most are taken out, out of the month before, or their amounts or outcomes are changed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type AgentTool, type ToolOutcome, toolsCollect } from '../../kernel/index.ts';
import { agent } from '../../plugins/agent/index.ts';
import { holtWinters } from '../../plugins/analysis/holt-winters.ts';
import { analysis as analysisPlugin } from '../../plugins/analysis/index.ts';
import { candidateDimensions, partsOf } from '../../plugins/analysis/measure.ts';
import { datasourceSqlite } from '../../plugins/datasource-sqlite/index.ts';
import { DEMOS, loadDemo } from '../../plugins/demo-data/index.ts';
import { loadSemanticLayer, type SemanticModel, semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { compileQuery, semanticQuery } from '../../plugins/semantic-query/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { kitDialect } from '../../plugins/sql-kit/index.ts';
import { sqlLimits } from '../../plugins/sql-limits/index.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { Random } from '../harness/random.ts';
import type { Bench } from './measure.ts';
import { type Rates, thresholdRates, unusualRates } from './planted-figures.ts';

const sqlite = await kitDialect('sqlite');

type DemoName = 'ecommerce' | 'cybersec';

interface Measured {
  readonly measure: string;
  /** The rows that a cause is planted into, and when they are. */
  readonly table: string;
  readonly time: string;
  /** The table whose times are dealt, where that is another. */
  readonly dealt?: string;
  /** Instead of taking rows out: what is changed in them, with `?` for a factor. */
  readonly change?: string;
  /** Dimensions that say what the measure does: a change of the one is a change of the other. */
  readonly outcomes?: readonly string[];
}

const MEASURES: Readonly<Record<DemoName, readonly Measured[]>> = {
  ecommerce: [
    { measure: 'orders.order_count', table: 'orders', time: 'ordered_at' },
    { measure: 'orders.net_revenue', table: 'orders', time: 'ordered_at', change: 'net_total_usd = net_total_usd * ?' },
    {
      measure: 'orders.average_order_value',
      table: 'orders',
      time: 'ordered_at',
      change: 'net_total_usd = net_total_usd * ?',
    },
    { measure: 'order_items.units_sold', table: 'order_items', time: 'ordered_at', dealt: 'orders' },
    {
      measure: 'order_items.merchandise_value',
      table: 'order_items',
      time: 'ordered_at',
      dealt: 'orders',
      change: 'line_total_usd = line_total_usd * ?',
    },
  ],
  cybersec: [
    { measure: 'alerts.alert_count', table: 'alerts', time: 'created_at' },
    { measure: 'findings.finding_count', table: 'findings', time: 'detected_at' },
    { measure: 'detections.count', table: 'detections', time: 'detected_at' },
    { measure: 'auth_events.count', table: 'auth_events', time: 'occurred_at' },
    { measure: 'network_events.count', table: 'network_events', time: 'occurred_at' },
    {
      measure: 'tickets.sla_compliance',
      table: 'tickets',
      time: 'opened_at',
      change: 'within_sla = (? > 1)',
      outcomes: ['tickets.within_sla'],
    },
    {
      measure: 'findings.average_days_to_fix',
      table: 'findings',
      time: 'detected_at',
      change: 'days_to_fix = days_to_fix * ?',
      outcomes: ['findings.status', 'findings.fixed_in_time'],
    },
  ],
};
/** Months that have at least eight before them, and are over. */
const MONTHS: Readonly<Record<DemoName, readonly string[]>> = {
  ecommerce: monthsFrom(2025, 8, 15),
  cybersec: monthsFrom(2026, 2, 9),
};
const PLANTED = 200;
const UNPLANTED = 200;
const UNCHANGED = 40;
const MIN_SHARE = 0.2;
const MAX_SHARE = 0.6;
/** The least that a planted cause moves the measure by; it is asked about where the measure went that way. */
const MIN_SHIFT = 0.3;
const MOVED = 0.15;
/** What is left of a value, or what it grows to. */
const FACTORS = [0.05, 0.2, 3, 5];

function monthsFrom(year: number, month: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) =>
    new Date(Date.UTC(year, month - 1 + at, 1)).toISOString().slice(0, 7),
  );
}
const [monthBefore, monthAfter] = [-1, 1].map((by) => (month: string) => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return monthsFrom(year, number + by, 1)[0]!;
}) as [(month: string) => string, (month: string) => string];

interface Result {
  readonly dimension: string;
  readonly value: unknown;
  readonly isCause: boolean;
}
interface Explained {
  readonly causes: readonly string[];
  readonly results: readonly Result[];
  readonly statements: number;
}

/** A demo in a file, with a connection that changes it and an application that is asked about it. */
async function opened(demo: DemoName, random: Random) {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-analysis-'));
  const url = `sqlite:${join(folder, 'demo.db')}`;
  await loadDemo(demo, { url });
  const database = new Database(join(folder, 'demo.db'));
  database.pragma('foreign_keys = OFF');
  database.exec("ATTACH ':memory:' AS saved");
  const model = await loadSemanticLayer(DEMOS[demo].layer);
  const app = await createTestApp({
    now: new Date('2026-12-01T12:00:00Z'),
    plugins: [
      agent(),
      semanticLayer({ dir: DEMOS[demo].layer }),
      semanticQuery(),
      analysisPlugin(),
      sqlLimits(),
      sqlGuard(),
      datasourceSqlite({ connections: [{ id: 'default', url }] }),
    ],
  });
  const question = { turns: [{ role: 'user' as const, text: 'Why?' }], surface: 'api' };
  const tools = (await app.call(toolsCollect, question, app.scope())).map(({ value }) => value);
  const tool = tools.find(({ name }: AgentTool) => name === 'explainChange')!;
  const explain = async ({ measure, time, table, dealt = table }: Measured, period: string) => {
    const run = { scope: app.scope(), question, memory: new Map() };
    const outcome: ToolOutcome = await tool.run({ measure, period, time: `${dealt}.${time}` }, run);
    return { ...(outcome.forModel as Explained), bytes: Buffer.byteLength(JSON.stringify(outcome.forModel)) };
  };
  return {
    demo,
    model,
    database,
    explain,
    /** Deals the times of a table anew among its rows. */
    deal({ table, dealt = table, time }: Measured) {
      const rows = database.prepare(`SELECT id, ${time} AS at FROM ${dealt}`).all() as { id: number; at: string }[];
      const times = rows.map(({ at }) => at);
      for (let at = times.length - 1; at > 0; at -= 1) {
        const other = random.integer(0, at);
        [times[at], times[other]] = [times[other]!, times[at]!];
      }
      const update = database.prepare(`UPDATE ${dealt} SET ${time} = ? WHERE id = ?`);
      database.transaction(() => rows.forEach(({ id }, at) => void update.run(times[at], id)))();
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
type Opened = Awaited<ReturnType<typeof opened>>;

/** The dimensions that the tool breaks the measure down by. */
function dimensionsOf(model: SemanticModel, { measure }: Measured): string[] {
  const parts = partsOf(model, measure);
  return candidateDimensions(parts.model, parts)
    .filter((dimension) => {
      try {
        compileQuery(parts.model, { measures: [...parts.measures], dimensions: [{ dimension }] });
        return true;
      } catch {
        return false;
      }
    })
    .slice(0, 11);
}

/** The rows of each value of a dimension in a month. */
function rowsByValue(
  { model, database }: Opened,
  { table, dealt = table, time }: Measured,
  dimension: string,
  month: string,
) {
  const [from, to] = [`${month}-01`, `${monthAfter(month)}-01`];
  const plan = {
    dimensions: [{ dimension: `${table}.id` }, { dimension }],
    timeRange: { dimension: `${dealt}.${time}`, from, to },
    entity: table,
  };
  const { sql } = compileQuery(model, plan, { dialect: sqlite });
  const rows = database.prepare(sql).raw().all() as [number, unknown][];
  return { count: rows.length, values: Map.groupBy(rows, ([, value]) => value) };
}

/** The measure in a month, straight from the database. */
function valueIn(
  { model, database }: Opened,
  { measure, table, dealt = table, time }: Measured,
  month: string,
): number {
  const timeRange = { dimension: `${dealt}.${time}`, from: `${month}-01`, to: `${monthAfter(month)}-01` };
  const { sql } = compileQuery(model, { measures: [measure], timeRange }, { dialect: sqlite });
  return Number(database.prepare(sql).pluck().get());
}

/** Changes the rows until the result is disposed of. */
function planted(
  { database }: Opened,
  { table, change }: Measured,
  ids: readonly number[],
  factor: number,
): Disposable {
  const list = ids.join(', ');
  database.exec(`CREATE TABLE saved.before AS SELECT * FROM main.${table} WHERE id IN (${list})`);
  if (change === undefined) database.exec(`DELETE FROM ${table} WHERE id IN (${list})`);
  else database.prepare(`UPDATE ${table} SET ${change} WHERE id IN (${list})`).run(factor);
  return {
    [Symbol.dispose]() {
      database.exec(`DELETE FROM main.${table} WHERE id IN (${list})`);
      database.exec(`INSERT INTO main.${table} SELECT * FROM saved.before`);
      database.exec('DROP TABLE saved.before');
    },
  };
}

interface Tally {
  planted: number;
  first: number;
  named: number;
  wrongFirst: string[];
  unplanted: number;
  falseCauses: number;
  statements: number;
  bytes: number;
}

/** Plants one cause; `undefined` where the month has no value that is large enough, or went the other way. */
async function trial(
  demo: Opened,
  measured: Measured,
  random: Random,
): Promise<'first' | 'named' | string | undefined> {
  const month = random.pick(MONTHS[demo.demo]);
  const { outcomes = [] } = measured;
  const dimension = random.pick(dimensionsOf(demo.model, measured).filter((one) => !outcomes.includes(one)));
  const factor = random.pick(FACTORS);
  const isRise = factor > 1;
  // Rows cannot be made up, so a rise is planted by what the month before lacks.
  const inBefore = isRise && measured.change === undefined;
  const { count, values } = rowsByValue(demo, measured, dimension, inBefore ? monthBefore(month) : month);
  const large = [...values].filter(
    ([value, rows]) => value !== null && rows.length >= MIN_SHARE * count && rows.length <= MAX_SHARE * count,
  );
  if (large.length === 0) return undefined;
  const [value, rows] = random.pick(large);
  const taken = factor < 1 ? 1 - factor : 1 - 1 / factor;
  const ids = rows.flatMap(([id]) => (measured.change !== undefined || random.chance(taken) ? [id] : []));
  const side = inBefore ? monthBefore(month) : month;
  const unchanged = valueIn(demo, measured, side);
  using _ = planted(demo, measured, ids, factor);
  const [before, after] = [monthBefore(month), month].map((one) => valueIn(demo, measured, one)) as [number, number];
  const shift = Math.abs((inBefore ? before : after) - unchanged) / Math.abs(unchanged);
  const moved = (after - before) / Math.abs(before);
  if (shift < MIN_SHIFT || moved * (isRise ? 1 : -1) < MOVED) return undefined;
  const explained = await demo.explain(measured, month);
  const [top] = explained.results;
  const isMine = top?.dimension === dimension && String(top.value) === String(value);
  // Values of several dimensions with the same rows are one cause.
  const name = `${dimension} = ${String(value)}`;
  const isFirst = isMine || explained.causes[0]?.includes(name) === true;
  if (isFirst && top?.isCause === true) return 'named';
  return isFirst ? 'first' : `${measured.measure} ${month}: ${name}, not ${top?.dimension} = ${top?.value}`;
}

async function explained(): Promise<Tally> {
  const random = new Random(20_261_130);
  const tally: Tally = {
    planted: 0,
    first: 0,
    named: 0,
    wrongFirst: [],
    unplanted: 0,
    falseCauses: 0,
    statements: 0,
    bytes: 0,
  };
  for (const name of ['ecommerce', 'cybersec'] as const) {
    await using demo = await opened(name, random);
    const unplanted = async (times: number) => {
      for (let at = 0; at < times; at += 1) {
        const measured = random.pick(MEASURES[name]);
        demo.deal(measured);
        const { causes, statements, bytes } = await demo.explain(measured, random.pick(MONTHS[name]));
        tally.unplanted += 1;
        tally.falseCauses += causes.length;
        tally.statements = Math.max(tally.statements, statements);
        tally.bytes = Math.max(tally.bytes, bytes);
      }
    };
    await unplanted(UNPLANTED / 2);
    const until = tally.planted + PLANTED / 2;
    while (tally.planted < until) {
      const measured = random.pick(MEASURES[name]);
      demo.deal(measured);
      const outcome = await trial(demo, measured, random);
      if (outcome === undefined) continue;
      tally.planted += 1;
      if (outcome === 'first' || outcome === 'named') tally.first += 1;
      else tally.wrongFirst.push(outcome);
      if (outcome === 'named') tally.named += 1;
    }
  }
  return tally;
}

/** The share of later values that lie in their 80 % interval, over series with a trend, a season and noise. */
function coverage(random: Random): number {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  let [inside, all] = [0, 0];
  for (const [season, length, horizon] of [
    [4, 16, 4],
    [7, 60, 14],
    [12, 24, 6],
    [12, 60, 12],
    [52, 110, 8],
  ] as const) {
    for (let series = 0; series < 60; series += 1) {
      const seasons = Array.from({ length: season }, () => 20 * normal());
      const [noise, trend, drift] = [5 + 15 * random.next(), 2 * random.next() - 0.6, random.pick([0, 0.3])];
      let level = 100 + 200 * random.next();
      const values = Array.from({ length: length + horizon }, (_, at) => {
        const error = noise * normal();
        const value = level + seasons[at % season]! + error;
        level += trend + drift * error;
        return value;
      });
      const forecast = holtWinters(values.slice(0, length), season, horizon);
      for (const [at, { low, high }] of forecast.entries()) {
        const value = values[length + at]!;
        all += 1;
        if (value >= low && value <= high) inside += 1;
      }
    }
  }
  return (100 * inside) / all;
}

/** Causes that are named in the demos as they are, where promotions and large customers come and go. */
async function unchangedCauses(): Promise<number> {
  const random = new Random(7);
  let named = 0;
  for (const name of ['ecommerce', 'cybersec'] as const) {
    await using demo = await opened(name, random);
    for (let at = 0; at < UNCHANGED / 2; at += 1) {
      const { causes } = await demo.explain(random.pick(MEASURES[name]), random.pick(MONTHS[name]));
      if (causes.length > 0) named += 1;
    }
  }
  return (100 * named) / UNCHANGED;
}

const FIGURES = 2_000;

const figuresOf = ({ what, detected, falseAlarms }: Rates, atLeast: number, target: number) => [
  { what: `planted figures that are delivered, ${what}`, value: detected, unit: '%', atLeast },
  { what: `other figures that are delivered, ${what}`, value: falseAlarms, unit: '%', target },
];

/** What conditions of scheduled questions deliver: `threshold`, and `unusual` by |0.6745 (x − median) / MAD| > 3.5. */
function scheduledFigures() {
  const random = new Random(1993);
  return [
    ...figuresOf(thresholdRates(random, FIGURES), 100, 0),
    ...unusualRates(random, FIGURES).flatMap((rates) => figuresOf(rates, 95, 3)),
  ];
}

export const analysis: Bench = async () => {
  const tally = await explained();
  for (const line of tally.wrongFirst) process.stderr.write(`not first: ${line}\n`);
  const covered = coverage(new Random(80));
  return [
    { what: 'planted causes', value: tally.planted, unit: 'causes', atLeast: PLANTED },
    { what: 'planted cause first', value: (100 * tally.first) / tally.planted, unit: '%', atLeast: 95 },
    { what: 'planted cause first, and named a cause', value: (100 * tally.named) / tally.planted, unit: '%' },
    {
      what: `causes named where none was planted, of ${tally.unplanted} changes`,
      value: tally.falseCauses,
      unit: 'causes',
      target: 0,
    },
    { what: 'changes in the demos as they are that a cause is named of', value: await unchangedCauses(), unit: '%' },
    { what: 'later values in the 80 % interval, at least', value: covered, unit: '%', atLeast: 75 },
    { what: 'later values in the 80 % interval, at most', value: covered, unit: '%', target: 85 },
    { what: 'statements of one explainChange, at most', value: tally.statements, unit: 'statements', target: 12 },
    { what: 'bytes of one explainChange for the model, at most', value: tally.bytes, unit: 'B', target: 4_200 },
    ...scheduledFigures(),
  ];
};
