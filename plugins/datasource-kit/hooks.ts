/** Defines the hook that bounds the memory of results. */
import { first, type SqlStatement } from '../../kernel/index.ts';
import type { ResultMemory } from './values.ts';

/** A tap returns the memory of whatever asks; of a statement without, only the limits of one result hold. */
export const resultMemory = first<SqlStatement, ResultMemory>('result.memory', {
  summary: 'Asked when a statement starts to run: how much memory its rows may take, besides the limits of one result.',
});
