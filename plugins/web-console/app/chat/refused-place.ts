/** Finds the place in a statement that its refusal names: "(line 1, column 8)". */

export interface RefusedPlace {
  readonly before: string;
  readonly marked: string;
  readonly after: string;
}

const PLACE = /\(line (\d{1,9}), column (\d{1,9})\)/;
/** A word, a quoted name or text, or one sign. */
const WORD = /[\p{L}\p{N}_$]+|"[^"\n]*"|`[^`\n]*`|'[^'\n]*'|./uy;

/** `undefined` where the error names no place, or one that is not in the statement. */
export function refusedPlace(sql: string, error: string): RefusedPlace | undefined {
  const [, line, column] = PLACE.exec(error) ?? [];
  const lines = sql.split('\n').slice(0, Number(line));
  const last = lines.length === Number(line) ? lines.pop() : undefined;
  if (last === undefined || !(Number(column) >= 1 && Number(column) <= last.length)) return undefined;
  const start = lines.reduce((sum, text) => sum + text.length + 1, 0) + Number(column) - 1;
  WORD.lastIndex = start;
  const marked = WORD.exec(sql)?.[0];
  return marked === undefined
    ? undefined
    : { before: sql.slice(0, start), marked, after: sql.slice(start + marked.length) };
}
