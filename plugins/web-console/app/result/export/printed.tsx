/** Prints the rows of one result, whole and without the page around it. */
import { type ReactNode, useEffect } from 'react';
import { createPortal } from 'react-dom';
import { ShownText } from '../../ui/shown-text.tsx';
import { shownText } from '../cell-text.ts';
import { valueAt } from '../columns.ts';
import { RESULT_TEXTS } from '../texts.ts';
import type { ExportedRows } from './files.ts';
import styles from './printed.module.css';

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
  return createPortal(
    <div className={styles.printed} data-printed>
      <h1 dir="auto">
        <ShownText text={question} />
      </h1>
      <table>
        <thead>
          <tr>
            {printed.map(({ id, name }) => (
              <th key={id} dir="auto">
                <ShownText text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map((row, at) => (
            <tr key={at}>
              {printed.map((column) => (
                <td key={column.id} dir="auto" data-kind={column.isQuantity ? 'quantity' : undefined}>
                  <ShownText text={shownText(valueAt(row, column), column).slice(0, MAX_CHARACTERS)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS && <p>{RESULT_TEXTS.export.printedRows(MAX_ROWS, rows.length)}</p>}
    </div>,
    document.body,
  );
}
