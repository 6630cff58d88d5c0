/** Writes values with the unit and format that the semantic layer declares, the same wherever people read them. */

/** How the values of a column are written. */
export interface ValueFormat {
  readonly style: 'number' | 'currency' | 'percent' | 'duration' | 'compact';
  /** A currency's code, or the unit of a number: `minutes`. Of a duration, that of the values. */
  readonly unit?: string;
}

/** By the name of the column in the result. */
export type ValueFormats = Readonly<Record<string, ValueFormat>>;

const CODE = /^[A-Z]{3}$/;
const STYLES: Readonly<Record<string, ValueFormat['style']>> = {
  currency: 'currency',
  percent: 'percent',
  percentage: 'percent',
  '%': 'percent',
  duration: 'duration',
  compact: 'compact',
};

/** What the `format` of a measure and the `unit` of a metric say; `undefined` where they say nothing that is known. */
export function valueFormat({
  format,
  unit,
}: {
  readonly format?: string;
  readonly unit?: string;
}): ValueFormat | undefined {
  const [, word = '', code] = /^(\S*?)(?:[ :]([A-Z]{3}))?$/.exec(format ?? '') ?? [];
  const style = STYLES[word.toLowerCase()] ?? STYLES[unit?.toLowerCase() ?? ''];
  if (style === 'percent') return { style };
  const currency = [code, unit, format].find((text) => text !== undefined && CODE.test(text));
  if (currency !== undefined) return { style: style === 'compact' ? style : 'currency', unit: currency };
  if (style !== undefined) return { style, ...(unit !== undefined && { unit }) };
  return unit === undefined || unit === '' ? undefined : { style: 'number', unit };
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** A number, also one that came as text because it has more digits than a number holds. */
function numberOf(value: unknown): number | Intl.StringNumericLiteral | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && NUMBER.test(value) ? (value as Intl.StringNumericLiteral) : undefined;
}

/** As people write it, or `undefined` for what is no number. Without a locale, in that of the reader's machine. */
export function formattedValue(value: unknown, format: ValueFormat | undefined, locale?: string): string | undefined {
  const number = numberOf(value);
  if (number === undefined) return undefined;
  const { style = 'number', unit } = format ?? {};
  const written = style === 'duration' ? undefined : digitsOf(number, style, locale);
  switch (style) {
    case 'percent':
      return `${written} %`;
    case 'duration':
      return durationText(Number(number), unit, locale);
    default:
      return unit === undefined ? written : `${written} ${unit}`;
  }
}

const FORMATS = new Map<string, Intl.NumberFormat>();

/** A format is slow to make, and each is kept. Without a locale, that of the reader's browser, or of the server. */
export function numberFormat(locale: string | undefined, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = FORMATS.get(key) ?? new Intl.NumberFormat(locale, options);
  FORMATS.set(key, known);
  return known;
}

/** Whole numbers have no decimals, others two, small ones four; amounts of money have two. */
function digitsOf(value: number | Intl.StringNumericLiteral, style: ValueFormat['style'], locale?: string): string {
  if (style === 'compact') return numberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
  const number = Number(value);
  const isWhole = typeof value === 'string' ? !/[.e]/i.test(value) : Number.isInteger(value);
  const digits = style === 'currency' ? 2 : isWhole ? 0 : Math.abs(number) >= 1 ? 2 : 4;
  const options = { maximumFractionDigits: digits, minimumFractionDigits: digits === 2 ? 2 : 0 };
  return numberFormat(locale, options).format(value);
}

const SECONDS: readonly (readonly [unit: RegExp, seconds: number])[] = [
  [/^(ms|milliseconds?)$/i, 0.001],
  [/^(m|min|minutes?)$/i, 60],
  [/^(h|hours?)$/i, 3_600],
  [/^(d|days?)$/i, 86_400],
];
const PARTS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** `1 h 20 min`: the two largest units. Values are seconds where no unit is declared. */
function durationText(value: number, unit: string | undefined, locale: string | undefined): string {
  const seconds = Math.abs(value) * (SECONDS.find(([name]) => name.test(unit ?? ''))?.[1] ?? 1);
  const sign = value < 0 ? '-' : '';
  if (seconds < 1) return `${sign}${digitsOf(Math.round(seconds * 1_000), 'number', locale)} ms`;
  const first = PARTS.findIndex(([, size]) => seconds >= size);
  const shown = PARTS.slice(first, first + 2);
  const [, least] = shown.at(-1)!;
  let rest = Math.round(seconds / least) * least;
  const texts = shown.flatMap(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${digitsOf(count, 'number', locale)} ${name}`];
  });
  return `${sign}${texts.join(' ')}`;
}
