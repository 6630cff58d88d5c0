/** Writes rows as CSV, JSON and Markdown. */

import { plainText, type ResultColumn, type ResultRow, valueAt } from '../../../../chart-kit/index.ts';
import { visibleText } from '../../../../text-kit/index.ts';
import { groupedNumber } from '../cell-text.ts';
import { formulaSafe } from './formula-safe.ts';

/** What is exported: the rows and columns that are shown, in their order. */
export interface ExportedRows {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
}

/** Without it, Excel reads a file in the code page of its machine. */
const BYTE_ORDER_MARK = '\ufeff';
/** Semicolons and tabs separate cells in some spreadsheets, and outer blanks are lost without quotes. */
const QUOTED = /[",;\t\r\n]|^\s|\s$/;

function csvCell(value: unknown): string {
  const text = formulaSafe(value);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines after RFC 4180. */
export function csvLines(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

export function csvFile({ columns, rows }: ExportedRows): string {
  const cells = rows.map((row) => columns.map((column) => valueAt(row, column)));
  return BYTE_ORDER_MARK + csvLines([columns.map(({ name }) => name), ...cells]);
}

export function jsonFile({ columns, rows }: ExportedRows): string {
  const objects = rows.map((row) => Object.fromEntries(columns.map((column) => [column.name, valueAt(row, column)])));
  return `${JSON.stringify(objects, null, 2)}\n`;
}

/** No text of a row becomes a link, an image or HTML in what shows the file. */
function markdownCell(text: string): string {
  return visibleText(text).replace(/[\\`*_[\]|<>&~@]|:(?=\/\/)|(?<=www)\./gi, (sign) => `\\${sign}`);
}

export function markdownFile({ columns, rows }: ExportedRows, question: string): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const cellOf = (row: ResultRow, column: ResultColumn) => {
    const text = plainText(valueAt(row, column));
    return markdownCell(column.isQuantity ? groupedNumber(text, 'en') : text);
  };
  return [
    question === '' ? '' : `${markdownCell(question)}\n\n`,
    line(columns.map(({ name }) => markdownCell(name))),
    line(columns.map(({ isQuantity }) => (isQuantity ? '---:' : '---'))),
    ...rows.map((row) => line(columns.map((column) => cellOf(row, column)))),
  ].join('');
}
