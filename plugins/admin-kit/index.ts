/** Pages and sorts lists in the database: parameters, answers and the reading of a page with its total. */
export { orNull, SUCCEEDED, Success } from './answers.ts';
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
