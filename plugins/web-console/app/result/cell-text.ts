/** Writes values of cells as people read them. */
import { isDecimal, plainText, type ResultColumn } from '../../../chart-kit/index.ts';
import { formattedValue, numberFormat } from '../../../result-kit/index.ts';

export const NULL_SIGN = '—';
const MAX_FRACTION_DIGITS = 100;

/** Groups the digits after the reader's language. All digits stay; what is written with an exponent stays as it is. */
export function groupedNumber(value: number | string, locale?: string): string {
  const text = String(value);
  const digits = text.split('.')[1]?.length ?? 0;
  if (!isDecimal(text) || digits > MAX_FRACTION_DIGITS) return text;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return numberFormat(locale, options).format(text as Intl.StringNumericLiteral);
}

/** The value as the table shows it: with the unit and format of the layer, else without changing a digit. */
export function shownText(
  value: unknown,
  column: Pick<ResultColumn, 'isQuantity' | 'format'>,
  locale?: string,
): string {
  if (value === null || value === undefined) return NULL_SIGN;
  const formatted = column.format && formattedValue(value, column.format, locale);
  if (formatted !== undefined) return formatted;
  const isNumber = typeof value === 'number' || typeof value === 'string';
  return column.isQuantity && isNumber ? groupedNumber(value, locale) : plainText(value);
}
