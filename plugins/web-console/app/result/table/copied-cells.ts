/** Writes selected cells as tab-separated text, which spreadsheets take from the clipboard. */
import { formulaSafe } from '../export/formula-safe.ts';

/** A corner each, both inside. */
export interface CellRange {
  readonly from: { readonly row: number; readonly column: number };
  readonly to: { readonly row: number; readonly column: number };
}

/** The range as its first and last rows and columns. */
export function boundsOf({ from, to }: CellRange) {
  return {
    firstRow: Math.min(from.row, to.row),
    lastRow: Math.max(from.row, to.row),
    firstColumn: Math.min(from.column, to.column),
    lastColumn: Math.max(from.column, to.column),
  };
}

export interface RowSelection {
  readonly activeColumn: number | undefined;
  /** First and last selected column; of other rows neither, so that they stay as they are. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** What of `row` is selected. */
export function selectionOf(range: CellRange | undefined, row: number): RowSelection {
  if (range === undefined) return { activeColumn: undefined, from: undefined, to: undefined };
  const { firstRow, lastRow, firstColumn, lastColumn } = boundsOf(range);
  const isInside = firstRow <= row && row <= lastRow;
  return {
    activeColumn: range.to.row === row ? range.to.column : undefined,
    from: isInside ? firstColumn : undefined,
    to: isInside ? lastColumn : undefined,
  };
}

const quoted = (text: string) => (/[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** What goes to a spreadsheet, which must not run it. The dialog of a cell copies its value as it is. */
export function copiedText(cells: readonly (readonly unknown[])[]): string {
  return cells.map((row) => row.map((value) => quoted(formulaSafe(value))).join('\t')).join('\n');
}
