/** Writes view, sort and filter of a result into the query of an address, and reads them from it. */
import { columnById, type ResultColumn } from '../../../chart-kit/index.ts';
import { MAX_FILTER } from './table/cell-filter.ts';

export const VIEWS = ['table', 'chart', 'sql'] as const;
export type View = (typeof VIEWS)[number];

export interface ViewState {
  readonly view: View;
  /** By the ids of columns, as the table knows them. */
  readonly sorting: readonly { readonly id: string; readonly desc: boolean }[];
  readonly filters: readonly { readonly id: string; readonly value: string }[];
}

export const FIRST_VIEW: ViewState = { view: 'table', sorting: [], filters: [] };
const PARAMETERS = ['view', 'sort', 'filter'];

/** Commas, colons and a leading minus have a meaning of their own there. */
const encoded = (name: string) => encodeURIComponent(name).replace(/^-/, '%2D');

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The query with the state in it. What else stands there stays. */
export function queryOf(state: ViewState, columns: readonly ResultColumn[], query: string): string {
  const parameters = new URLSearchParams(query);
  for (const name of PARAMETERS) parameters.delete(name);
  const nameOf = (id: string) => encoded(columnById(columns, id)?.name ?? '');
  if (state.view !== 'table') parameters.set('view', state.view);
  if (state.sorting.length > 0) {
    parameters.set('sort', state.sorting.map(({ id, desc }) => (desc ? '-' : '') + nameOf(id)).join(','));
  }
  for (const { id, value } of state.filters) parameters.append('filter', `${nameOf(id)}:${value}`);
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** The first for each column. */
function once<T extends { readonly id: string }>(items: readonly T[]): readonly T[] {
  const first = new Map<string, T>();
  for (const item of items) if (!first.has(item.id)) first.set(item.id, item);
  return [...first.values()];
}

/** The state in a query. What names no column of this answer, or one once more, is left out. */
export function stateOf(query: string, columns: readonly ResultColumn[]): ViewState {
  const parameters = new URLSearchParams(query);
  const idOf = (name: string) => columns.find((column) => column.name === decoded(name))?.id;
  const sorting = (parameters.get('sort')?.split(',') ?? []).flatMap((item) => {
    const desc = item.startsWith('-');
    const id = idOf(desc ? item.slice(1) : item);
    return id === undefined ? [] : [{ id, desc }];
  });
  const filters = parameters.getAll('filter').flatMap((item) => {
    const end = item.indexOf(':');
    const id = end < 0 ? undefined : idOf(item.slice(0, end));
    return id === undefined ? [] : [{ id, value: item.slice(end + 1).slice(0, MAX_FILTER) }];
  });
  return {
    view: VIEWS.find((view) => view === parameters.get('view')) ?? 'table',
    sorting: once(sorting),
    filters: once(filters),
  };
}
