/** Writes Snowflake's names and texts: names are equal to the letter, and those without quotes are in capital letters. */
import { snowflakeKeywords } from './keywords.ts';

/** Not with a dollar sign, of which two begin a text. */
const PLAIN_NAME = /^[A-Z_][A-Z0-9_]*$/;

/** Words that are no keywords, and yet mean more than a name in some places. */
const ELSEWHERE_MORE = new Set([
  'CONNECT_BY_ROOT',
  'DIRECTORY',
  'IDENTIFIER',
  'NEXTVAL',
  'PRIOR',
  'SEMANTIC_VIEW',
  'TOP',
]);

/** The name in quotes, whatever it is. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The name as it prints, in quotes where it would be another one without them. */
export const printName = (name: string): string =>
  PLAIN_NAME.test(name) && !snowflakeKeywords.has(name) && !ELSEWHERE_MORE.has(name) ? name : quoteName(name);

/** The text as it prints: a backslash escapes. */
export const printText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
