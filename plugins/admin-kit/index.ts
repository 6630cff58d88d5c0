/** Parts of routes for administrators: pages of lists, rows as they are shown, values kept for a moment, common answers. */
export { invalidBody, invalidField, oneOf, orNull, SUCCEEDED, Success } from './answers.ts';
export { FreshValues } from './fresh-values.ts';
export { deleteRowsOf } from './organization-rows.ts';
export {
  type PageKey,
  type PageOrder,
  type PageRequest,
  type PageSource,
  page,
  pageQuery,
  readPage,
  type SortedPage,
  sortable,
  sorted,
} from './paging.ts';
export { mustBeOfPlatform } from './platform.ts';
export { columnsOf, type RowOf, shownBy } from './stored-row.ts';
