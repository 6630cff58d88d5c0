/** Writes the numbers of a chart: values in full, those of an axis in short. */
import { formattedValue, numberFormat, type ValueFormat } from '../result-kit/index.ts';
import { visibleText } from '../text-kit/index.ts';
import type { ResultColumn } from './columns.ts';
import type { ChartFormat, ChartSpec } from './spec.ts';

/** Beyond these, digits or zeros fill a line. */
const LARGEST = 1e15;
const SMALLEST = 1e-6;

const isExtreme = (value: number) => value !== 0 && (Math.abs(value) >= LARGEST || Math.abs(value) < SMALLEST);

const OPTIONS: Readonly<Record<ChartFormat, Intl.NumberFormatOptions>> = {
  number: { maximumFractionDigits: 6 },
  compact: { notation: 'compact', maximumFractionDigits: 2 },
  percent: { style: 'percent', maximumFractionDigits: 2 },
};

/** As the chart says, or as the layer says of its columns. */
export type NumberFormat = ChartFormat | ValueFormat | undefined;

/** How the values of a column are written, or of all columns that are drawn as values where they have one format. */
export function formatIn(spec: ChartSpec, columns: readonly ResultColumn[], names = spec.y): NumberFormat {
  if (spec.format !== undefined) return spec.format;
  if (spec.aggregate === 'count' && spec.mark !== 'point') return undefined;
  const [first, ...others] = names.map((name) => columns.find((column) => column.name === name)?.format);
  const isSame = (other: ValueFormat | undefined) => other?.style === first?.style && other?.unit === first?.unit;
  return others.every(isSame) ? first : undefined;
}

/** `locale`: without it that of the reader's browser, or of the server. */
export function valueText(value: number, format: NumberFormat = 'number', locale?: string): string {
  if (isExtreme(value)) return value.toExponential(3);
  if (typeof format === 'object') return visibleText(formattedValue(value, format, locale) ?? String(value));
  return numberFormat(locale, OPTIONS[format]).format(value);
}

/** The value beside a line of the grid. */
export function axisText(value: number, format: NumberFormat = 'number', locale?: string): string {
  if (isExtreme(value)) return value.toExponential(1);
  if (typeof format !== 'object')
    return numberFormat(locale, format === 'percent' ? OPTIONS.percent : AXIS).format(value);
  const { style, unit } = format;
  if (style === 'percent' || style === 'duration') return valueText(value, format, locale);
  const text = numberFormat(locale, AXIS).format(value);
  return unit === undefined || unit.length > MAX_AXIS_UNIT ? text : `${text} ${visibleText(unit)}`;
}

/** A longer unit is no short label. */
const MAX_AXIS_UNIT = 8;
const AXIS: Intl.NumberFormatOptions = { notation: 'compact', maximumSignificantDigits: 5 };
