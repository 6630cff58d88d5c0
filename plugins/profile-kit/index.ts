/** Reads what a semantic layer says about a table's rows; shared by `init` and by a server that keeps it up to date. */
export { typeOf } from './column-type.ts';
export { free, isCopy, nameKey, plainName, plural, singular, spoken, withoutKind } from './names.ts';
export {
  type ColumnProfile,
  quotedTable,
  type Read,
  SAMPLED_ROWS,
  sampleTable,
  searchedRows,
  type TableSample,
} from './sampling.ts';
export {
  holdsCredential,
  isCategory,
  isNamedCredential,
  isPrivateTime,
  mayShowValues,
  samplesOf,
} from './sensitive.ts';
export { tenantTables } from './tenants.ts';
