/** Shows an area of the administration: filters, a table with pages, commands for each row, and what a row holds. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useEffect, useId, useState } from 'react';
import { useSearchParams } from 'wouter';
import { call } from '../api/client.ts';
import { ADMIN_KEY } from '../api/queries.ts';
import { Alert } from '../ui/alert.tsx';
import { useDebounced } from '../ui/debounced.ts';
import { useHeadingFocus } from '../ui/heading-focus.ts';
import { Loading } from '../ui/loading.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { ActionMenu } from './action-menu.tsx';
import styles from './admin.module.css';
import { FormFields } from './form-fields.tsx';
import { lastOffset, offsetOf, PAGE_ROWS, queryOf } from './list-query.ts';
import type { Action, Resource } from './resource.ts';
import { ADMIN } from './texts.ts';
import { useActions } from './use-actions.tsx';

const CHANGING_MS = 2_000;

type Answer = Readonly<Record<string, unknown>> & { readonly total?: number };

function rowsOf<Row>({ key }: Resource<Row>, answer: Answer | undefined): readonly Row[] {
  return (answer?.[key] ?? []) as readonly Row[];
}

function useList<Row>(resource: Resource<Row>, search: URLSearchParams) {
  const query = queryOf(resource as Resource<never>, search).toString();
  const { isChanging = () => false } = resource;
  return useQuery({
    queryKey: [ADMIN_KEY, resource.path, query],
    queryFn: ({ signal }) => call<Answer>(query === '' ? resource.path : `${resource.path}?${query}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => rowsOf(resource, data).some(isChanging) && CHANGING_MS,
  });
}

interface RowsProps<Row> {
  /** Others are on their way. */
  readonly isBusy: boolean;
  readonly resource: Resource<Row>;
  readonly rows: readonly Row[];
  readonly onAction: (action: Action) => void;
}

function Rows<Row>({ resource, rows, isBusy, onAction }: RowsProps<Row>): ReactNode {
  const { columns, title, nameOf, idOf, actionsOf, detail } = resource;
  const [open, setOpen] = useState<string>();
  const id = useId();
  const hasMenu = actionsOf !== undefined || detail !== undefined;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus
    <section className={styles.scroll} tabIndex={0} aria-label={title} aria-busy={isBusy}>
      <table className={styles.table} aria-label={title}>
        <thead>
          <tr>
            {columns.map(({ label, isNumber }) => (
              <th key={label} scope="col" data-number={isNumber}>
                {label}
              </th>
            ))}
            {hasMenu && (
              <th scope="col">
                <span className="visually-hidden">{ADMIN.commands}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = idOf(row);
            // A row alone, which a link led to, is open at once.
            const isOpen = detail !== undefined && (open === key || (open === undefined && rows.length === 1));
            const actions = actionsOf?.(row, rows) ?? [];
            return (
              <Fragment key={key}>
                <tr>
                  {columns.map(({ label, isNumber, cell }) => (
                    <td key={label} data-number={isNumber}>
                      {cell(row)}
                    </td>
                  ))}
                  {hasMenu && (
                    <td className={styles.commands}>
                      {detail !== undefined && (
                        <button
                          type="button"
                          data-kind="quiet"
                          aria-expanded={isOpen}
                          aria-controls={isOpen ? `${id}${key}` : undefined}
                          aria-label={`${ADMIN.details}: ${nameOf(row)}`}
                          onClick={() => setOpen(isOpen ? (rows.length === 1 ? '' : undefined) : key)}
                        >
                          {ADMIN.details}
                        </button>
                      )}
                      {actions.length > 0 && <ActionMenu name={nameOf(row)} actions={actions} start={onAction} />}
                    </td>
                  )}
                </tr>
                {isOpen && (
                  <tr id={`${id}${key}`}>
                    <td colSpan={columns.length + 1} className={styles.detail}>
                      {detail(row, onAction)}
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

interface PagingProps {
  readonly total: number;
  readonly offset: number;
  readonly onGo: (offset: number) => void;
}

function Paging({ total, offset, onGo }: PagingProps): ReactNode {
  const last = Math.min(total, offset + PAGE_ROWS);
  return (
    <nav aria-label={ADMIN.pages} className={styles.paging}>
      <button type="button" disabled={offset === 0} onClick={() => onGo(Math.max(0, offset - PAGE_ROWS))}>
        {ADMIN.previous}
      </button>
      <span>{ADMIN.range(Math.min(offset + 1, total), last, total)}</span>
      <button type="button" disabled={last >= total} onClick={() => onGo(offset + PAGE_ROWS)}>
        {ADMIN.next}
      </button>
    </nav>
  );
}

export interface ResourcePageProps<Row> {
  readonly resource: Resource<Row>;
  /** Between heading and table. */
  readonly children?: ReactNode;
}

export function ResourcePage<Row>({ resource, children }: ResourcePageProps<Row>): ReactNode {
  const { title, intro, hasPages = false, filters = [], create, empty } = resource;
  const [search, setSearch] = useSearchParams();
  // What is typed into a filter is asked for once a person stops typing.
  const asked = new URLSearchParams(useDebounced(search.toString()));
  const { data, error, refetch, isPlaceholderData } = useList(resource, asked);
  // Rows are taken away, or what the page shows above them.
  const heading = useHeadingFocus([data, children]);
  usePageTitle(title);
  /** `isReplaced`: the way back does not lead to what was before. */
  const change = (name: string, value: string, isReplaced = name !== 'offset') =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete('offset');
        if (value === '' || (name === 'offset' && value === '0')) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: isReplaced },
    );
  const rows = rowsOf(resource, data);
  const offset = offsetOf(search);
  const total = data?.total ?? 0;
  const isEmpty = data !== undefined && !isPlaceholderData && rows.length === 0;
  const isBeyond = hasPages && isEmpty && offsetOf(asked) > 0 && total > 0;
  // The last row of a last page was deleted, or the address says more than there is.
  useEffect(() => {
    if (isBeyond) change('offset', String(lastOffset(total)), true);
  }, [isBeyond, total]);
  const isFiltered = filters.some(({ name }) => asked.get(name)?.trim());
  const { start, outcome } = useActions(isEmpty && !isBeyond && <p>{isFiltered ? ADMIN.noMatch : empty}</p>);
  return (
    <>
      <div className={styles.heading}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {create !== undefined && (
          <button type="button" data-kind="primary" onClick={() => start(create)}>
            {create.title ?? create.label}
          </button>
        )}
      </div>
      {intro !== undefined && <p className={styles.intro}>{intro}</p>}
      {children}
      {filters.length > 0 && (
        <search className={styles.filters} aria-label={ADMIN.filters}>
          <FormFields
            fields={filters}
            values={Object.fromEntries(search)}
            onChange={(name, value) => change(name, value)}
          />
        </search>
      )}
      {outcome}
      {error !== null && <Alert error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {rows.length > 0 && <Rows resource={resource} rows={rows} isBusy={isPlaceholderData} onAction={start} />}
      {hasPages && (total > PAGE_ROWS || (offset > 0 && total > 0)) && (
        <Paging total={total} offset={offset} onGo={(next) => change('offset', String(next))} />
      )}
    </>
  );
}
