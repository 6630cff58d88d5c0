/** Compares results of statements. */
export {
  type ComparedResult,
  type ExpectedResult,
  resultDifference,
  unordered,
} from './compare-results.ts';
export { goldOrder, inGivenOrder, orderedGroups } from './gold-order.ts';
