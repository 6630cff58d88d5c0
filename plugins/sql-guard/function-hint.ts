import { nearest } from '../../kernel/index.ts';
import type { Call } from '../sql-kit/ast/tree.ts';
import { fold, type SqlDialect } from '../sql-kit/dialects/sql-dialect.ts';

/** What to write instead of a function that may not be called. */
export function functionHint(name: string, dialect: SqlDialect): string | undefined {
  const substitute = dialect.substitutes.get(name);
  if (substitute !== undefined) return substitute;
  const meant = nearest(name, dialect.functions);
  return meant === undefined ? undefined : `Did you mean "${meant}"?`;
}

/** Longest width or precision in a format: two digits cannot ask for a gigabyte of blanks. */
const BOUNDED_FORMAT = /^(?:[^%]|%[-+ 0#!,]*\d{0,2}(?:\.\d{1,2})?l{0,2}[a-zA-Z%])*$/;

/** Arguments with which a harmless function allocates without bound. */
export function argumentProblem(call: Call): { what: string; hint: string } | undefined {
  const name = fold(call.name);
  if (name !== 'printf' && name !== 'format') return undefined;
  const template = call.args[0];
  if (template === undefined || (template.kind === 'string' && BOUNDED_FORMAT.test(template.value))) return undefined;
  return {
    what: `The format of ${call.name} must be a text of its own, with widths of at most two digits`,
    hint: "For example printf('%.2f', amount).",
  };
}
