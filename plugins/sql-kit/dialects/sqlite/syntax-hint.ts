/** Suggests what to write instead of syntax that SQLite lacks. */
import type { Token } from '../../parse/lexer.ts';

const AFTER: Readonly<Record<string, string>> = {
  INTERVAL: "Write intervals as modifiers: date(column, '-1 month').",
  DATE: "Write a date as text: '2024-01-31'.",
  TIMESTAMP: "Write a timestamp as text: '2024-01-31 12:00:00'.",
  TOP: 'Write LIMIT at the end of the statement.',
  FETCH: 'Write LIMIT n.',
  QUALIFY: 'Filter the window function in an outer query.',
  LATERAL: 'Use a correlated subquery or a window function.',
};

const AT: Readonly<Record<string, string>> = {
  ILIKE: 'Write LIKE, which ignores the case of ASCII letters here.',
  SIMILAR: 'Write LIKE or GLOB.',
  FETCH: 'Write LIMIT n.',
  TOP: 'Write LIMIT at the end of the statement.',
  QUALIFY: 'Filter the window function in an outer query.',
  ROLLUP: 'Write one SELECT per level with UNION ALL.',
  INTERVAL: "Write intervals as modifiers: date(column, '-1 month').",
  INTO: 'Only reading statements run here.',
  RETURNING: 'Only reading statements run here.',
};

const DATE_PARTS = new Set('YEAR QUARTER MONTH WEEK DAY DOW DOY HOUR MINUTE SECOND EPOCH'.split(' '));

/** What other dialects write here, and what to write instead. */
export function syntaxHint(before: Token | undefined, found: Token): string | undefined {
  if (found.kind === 'word') {
    const hint = AT[found.value.toUpperCase()];
    if (hint !== undefined) return hint;
  }
  if (found.keyword === 'FROM' && before !== undefined && DATE_PARTS.has(before.value.toUpperCase())) {
    return "To take a part of a date, write strftime('%Y', column), '%m' or '%d'.";
  }
  return before?.kind === 'word' ? AFTER[before.value.toUpperCase()] : undefined;
}
