/** Declares where texts, names and comments begin and end in an engine's SQL. */

export interface Notation {
  /** Signs that enclose a text, and those that enclose a name. */
  readonly texts: string;
  readonly names: string;
  /** A backslash escapes inside every text, or inside those that begin with `E'`. */
  readonly escapes: 'always' | 'prefixed' | 'never';
  /** Three quotes enclose a text too, in which one or two of them end nothing. */
  readonly hasTripleQuotes?: boolean;
  readonly hasDollarQuotes: boolean;
  readonly hasNestedComments: boolean;
  /** A comment that ends with its line; a sticky expression. */
  readonly lineComment: RegExp;
}

export const LINE_COMMENT = /--[^\n]*/y;

/** As PostgreSQL writes. */
export const standardNotation: Notation = {
  texts: "'",
  names: '"',
  escapes: 'prefixed',
  hasDollarQuotes: true,
  hasNestedComments: true,
  lineComment: LINE_COMMENT,
};
