/** Gives BigQuery's moments and intervals as ISO 8601. */
import { shortFraction } from '../../datasource-kit/index.ts';

/** Microseconds since 1970 in UTC: `2024-02-29T12:30:00.5Z`. */
export function isoInstant(text: string): string {
  if (!/^-?\d{1,18}$/.test(text)) return text;
  const micros = BigInt(text);
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const date = new Date(Number((micros - rest) / 1_000n));
  if (Number.isNaN(date.getTime())) return text;
  const seconds = date.toISOString().replace(/\.\d+Z$/, '');
  return `${shortFraction(`${seconds}.${String(rest).padStart(6, '0')}`)}Z`;
}

/** `2024-02-29T12:30:00.500000`. */
export const isoDatetime = (text: string): string => shortFraction(text.replace(' ', 'T'));

/** `1-2 3 4:5:6.789`: years and months, days, then hours, minutes and seconds, each of the three with its sign. */
export function isoInterval(text: string): string {
  const [, months, years, month, days, time, hours, minutes, seconds] =
    /^(-?)(\d+)-(\d+) (-?\d+) (-?)(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (years === undefined) return text;
  const part = (sign: string | undefined, amount: string | undefined, unit: string) =>
    Number(amount) === 0 ? '' : `${sign}${shortFraction(String(amount).replace(/^0+(?=\d)/, ''))}${unit}`;
  const date = part(months, years, 'Y') + part(months, month, 'M') + part('', days, 'D');
  const clock = part(time, hours, 'H') + part(time, minutes, 'M') + part(time, seconds, 'S');
  const whole = date + (clock === '' ? '' : `T${clock}`);
  return whole === '' ? 'PT0S' : `P${whole}`;
}
