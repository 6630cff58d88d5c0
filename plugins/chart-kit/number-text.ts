/** Writes the numbers of a chart: values in full, those of an axis in short. */
import { numberFormat } from '../result-kit/index.ts';
import type { ChartFormat } from './spec.ts';

/** Beyond these, digits or zeros fill a line. */
const LARGEST = 1e15;
const SMALLEST = 1e-6;

const isExtreme = (value: number) => value !== 0 && (Math.abs(value) >= LARGEST || Math.abs(value) < SMALLEST);

const OPTIONS: Readonly<Record<ChartFormat, Intl.NumberFormatOptions>> = {
  number: { maximumFractionDigits: 6 },
  compact: { notation: 'compact', maximumFractionDigits: 2 },
  percent: { style: 'percent', maximumFractionDigits: 2 },
};

/** `locale`: without it that of the reader's browser, or of the server. */
export function valueText(value: number, format: ChartFormat = 'number', locale?: string): string {
  return isExtreme(value) ? value.toExponential(3) : numberFormat(locale, OPTIONS[format]).format(value);
}

/** The value beside a line of the grid. */
export function axisText(value: number, format: ChartFormat = 'number', locale?: string): string {
  if (isExtreme(value)) return value.toExponential(1);
  return numberFormat(locale, format === 'percent' ? OPTIONS.percent : AXIS).format(value);
}

const AXIS: Intl.NumberFormatOptions = { notation: 'compact', maximumSignificantDigits: 5 };
