/** Prints the rows of one result, whole and without the page around it. */
import { type ReactNode, useEffect } from 'react';
import { createPortal } from 'react-dom';
import { columnLabel, valueAt } from '../../../../chart-kit/index.ts';
import { visibleNodes } from '../../ui/shown-text.tsx';
import { shownText } from '../cell-text.ts';
import { RESULT_TEXTS } from '../texts.ts';
import type { ExportedRows } from './files.ts';
import styles from './printed.module.css';

const TEXTS = RESULT_TEXTS.export;
const MAX_ROWS = 2_000;
const MAX_COLUMNS = 40;
const MAX_CHARACTERS = 1_000;

interface PrintedProps extends ExportedRows {
  readonly question: string;
  readonly onEnd: () => void;
}

export default function Printed({ question, columns, rows, onEnd }: PrintedProps): ReactNode {
  useEffect(() => {
    window.addEventListener('afterprint', onEnd);
    const timer = setTimeout(() => window.print());
    return () => {
      clearTimeout(timer);
      window.removeEventListener('afterprint', onEnd);
    };
  }, [onEnd]);
  const printed = columns.slice(0, MAX_COLUMNS);
  const lines = rows.slice(0, MAX_ROWS).map((row) => printed.map((column) => shownText(valueAt(row, column), column)));
  const isCut = lines.some((texts) => texts.some((text) => text.length > MAX_CHARACTERS));
  return createPortal(
    <div className={styles.printed} data-printed>
      <h1 dir="auto">{visibleNodes(question)}</h1>
      <table>
        <thead>
          <tr>
            {printed.map((column) => (
              <th key={column.id} dir="auto">
                {visibleNodes(columnLabel(column))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((texts, at) => (
            <tr key={at}>
              {printed.map(({ id, isQuantity }, place) => (
                <td key={id} dir="auto" data-kind={isQuantity ? 'quantity' : undefined}>
                  {visibleNodes(texts[place]?.slice(0, MAX_CHARACTERS) ?? '')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS && <p>{TEXTS.firstRows(MAX_ROWS, rows.length)}</p>}
      {columns.length > MAX_COLUMNS && <p>{TEXTS.firstColumns(MAX_COLUMNS, columns.length)}</p>}
      {isCut && <p>{TEXTS.cutCells(MAX_CHARACTERS)}</p>}
    </div>,
    document.body,
  );
}
