/** Says in words when a cron expression of five fields is due. */

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const MAX_TIMES = 6;

const NUMBERS = /^\d+(,\d+)*$/;
const LIST = new Intl.ListFormat('en', { type: 'conjunction' });
const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const SUFFIXES: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };

const ordinal = (value: number) => `${value}${SUFFIXES[ORDINALS.select(value)]}`;
const two = (value: number | string) => String(value).padStart(2, '0');

/** The names of days or months as numbers; `first`: that of the first name. */
function numbered(field: string, names: readonly string[], first: number): string {
  return field.replace(/[A-Za-z]{3}/g, (name) => {
    const index = names.findIndex((full) => full.slice(0, 3).toLowerCase() === name.toLowerCase());
    return index < 0 ? name : String(index + first);
  });
}

/** `1-5` as "Monday to Friday", `1,3` as "Monday and Wednesday"; `undefined` for what has steps or marks. */
function partsIn(field: string, nameOf: (value: number) => string | undefined): string | undefined {
  const parts = field.split(',').map((part) => {
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    const begin = from === undefined ? undefined : nameOf(Number(from));
    const end = to === undefined ? undefined : nameOf(Number(to));
    if (begin === undefined || (to !== undefined && end === undefined)) return undefined;
    return end === undefined ? begin : `${begin} to ${end}`;
  });
  return parts.includes(undefined) ? undefined : LIST.format(parts as string[]);
}

const stepOf = (field: string) => /^\*\/(\d+)$/.exec(field)?.[1];

function timesIn(minute: string, hour: string): string | undefined {
  const minuteStep = stepOf(minute);
  if (hour === '*') {
    if (minute === '*') return 'Every minute';
    if (minuteStep !== undefined) return minuteStep === '1' ? 'Every minute' : `Every ${minuteStep} minutes`;
    if (minute === '0') return 'Every hour';
    const minutes = partsIn(minute, String);
    return minutes && `At minute ${minutes} of every hour`;
  }
  const hourStep = stepOf(hour);
  if (hourStep !== undefined && NUMBERS.test(minute)) {
    return minute === '0'
      ? `Every ${hourStep} hours`
      : `At minute ${partsIn(minute, String)} of every ${hourStep} hours`;
  }
  if (NUMBERS.test(minute) && NUMBERS.test(hour)) {
    const times = hour.split(',').flatMap((h) => minute.split(',').map((m) => `${two(h)}:${two(m)}`));
    if (times.length <= MAX_TIMES) return `At ${LIST.format(times.toSorted())}`;
  }
  const hours = partsIn(hour, (value) => `${two(value)}:00`);
  if (hours === undefined) return undefined;
  if (minute === '*') return `Every minute in the hours ${hours}`;
  if (minuteStep !== undefined) return `Every ${minuteStep} minutes in the hours ${hours}`;
  const minutes = partsIn(minute, String);
  return minutes && `At minute ${minutes} of the hours ${hours}`;
}

function daysIn(dayOfMonth: string, dayOfWeek: string): string | undefined {
  const week = partsIn(numbered(dayOfWeek, DAYS, 0), (value) => DAYS[value % 7]);
  const month = partsIn(dayOfMonth, (value) => `the ${ordinal(value)}`);
  if (dayOfMonth === '*') return dayOfWeek === '*' ? 'every day' : week && `on ${week}`;
  if (dayOfWeek === '*') return month && `on ${month} of the month`;
  // Either is enough, as in every cron.
  return month && week && `on ${month} of the month and on ${week}`;
}

/** `undefined` for what is no expression or is too rare to have words here. */
export function cronInWords(expression: string): string | undefined {
  const [minute, hour, dayOfMonth, month, dayOfWeek, ...more] = expression.trim().split(/\s+/);
  if (minute === undefined || hour === undefined || dayOfMonth === undefined) return undefined;
  if (month === undefined || dayOfWeek === undefined || more.length > 0) return undefined;
  const times = timesIn(minute, hour);
  const days = daysIn(dayOfMonth, dayOfWeek);
  const months = month === '*' ? '' : partsIn(numbered(month, MONTHS, 1), (value) => MONTHS[value - 1]);
  if (times === undefined || days === undefined || months === undefined) return undefined;
  return `${times}, ${days}${months === '' ? '' : ` in ${months}`}`;
}
