/** Separates how a question was read from the text of its answer. */

const LINE = /(?:^|\n)Read as: ([^\n]+?)\.?\s*$/;

export interface ReadAnswer {
  readonly text: string;
  /** What was read, part by part: the measure, the grouping, the period, the filters. */
  readonly readAs: readonly string[];
}

/** At commas that are not within parentheses or quotes. */
function partsOf(line: string): string[] {
  return (line.match(/(?:\([^)]*\)|"[^"]*"|[^,("]|["(])+/g) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function readAnswer(text: string): ReadAnswer {
  const found = LINE.exec(text);
  if (found === null) return { text, readAs: [] };
  return { text: text.slice(0, found.index).trimEnd(), readAs: partsOf(found[1] ?? '') };
}
