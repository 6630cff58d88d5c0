/** Declares the refusal of a statement, and finds lines and columns. */
import { AtlasError } from '../../../kernel/index.ts';

/** Which rule spoke. */
export type RefusalRule =
  | 'syntax'
  | 'not_reading'
  | 'several_statements'
  | 'parameter'
  | 'table'
  | 'column'
  | 'function'
  | 'size'
  | 'unchecked';

export interface Position {
  /** Both count from 1; a column counts UTF-16 units, as editors do. */
  readonly line: number;
  readonly column: number;
}

/** A statement that does not run: what is wrong and where; the hint says what to write instead. */
export class SqlRefusal extends AtlasError {
  readonly rule: RefusalRule;
  readonly position: Position;

  constructor(rule: RefusalRule, what: string, position: Position, hint?: string) {
    super(`${what} (line ${position.line}, column ${position.column}).`, {
      code: 'sql_refused',
      reason: `E_SQL_${rule.toUpperCase()}`,
      ...(hint === undefined ? {} : { hint }),
    });
    this.name = 'SqlRefusal';
    this.rule = rule;
    this.position = position;
  }
}

/** Line and column of an offset in `text`. */
export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let lineStart = 0;
  for (let next = text.indexOf('\n'); next !== -1 && next < offset; next = text.indexOf('\n', next + 1)) {
    line += 1;
    lineStart = next + 1;
  }
  return { line, column: offset - lineStart + 1 };
}
