/** Gives the compiler the SQL of one dialect, and refuses values that no dialect can write. */
import type { Notation, Rendering, SqlDialect } from '../sql-kit/index.ts';
import { PlanError } from './errors.ts';

export interface Syntax extends Rendering {
  readonly notation: Notation;
  point(text: string): string;
}

export function syntaxOf({ notation, rendering }: SqlDialect): Syntax {
  return {
    ...rendering,
    notation,
    text: (value) => rendering.text(checked(value)),
    point: (value) => (rendering.point ?? rendering.text)(checked(value)),
    matches: (value, kind, wanted) => rendering.matches(value, kind, checked(wanted)),
  };
}

function checked(value: string): string {
  if (value.includes('\0')) throw new PlanError('invalid_plan', 'A value contains a NUL character; remove it.');
  return value;
}
