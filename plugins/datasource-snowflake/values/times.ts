/** Gives Snowflake's dates and times, which are numbers of days and seconds, as ISO 8601. */
import { shortFraction } from '../../datasource-kit/index.ts';

const DAY_MS = 86_400_000;
const SECONDS = /^(-?)(\d{1,14})(?:\.(\d{1,9}))?$/;

/** `19782`: days since 1970. */
export function isoDate(text: string): string {
  const date = /^-?\d{1,8}$/.test(text) ? new Date(Number(text) * DAY_MS) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? text : shownDate(date.toISOString().replace(/T.*$/, ''));
}

/** `45045.500000000`: seconds since midnight. */
export function isoTime(text: string): string {
  const iso = isoTimestamp(text);
  return iso.startsWith('1970-01-01T') ? iso.slice('1970-01-01T'.length) : text;
}

/** `1709209800.123456789`: seconds since 1970, by the clock of the wall or in UTC. */
export function isoTimestamp(text: string): string {
  const [, sign = '', whole, fraction = ''] = SECONDS.exec(text) ?? [];
  if (whole === undefined) return text;
  const nanos = Number(fraction.padEnd(9, '0'));
  // Before 1970 the fraction goes back in time.
  const isBefore = sign === '-' && nanos > 0;
  const seconds = Number(sign + whole) - (isBefore ? 1 : 0);
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return text;
  const digits = String(isBefore ? 1_000_000_000 - nanos : nanos).padStart(9, '0');
  return shownDate(shortFraction(`${date.toISOString().replace(/\.\d+Z$/, '')}.${digits}`));
}

/** Years have four digits up to 9999. */
const shownDate = (iso: string) => iso.replace(/^\+0*(?=\d{5})/, '+');

/** The same in UTC. */
export function isoInstant(text: string): string {
  const iso = isoTimestamp(text);
  return iso === text ? text : `${iso}Z`;
}

/** `1709209800.500000000 1500`: an instant, and the offset of its zone in minutes, with 1440 added. */
export const isoZoned = (text: string): string => {
  const [, seconds] = /^(\S+) \d{1,4}$/.exec(text) ?? [];
  const iso = seconds === undefined ? text : isoInstant(seconds);
  return iso === seconds ? text : iso;
};
