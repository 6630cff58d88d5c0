/** Writes CSV after RFC 4180, in which no spreadsheet takes a cell for a formula. */

/** A spreadsheet takes a text that begins like this for a formula, some also after blanks, or in full width. */
const FORMULA = /^\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
/** Semicolons and tabs separate cells in some spreadsheets, and outer blanks are lost without quotes. */
const QUOTED = /[",;\t\r\n]|^\s|\s$/;

/** What most texts have nothing of: those that match neither pattern are written as they are. */
const SPECIAL = /[",;\t\r\n]|^[\s=+\-@\uff1d\uff0b\uff0d\uff20]|\s$/;

/** Decimals with more digits than a number has come from the databases as text. */
const isExactDecimal = (text: string) => DECIMAL.test(text) && String(Number(text)) !== text;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (!SPECIAL.test(text)) return text;
  const safe = FORMULA.test(text) && !isExactDecimal(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * The rows as lines that end in CRLF. Missing values are empty, objects JSON; numbers stay numbers, and a text that a
 * spreadsheet would run gets an apostrophe in front.
 */
export function csvLines(rows: readonly (readonly unknown[])[]): string {
  let lines = '';
  for (const row of rows) {
    for (let at = 0; at < row.length; at += 1) lines += at === 0 ? cellText(row[at]) : `,${cellText(row[at])}`;
    lines += '\r\n';
  }
  return lines;
}
