/** Chooses the cases that the flags ask for. A flag that matches nothing is wrong use. */
import { type CliRun, didYouMean } from '../../kernel/index.ts';
import { wrongUse } from '../cli/index.ts';
import type { EvalCase } from './cases.ts';
import { limitOf } from './flags.ts';

export interface Selection {
  readonly cases: readonly EvalCase[];
  /** Whether flags left cases out. */
  readonly isPartial: boolean;
}

const textOf = (value: string | boolean | undefined) => (typeof value === 'string' ? value : undefined);

export function selectCases(all: readonly EvalCase[], run: Pick<CliRun, 'options'>): Selection {
  const { options } = run;
  const limit = limitOf(run);
  const by = (flag: string, key: 'schema' | 'category' | 'difficulty' | 'id', cases: readonly EvalCase[]) => {
    const wanted = textOf(options[flag]);
    if (wanted === undefined) return cases;
    const found = cases.filter((item) => item[key] === wanted);
    if (found.length > 0) return found;
    const known = [...new Set(cases.map((item) => item[key]).filter(Boolean))];
    const list = known.length > 12 ? '' : ` There are: ${known.join(', ')}.`;
    throw wrongUse(`No case has the ${key} "${wanted}"${didYouMean(wanted, known) || '.'}${list}`);
  };
  let cases = by('schema', 'schema', all);
  cases = by('category', 'category', cases);
  cases = by('difficulty', 'difficulty', cases);
  cases = by('id', 'id', cases);
  return {
    cases: cases.slice(0, limit),
    isPartial: cases.length < all.length || (limit ?? cases.length) < cases.length,
  };
}
