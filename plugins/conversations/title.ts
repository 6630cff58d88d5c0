const TITLE_LENGTH = 80;

/** The question on one line, cut after a word. */
export function titleOf(question: string): string {
  const line = question.replaceAll(/\s+/g, ' ').trim();
  const characters = Array.from(line);
  if (characters.length <= TITLE_LENGTH) return line;
  const start = characters.slice(0, TITLE_LENGTH).join('');
  const blank = start.lastIndexOf(' ');
  return `${(blank > TITLE_LENGTH / 2 ? start.slice(0, blank) : start).trimEnd()}…`;
}
