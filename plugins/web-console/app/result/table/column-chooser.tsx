/** Hides columns and shows them again. */
import { type ReactNode, useState } from 'react';
import { columnLabel, type ResultColumn } from '../../../../chart-kit/index.ts';
import { Popover } from '../../ui/popover.tsx';
import { ShownText } from '../../ui/shown-text.tsx';
import { RESULT_TEXTS as TEXTS } from '../texts.ts';
import styles from './column-chooser.module.css';
import type { ColumnTable } from './use-result-table.ts';

const MAX_LISTED = 100;
/** Fewer are found by looking. */
const MIN_SEARCHED = 12;

interface ChooserProps {
  readonly table: ColumnTable;
  readonly columns: readonly ResultColumn[];
}

export function ColumnChooser(props: ChooserProps): ReactNode {
  return (
    <Popover kind="dialog" label={TEXTS.columns} areaLabel={TEXTS.shownColumns}>
      {() => <ColumnList {...props} />}
    </Popover>
  );
}

function ColumnList({ table, columns }: ChooserProps): ReactNode {
  const [wanted, setWanted] = useState('');
  const found = columns.filter((column) => columnLabel(column).toLowerCase().includes(wanted.toLowerCase()));
  const listed = found.slice(0, MAX_LISTED);
  const visibleCount = table.getVisibleLeafColumns().length;
  return (
    <div className={styles.list}>
      {columns.length >= MIN_SEARCHED && (
        <input
          type="search"
          aria-label={TEXTS.findColumn}
          placeholder={TEXTS.findColumn}
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      )}
      {listed.map((column) => {
        const isVisible = table.getColumn(column.id)?.getIsVisible() === true;
        return (
          <label key={column.id}>
            <input
              type="checkbox"
              checked={isVisible}
              disabled={isVisible && visibleCount === 1}
              onChange={() => table.getColumn(column.id)?.toggleVisibility(!isVisible)}
            />
            <ShownText text={columnLabel(column)} />
          </label>
        );
      })}
      {listed.length < found.length && <p>{TEXTS.listedColumns(listed.length, found.length)}</p>}
      <button type="button" disabled={visibleCount === columns.length} onClick={() => table.setColumnVisibility({})}>
        {TEXTS.showAllColumns}
      </button>
    </div>
  );
}
