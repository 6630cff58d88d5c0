/** Dates and times as PostgreSQL prints them with DateStyle ISO and TimeZone UTC, as ISO 8601. */
import { type Converted, infiniteTime } from '../datasource-kit/index.ts';

const MINUS = '-'.charCodeAt(0);
const BLANK = ' '.charCodeAt(0);
/** Characters of a time up to the second, which no zone fits into. */
const WITHOUT_ZONE = 19;

/** The year of ISO 8601: astronomical, with sign and six digits outside 0 to 9999. `-infinity` is not a year. */
function isoYear(year: string, bc: boolean): string {
  const astronomical = bc ? 1 - Number(year) : Number(year);
  if (astronomical >= 0 && astronomical <= 9999) return String(astronomical).padStart(4, '0');
  return `${astronomical < 0 ? '-' : '+'}${String(Math.abs(astronomical)).padStart(6, '0')}`;
}

/** Minutes are written out: `+02` is `+02:00`. */
function isoOffset(offset: string): string {
  if (/^[+-]00(?::?00)*$/.test(offset)) return 'Z';
  return offset.length === 3 ? `${offset}:00` : offset;
}

/** `2024-02-29`, with ` BC` behind earlier years. */
export function isoDate(text: string): string | Converted {
  if (text.length === 10) return text;
  const [, year, rest = '', bc] = /^(\d+)(-\d\d-\d\d)( BC)?$/.exec(text) ?? [];
  return year === undefined ? unreadable(text) : isoYear(year, bc !== undefined) + rest;
}

/** `2024-02-29 12:30:00.5`, and `+00` behind it when it has a zone, which is then `Z`. */
export function isoTimestamp(text: string): string | Converted {
  // As nearly all are written, at a third of the cost.
  if (text.charCodeAt(4) === MINUS && text.charCodeAt(10) === BLANK && !text.endsWith(' BC')) {
    if (text.endsWith('+00')) return `${text.slice(0, 10)}T${text.slice(11, -3)}Z`;
    if (text.length <= WITHOUT_ZONE) return `${text.slice(0, 10)}T${text.slice(11)}`;
  }
  const [, year, day = '', time = '', offset, bc] =
    /^(\d+)(-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-][\d:]+)?( BC)?$/.exec(text) ?? [];
  if (year === undefined) return unreadable(text);
  return `${isoYear(year, bc !== undefined)}${day}T${time}${offset === undefined ? '' : isoOffset(offset)}`;
}

/** `12:30:00+02`. */
export function isoTimeWithZone(text: string): string {
  return text.replace(/[+-][\d:]+$/, isoOffset);
}

export function isoInterval(text: string): string | Converted {
  return /infinity/.test(text) ? unreadable(text) : text;
}

function unreadable(text: string): string | Converted {
  return /infinity/.test(text) ? infiniteTime(text.startsWith('-')) : text;
}
