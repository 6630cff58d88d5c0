/** Maps values to places along an axis, and chooses the values that are written beside it. */

export interface Scale {
  /** From 0 at the beginning of the axis to 1 at its end. */
  at(value: number): number;
  readonly ticks: readonly number[];
}

const STEPS = [1, 2, 5, 10];
/** Powers of ten beyond these are no numbers. */
const MAX_EXPONENT = 300;
const MAX_TICKS = 12;

/** The least 1, 2 or 5 times a power of ten that is not below `step`. */
function niceStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * (STEPS.find((factor) => factor * power >= step * 0.999) ?? 10);
}

/** `hasZero`: the axis begins at zero, as for what is drawn as a length. */
export function linearScale(values: readonly number[], hasZero: boolean, count = 6): Scale {
  const [least, most] = extent(hasZero ? [...values, 0] : values);
  const size = Math.max(Math.abs(least), Math.abs(most));
  const exponent = size === 0 ? 0 : Math.floor(Math.log10(size));
  // Computed in a unit of the size of the values: differences of the largest numbers are none.
  const unit = 10 ** Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, exponent));
  let [low, high] = [least / unit, most / unit];
  if (!(high - low > Math.abs(high) * 1e-9)) [low, high] = size === 0 ? [0, 1] : [low - 0.5, high + 0.5];
  const step = niceStep((high - low) / count);
  const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  const length = Math.min(MAX_TICKS, last - first + 1);
  const ticks = Array.from({ length }, (_, at) => Number(((first + at) * step * unit).toPrecision(12)));
  return {
    at: (value) => (value / unit / step - first) / (last - first),
    ticks: ticks.filter(Number.isFinite),
  };
}

/** Without spreading: many values are too many arguments. */
export function extent(values: readonly number[]): readonly [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return least > most ? [0, 0] : [least, most];
}

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const CLOCK_STEPS = [1, 5, 15, 30].flatMap((count) => [count * SECOND, count * MINUTE]);
const TIME_STEPS = [...CLOCK_STEPS, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY].toSorted(
  (a, b) => a - b,
);
const MONTH_STEPS = [1, 3, 6, 12];
const MONTH = 30.4 * DAY;

export interface TimeScale extends Scale {
  textOf(tick: number): string;
}

/** Of instants in milliseconds, in UTC. `count`: most texts that fit. */
export function timeScale(values: readonly number[], count: number): TimeScale {
  const [least, most] = extent(values);
  const iso = (tick: number) => new Date(tick).toISOString();
  if (least === most) {
    const length = least % DAY === 0 ? 10 : 16;
    return { at: () => 0.5, ticks: [least], textOf: (tick) => iso(tick).slice(0, length).replace('T', ' ') };
  }
  const at = (value: number) => (value - least) / (most - least);
  const step = (most - least) / count;
  const even = TIME_STEPS.find((one) => one >= step);
  if (even !== undefined) {
    const first = Math.ceil(least / even) * even;
    const ticks = Array.from({ length: Math.floor((most - first) / even) + 1 }, (_, index) => first + index * even);
    const isShort = most - least < DAY;
    const [from, to] = even >= DAY ? [0, 10] : even < MINUTE ? [11, 19] : isShort ? [11, 16] : [5, 16];
    return { at, ticks, textOf: (tick) => iso(tick).slice(from, to).replace('T', ' ') };
  }
  const months = MONTH_STEPS.find((one) => one * MONTH >= step) ?? 12 * niceStep(Math.max(1, step / (12 * MONTH)));
  const begin = new Date(least);
  const origin = begin.getUTCFullYear() * 12 + begin.getUTCMonth();
  const ticks: number[] = [];
  for (let month = Math.ceil(origin / months) * months; ticks.length <= count; month += months) {
    const tick = firstOf(month);
    if (tick > most) break;
    if (tick >= least) ticks.push(tick);
  }
  return { at, ticks, textOf: (tick) => iso(tick).slice(0, months % 12 === 0 ? 4 : 7) };
}

/** The first instant of a month, counted from that of the year 0. `Date.UTC` takes the years before 100 for others. */
const firstOf = (month: number) => new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, 1);
