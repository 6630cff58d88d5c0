/** Writes CSV after RFC 4180, in which no spreadsheet takes a cell for a formula. */
import { stringify } from 'csv-stringify/sync';

/** A spreadsheet takes a text that begins like this for a formula, some also after blanks, or in full width. */
const FORMULA = /^\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
/** Semicolons and tabs separate cells in some spreadsheets, and outer blanks are lost without quotes. */
const QUOTED = /[;\t\r\n]|^\s|\s$/;

/** Decimals with more digits than a number has come from the databases as text. */
const isExactDecimal = (text: string) => DECIMAL.test(text) && String(Number(text)) !== text;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return FORMULA.test(text) && !isExactDecimal(text) ? `'${text}` : text;
}

/**
 * The rows as lines that end in CRLF. Missing values are empty, objects JSON; numbers stay numbers, and a text that a
 * spreadsheet would run gets an apostrophe in front.
 */
export function csvLines(rows: readonly (readonly unknown[])[]): string {
  return stringify(
    rows.map((row) => row.map(cellText)),
    { record_delimiter: 'windows', quoted_match: QUOTED },
  );
}
