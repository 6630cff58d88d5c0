/** Gives Trino's times and intervals as ISO 8601. */
import { shortFraction, type WallClock, wallClockOf } from '../../datasource-kit/index.ts';

/** `2024-02-29 12:30:00.500`. */
export const isoTimestamp = (text: string): string => shortFraction(text.replace(' ', 'T'));

const OFFSET = /^([+-])(\d\d):(\d\d)$/;
const INSTANT = /^([^ ]+) (\d\d:\d\d:\d\d)(\.\d+)? (.+)$/;

/** `2024-02-29 12:30:00.500 Europe/Vienna` in UTC. A time that a clock shows twice is the first of the two. */
export function isoInstant(text: string, clocks: Map<string, WallClock>): string {
  const [, date = '', time = '', fraction = '', zone = ''] = INSTANT.exec(text) ?? [];
  const wall = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(wall)) return text;
  const instant = new Date(wall - offsetOf(zone, wall, clocks)).toISOString().replace(/\.\d+Z$/, '');
  return `${shortFraction(instant + fraction)}Z`;
}

/** Milliseconds by which the clocks of the zone are ahead of UTC when they show `wall`. */
function offsetOf(zone: string, wall: number, clocks: Map<string, WallClock>): number {
  const [, sign, hours, minutes] = OFFSET.exec(zone) ?? [];
  if (sign !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const clock = clocks.get(zone) ?? wallClockOf(zone);
  clocks.set(zone, clock);
  const ahead = (at: number) => Date.parse(`${clock(new Date(at).toISOString())}Z`) - at;
  // The day before tells the offset of a clock that is about to be put back.
  const [early, late] = [wall - 86_400_000, wall].map(ahead) as [number, number];
  return ahead(wall - early) === early ? early : ahead(wall - late) === late ? late : Math.max(early, late);
}

/** `2-3` and `-2-3`: years and months. */
export function isoMonths(text: string): string {
  const [, sign = '', years, months] = /^(-?)(\d+)-(\d+)$/.exec(text) ?? [];
  return years === undefined
    ? text
    : period(
        [
          [years, 'Y'],
          [months ?? '0', 'M'],
        ],
        [],
        sign,
      ) || 'P0M';
}

/** `3 04:05:06.789`: days, hours, minutes and seconds. */
export function isoDuration(text: string): string {
  const [, sign = '', days, hours = '0', minutes = '0', seconds = '0'] =
    /^(-?)(\d+) (\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (days === undefined) return text;
  return (
    period(
      [[days, 'D']],
      [
        [hours, 'H'],
        [minutes, 'M'],
        [seconds, 'S'],
      ],
      sign,
    ) || 'PT0S'
  );
}

type Part = readonly [amount: string, unit: string];

/** Without the parts that are zero; empty where all are. */
function period(dates: readonly Part[], times: readonly Part[], sign: string): string {
  const written = (parts: readonly Part[]) =>
    parts
      .filter(([amount]) => Number(amount) !== 0)
      .map(([amount, unit]) => `${sign}${shortFraction(amount.replace(/^0+(?=\d)/, ''))}${unit}`)
      .join('');
  const time = written(times);
  const text = written(dates) + (time === '' ? '' : `T${time}`);
  return text === '' ? '' : `P${text}`;
}
