/** Arguments with which a harmless function of Trino allocates without bound. Lists are bounded by the engine itself. */
import { fold } from '../../ast/names.ts';
import type { Call } from '../../ast/tree.ts';
import type { ArgumentProblem } from '../sql-dialect.ts';

/** Longest text that is filled up to a length. */
const MAX_LENGTH = 10_000;
/** A format of Java, its widths and precisions of at most two digits. */
const BOUNDED_FORMAT = /^(?:[^%]|%(?:\d{1,2}\$|<)?[-#+ 0,(]*\d{0,2}(?:\.\d{1,2})?[tT]?[a-zA-Z%])*$/;

export function argumentProblem(call: Call): ArgumentProblem | undefined {
  const name = fold(call.name);
  const [first, second] = call.args;
  if (name === 'lpad' || name === 'rpad') {
    const isShort = second?.kind === 'number' && Number(second.value.replaceAll('_', '')) <= MAX_LENGTH;
    if (second === undefined || isShort) return undefined;
    return {
      what: `The length of ${call.name} must be a number of at most ${MAX_LENGTH}, written out`,
      hint: "For example lpad(CAST(id AS VARCHAR), 8, '0').",
    };
  }
  if (name !== 'format' || first === undefined) return undefined;
  if (first.kind === 'string' && BOUNDED_FORMAT.test(first.value)) return undefined;
  return {
    what: `The format of ${call.name} must be a text literal, with widths of at most two digits`,
    hint: "For example format('%.2f', amount).",
  };
}
