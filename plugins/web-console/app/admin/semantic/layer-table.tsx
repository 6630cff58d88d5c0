/** Shows a part of the layer as a table. */
import type { ReactNode } from 'react';
import styles from '../admin.module.css';
import type { Column } from '../resource.ts';

export interface LayerTableProps<Row> {
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}

/** Nothing where there are no rows. */
export function LayerTable<Row>({ title, columns, rows }: LayerTableProps<Row>): ReactNode {
  if (rows.length === 0) return null;
  return (
    <div className={styles.section}>
      <h2>{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus */}
      <section className={styles.scroll} tabIndex={0} aria-label={title}>
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
            {rows.map((row, at) => (
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
    </div>
  );
}
