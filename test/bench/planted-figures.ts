/**
 * Plants thresholds that are passed and figures that are unusual into the runs of scheduled questions, and counts how many
 * of them are delivered, and how many where nothing was planted. The formula stands in `plugins/scheduler/unusual.ts`.
 *
 * A series has a level for each position of its season, a trend, noise that differs between positions, and now and then an
 * outlier in its past; its first weeks are those in which the scheduler begins to judge.
 */
import { decisionOf } from '../../plugins/scheduler/delivery-condition.ts';
import { type Figure, unusualness } from '../../plugins/scheduler/unusual.ts';
import type { Random } from '../harness/random.ts';

/** Positions of a season, and seasons of the past: at least and at most, as runs are kept for 90 days. */
const SEASONS = [
  { schedule: 'weekly', positions: 1, least: 8, most: 12 },
  { schedule: 'daily', positions: 7, least: 4, most: 12 },
  { schedule: 'hourly', positions: 168, least: 4, most: 12 },
] as const;
/** In standard deviations of the noise. */
const PLANTED = { least: 6, most: 12 };
const OUTLIERS = 0.03;

export interface Rates {
  readonly what: string;
  /** In percent. */
  readonly detected: number;
  readonly falseAlarms: number;
}

const normalOf = (random: Random) =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

export function unusualRates(random: Random, series: number): Rates[] {
  return SEASONS.map(({ schedule, positions, least, most }) => {
    let [detected, falseAlarms] = [0, 0];
    for (let at = 0; at < series; at += 1) {
      const noise = 1 + 9 * random.next();
      const trend = noise * 0.1 * (random.next() - 0.3);
      const spreads = Array.from({ length: positions }, () => noise * (0.6 + 0.8 * random.next()));
      const levels = spreads.map(() => 200 + 40 * noise * random.next());
      const valueAt = (position: number, season: number) =>
        levels[position]! + trend * season + spreads[position]! * normalOf(random);
      const seasons = random.integer(least, most);
      const earlier: Figure[] = [];
      for (let season = 0; season < seasons; season += 1)
        for (let position = 0; position < positions; position += 1) {
          const outlier = random.chance(OUTLIERS) ? 10 * spreads[position]! : 0;
          earlier.push({ position: String(position), value: valueAt(position, season) + outlier });
        }
      const here = random.integer(0, positions - 1);
      const isUnusual = (value: number) => unusualness({ position: String(here), value }, earlier)?.isUnusual === true;
      const shift = spreads[here]! * (PLANTED.least + (PLANTED.most - PLANTED.least) * random.next());
      if (isUnusual(valueAt(here, seasons))) falseAlarms += 1;
      if (isUnusual(valueAt(here, seasons) + (random.chance(0.5) ? shift : -shift))) detected += 1;
    }
    return {
      what: `unusual, ${schedule}`,
      detected: (100 * detected) / series,
      falseAlarms: (100 * falseAlarms) / series,
    };
  });
}

/** Results of several rows, of which one is beyond the threshold or none. */
export function thresholdRates(random: Random, results: number): Rates {
  let [detected, falseAlarms] = [0, 0];
  const earlier = [
    { digest: '', figure: null, delivery_status: null, scheduled_for: null, started_at: '2026-01-01T00:00:00.000Z' },
  ];
  for (let at = 0; at < results; at += 1) {
    const operator = random.pick(['>', '>=', '<', '<='] as const);
    const value = random.integer(-1_000, 1_000);
    const sign = operator.startsWith('>') ? 1 : -1;
    const within = Array.from({ length: random.integer(1, 50) }, () => value - sign * random.integer(1, 500));
    const beyond = within.with(random.integer(0, within.length - 1), value + sign * random.integer(1, 500));
    const isDelivered = (values: readonly number[]) => {
      const rows = values.map((total, id) => ({ id, total }));
      const tables = [{ sql: 'SELECT id, total FROM t', columns: ['id', 'total'], rows, truncated: false }];
      const compared = { tables, earlier, at: '', position: () => '' };
      return !decisionOf({ mode: 'threshold', column: 'total', operator, value }, compared).isQuiet;
    };
    if (isDelivered(beyond)) detected += 1;
    if (isDelivered(within)) falseAlarms += 1;
  }
  return { what: 'threshold', detected: (100 * detected) / results, falseAlarms: (100 * falseAlarms) / results };
}
