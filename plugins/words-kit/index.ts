export {
  capital,
  fold,
  isDerived,
  isSlip,
  keyOf,
  nameWords,
  root,
  rootKey,
  spoken,
  stem,
} from './words.ts';
