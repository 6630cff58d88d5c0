/** Finds the text that a problem of a file is about. */
import type { Text } from '@codemirror/state';

/** A place of a file; both count from 1. */
export interface FilePlace {
  readonly line: number;
  readonly column: number;
}

/** From the place to the end of its word, else of its line; in a text that has become shorter, its last line. */
export function rangeOf(text: Text, { line, column }: FilePlace): { readonly from: number; readonly to: number } {
  const found = text.line(Math.min(Math.max(1, line), text.lines));
  const from = Math.min(found.from + Math.max(0, column - 1), found.to);
  const [word = ''] = /^[^\s:,{}[\]]*/.exec(text.sliceString(from, found.to)) ?? [];
  if (word !== '') return { from, to: from + word.length };
  return from < found.to ? { from, to: found.to } : { from: found.from, to: found.to };
}
