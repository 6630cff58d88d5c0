/** Makes the title of a conversation of its first question. */
const TITLE_LENGTH = 80;
/** More than a title can need, so that a long question takes no longer. */
const READ_LENGTH = 2_000;

/** The question on one line, cut after a word. PostgreSQL stores no NUL and no halves of characters. */
export function titleOf(question: string): string {
  const line = question
    .slice(0, READ_LENGTH)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  if (characters.length <= TITLE_LENGTH && question.length <= READ_LENGTH) return line;
  const start = characters.slice(0, TITLE_LENGTH).join('');
  const blank = start.lastIndexOf(' ');
  return `${(blank > TITLE_LENGTH / 2 ? start.slice(0, blank) : start).trimEnd()}…`;
}
