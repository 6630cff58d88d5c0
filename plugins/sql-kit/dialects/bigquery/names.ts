/** Writes GoogleSQL's names, texts and binary values. */
import { bigqueryKeywords } from './keywords.ts';

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The name in backticks, whatever it is. */
export const backticked = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``;

/** The name as it prints, in backticks where needed. */
export const printName = (name: string): string =>
  PLAIN_NAME.test(name) && !bigqueryKeywords.has(name.toUpperCase()) ? name : backticked(name);

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text as it prints: a backslash escapes, and no line ends in it. */
export function printText(text: string): string {
  const escaped = text.replace(/[\\']/g, '\\$&').replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g,
    (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `'${escaped}'`;
}

/** `hex`: two digits for each byte. */
export const printBytes = (hex: string): string => `b'${hex.replace(/../g, '\\x$&')}'`;
