/** Separates how a question was read from the text of its answer. */

const BEGINNING = 'Read as: ';

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
  const whole = text.trimEnd();
  const at = whole.lastIndexOf('\n') + 1;
  if (!whole.startsWith(BEGINNING, at)) return { text, readAs: [] };
  const line = whole.slice(at + BEGINNING.length);
  return { text: whole.slice(0, at).trimEnd(), readAs: partsOf(line.endsWith('.') ? line.slice(0, -1) : line) };
}
