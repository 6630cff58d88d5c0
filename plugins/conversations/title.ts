/** Makes the title of a conversation of its first question. */
const TITLE_LENGTH = 80;
/** More than a title can need, so that a long question takes no longer. */
const READ_LENGTH = 2_000;

/** The text on one line. PostgreSQL stores no NUL and no halves of characters. */
export const oneLine = (text: string) =>
  text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();

/** The question on one line, cut after a word. */
export function titleOf(question: string): string {
  const line = oneLine(question.slice(0, READ_LENGTH));
  const characters = Array.from(line);
  if (characters.length <= TITLE_LENGTH && question.length <= READ_LENGTH) return line;
  const start = characters.slice(0, TITLE_LENGTH).join('');
  const blank = start.lastIndexOf(' ');
  return `${(blank > TITLE_LENGTH / 2 ? start.slice(0, blank) : start).trimEnd()}…`;
}
