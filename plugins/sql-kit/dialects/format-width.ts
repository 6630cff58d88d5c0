/** Bounds the widths that a format asks for. */
import { fold } from '../ast/names.ts';
import type { Call } from '../ast/tree.ts';
import type { ArgumentProblem } from './sql-dialect.ts';

/** Longest width or precision in a format: two digits cannot ask for a gigabyte of blanks. */
const BOUNDED_FORMAT = /^(?:[^%]|%[-+ 0#!,]*\d{0,2}(?:\.\d{1,2})?l{0,2}[a-zA-Z%])*$/;

/** A format of `printf` that may allocate without bound. */
export function formatProblem(call: Call): ArgumentProblem | undefined {
  const name = fold(call.name);
  if (name !== 'printf' && name !== 'format') return undefined;
  const template = call.args[0];
  if (template === undefined || (template.kind === 'string' && BOUNDED_FORMAT.test(template.value))) return undefined;
  return {
    what: `The format of ${call.name} must be a text literal, with widths of at most two digits`,
    hint: `For example ${call.name}('%.2f', amount).`,
  };
}
