/** The text, at most `longest` UTF-16 units of it: one that is longer ends with "…", and with no half of a character before. */
export const truncate = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
