/** Keeps spreadsheets from running a cell as a formula; the same rule as in the CSV that the server writes. */
import { plainText } from '../../../../chart-kit/index.ts';

/** A text that begins like this, also after blanks or in full width, is taken for a formula. */
const FORMULA = /^\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Decimals with more digits than a number has come as text, and stay numbers. */
const isExactDecimal = (text: string) => DECIMAL.test(text) && String(Number(text)) !== text;

export function formulaSafe(value: unknown): string {
  const text = plainText(value);
  if (typeof value === 'number' || !FORMULA.test(text) || isExactDecimal(text)) return text;
  return `'${text}`;
}
