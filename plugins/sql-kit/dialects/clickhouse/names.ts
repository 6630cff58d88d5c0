/** Writes ClickHouse's names and texts. */
import { clickhouseKeywords } from './keywords.ts';

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Words without quotes that are no name for the engine. */
const CONSTANTS = new Set(['TRUE', 'FALSE', 'INF', 'NAN']);

/** How names begin that the guard gives; no statement may hold one. */
export const OWN_PREFIX = '__atlas_';

const escaped = (text: string, quote: string) => quote + text.replace(/[\\'`"]/g, '\\$&') + quote;

/** The name in backticks, whatever it is. */
export const backticked = (name: string): string => escaped(name, '`');

/** The name as it prints, in backticks where needed. */
export function printName(name: string): string {
  const upper = name.toUpperCase();
  return PLAIN_NAME.test(name) && !clickhouseKeywords.has(upper) && !CONSTANTS.has(upper) ? name : backticked(name);
}

/** The text as it prints: a backslash escapes. */
export const printText = (text: string): string => escaped(text, "'");
