/** Shows the rows of one answer as a table, a chart and its SQL, with what ran and the ways to take it along. */

import { lazy, type ReactNode, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { type ChartSpec, columnById, columnsOf, type ResultColumn } from '../../../chart-kit/index.ts';
import type { ResultTable, StatementFacts } from '../api/query-result.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Loading } from '../ui/loading.tsx';
import { useChart } from './chart/use-chart.ts';
import { ExportMenu } from './export/export-menu.tsx';
import { Tabs } from './parts/tabs.tsx';
import styles from './result.module.css';
import { rowsSentence } from './rows-sentence.ts';
import sqlStyles from './sql/sql.module.css';
import { SqlText } from './sql/sql-text.tsx';
import { shownStatement } from './sql/statement-shown.ts';
import { WhatRan } from './sql/what-ran.tsx';
import { ColumnChooser } from './table/column-chooser.tsx';
import { DataTable } from './table/data-table.tsx';
import { useResultTable } from './table/use-result-table.ts';
import { RESULT_TEXTS as TEXTS } from './texts.ts';
import { useViewState } from './use-view-state.ts';
import type { View } from './view-state.ts';

const ChartView = lazy(() => import('./chart/chart-view.tsx'));
const WhereFrom = lazy(() => import('./origin/where-from.tsx'));
const Printed = lazy(() => import('./export/printed.tsx'));

export interface ResultProps {
  /** What was asked: the caption of table, chart and exported files. */
  readonly question: string;
  readonly table: ResultTable;
  readonly statement?: StatementFacts | undefined;
  /** It comes from a stored conversation, which keeps the first rows. */
  readonly isStored: boolean;
  /** The cell that a number of the text stands for. */
  readonly marked?: { readonly row: number; readonly column: string } | undefined;
  /** View, sort and filter of this result stand in the page's address: true for one result of a page. */
  readonly isCurrent?: boolean | undefined;
  /** The reader may open the audit entry of the statement. */
  readonly hasAudit?: boolean | undefined;
}

/** What plugins tell of the result: a stream has it with the statement, an answer with the rows. */
const aboutOf = (statement: StatementFacts | undefined) =>
  (statement?.about ?? {}) as Pick<ResultTable, 'provenance' | 'formats'>;

/** Another answer with other columns begins anew; the same statement run again keeps what the reader has chosen. */
export function Result(props: ResultProps): ReactNode {
  return <ResultViews key={JSON.stringify(props.table.columns)} {...props} />;
}

function ResultViews({
  question,
  table,
  statement,
  isStored,
  marked,
  isCurrent = true,
  hasAudit = false,
}: ResultProps): ReactNode {
  const { provenance = table.provenance, formats = table.formats } = aboutOf(statement);
  const columns = useMemo(() => columnsOf({ ...table, ...(formats && { formats }) }), [table, formats]);
  const [state, change] = useViewState(columns, isCurrent);
  // Typing into a filter stays quick while many rows are filtered.
  const deferred = useDeferredValue(state.filters);
  const tableState = useMemo(() => ({ ...state, filters: deferred }), [state, deferred]);
  const { table: columnTable, shownRows } = useResultTable({
    rows: table.rows,
    columns,
    state: tableState,
    onChange: change,
  });
  const ran = shownStatement(table, statement);
  const hasSql = ran.asked !== undefined || ran.executed !== undefined;
  const view: View = state.view === 'sql' && !hasSql ? 'table' : state.view;
  // Chosen by all rows, so that a filter changes what is drawn and not how.
  const chart = useChart(table, columns, (statement?.about?.chart as ChartSpec | undefined) ?? table.chart);
  const [hasFilters, setHasFilters] = useState(false);
  const [isPrinting, setIsPrinting] = useState(false);
  const endPrint = useCallback(() => setIsPrinting(false), []);

  const markedRow = marked && table.rows[marked.row];
  const markedCell = useMemo(
    () => (markedRow && marked ? { row: markedRow, column: marked.column } : undefined),
    [markedRow, marked],
  );
  const isMarkedHidden = markedRow !== undefined && !shownRows.includes(markedRow);
  // It is shown when it is marked; the reader may look elsewhere then.
  useEffect(() => {
    if (markedCell === undefined) return;
    change((old) => ({ ...old, view: 'table', filters: isMarkedHidden ? [] : old.filters }));
    const column = columns.find(({ name }) => name === markedCell.column);
    if (column !== undefined) columnTable.getColumn(column.id)?.toggleVisibility(true);
  }, [markedCell]);

  const onFilter = useCallback(
    (id: string, value: string) =>
      change((old) => ({
        ...old,
        filters: [...old.filters.filter((filter) => filter.id !== id), ...(value === '' ? [] : [{ id, value }])],
      })),
    [change],
  );
  const exported = () => ({
    columns: columnTable.getVisibleLeafColumns().map(({ id }) => columnById(columns, id) as ResultColumn),
    rows: shownRows,
  });
  const names: readonly View[] = hasSql ? ['table', 'chart', 'sql'] : ['table', 'chart'];
  const areFiltersShown = hasFilters || state.filters.length > 0;

  return (
    <div className={styles.result}>
      <Tabs
        label={TEXTS.result}
        tabs={names.map((name) => ({ name, label: TEXTS.view[name] }))}
        selected={view}
        onSelect={(next) => change((old) => ({ ...old, view: next }))}
        beside={
          <div className={styles.tools}>
            {view === 'table' && (
              <>
                <button type="button" aria-pressed={areFiltersShown} onClick={() => setHasFilters(!areFiltersShown)}>
                  {TEXTS.filters}
                </button>
                <ColumnChooser table={columnTable} columns={columns} />
              </>
            )}
            <ExportMenu
              question={question}
              rows={exported}
              columns={columns}
              chart={chart.spec}
              onPrint={() => setIsPrinting(true)}
            />
          </div>
        }
      >
        {view === 'table' && (
          <>
            <DataTable
              caption={question}
              table={columnTable}
              rows={shownRows}
              columns={columns}
              hasFilters={areFiltersShown}
              filterOf={(id) => state.filters.find((filter) => filter.id === id)?.value ?? ''}
              onFilter={onFilter}
              marked={markedCell}
            />
            {shownRows.length === 0 && <p>{table.rows.length === 0 ? TEXTS.noRows : TEXTS.noRowsMatch}</p>}
          </>
        )}
        {view === 'chart' && (
          <Suspense fallback={<Loading />}>
            <ChartView model={chart} columns={columns} rows={shownRows} />
          </Suspense>
        )}
        {view === 'sql' && (
          <>
            <SqlText sql={ran.asked ?? ran.executed ?? ''} />
            <div className={sqlStyles.buttons}>
              <CopyButton label={TEXTS.copySql} text={ran.asked ?? ran.executed ?? ''} />
            </div>
          </>
        )}
      </Tabs>
      <p className={styles.count}>
        {rowsSentence({ table, statement, isStored, shown: shownRows.length })}
        {state.filters.length > 0 && (
          <button type="button" data-kind="quiet" onClick={() => change((old) => ({ ...old, filters: [] }))}>
            {TEXTS.clearFilters}
          </button>
        )}
      </p>
      {provenance !== undefined && (
        <Suspense>
          <WhereFrom origin={provenance} />
        </Suspense>
      )}
      <WhatRan statement={ran} hasAudit={hasAudit} />
      {isPrinting && (
        <Suspense>
          <Printed question={question} {...exported()} onEnd={endPrint} />
        </Suspense>
      )}
    </div>
  );
}
