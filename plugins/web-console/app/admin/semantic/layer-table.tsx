/** Shows a part of the layer as a table. */
import type { ReactNode } from 'react';
import styles from '../admin.module.css';
import type { Column } from '../resource.ts';
import { useFirstItems } from './first-items.tsx';

export interface LayerTableProps<Row> {
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}

/** Nothing where there are no rows. */
export function LayerTable<Row>({ title, columns, rows }: LayerTableProps<Row>): ReactNode {
  const { shown, more, place } = useFirstItems<Row, HTMLElement>(rows);
  if (rows.length === 0) return null;
  return (
    <div className={styles.section}>
      <h2>{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus */}
      <section ref={place} className={styles.scroll} tabIndex={0} aria-label={title}>
        <table className={styles.table} aria-label={title}>
          <thead>
            <tr>
              {columns.map(({ label, isNumber }) => (
                <th key={label} scope="col" data-number={isNumber}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              <tr key={at}>
                {columns.map(({ label, isNumber, cell }) => (
                  <td key={label} data-number={isNumber}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {more}
    </div>
  );
}
