import { describe, expect, test } from 'vitest';
import { CodeFilter, withoutCode } from './code-filter.ts';

const HIDDEN = '(SQL is not shown to you.)\n';

/** The same text in pieces of every length. */
function inPieces(text: string): Set<string> {
  const lengths = Array.from({ length: text.length }, (_, index) => index + 1);
  return new Set(
    lengths.map((length) => {
      const filter = new CodeFilter();
      const pieces = Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
        text.slice(at * length, (at + 1) * length),
      );
      return pieces.map((piece) => filter.add(piece)).join('') + filter.end();
    }),
  );
}

describe('a text without its code blocks', () => {
  test.each([
    ['There are 3 `orders`.\nAnd more.', 'There are 3 `orders`.\nAnd more.'],
    ['So:\n```sql\nSELECT 1\n```\nDone.', `So:\n${HIDDEN}Done.`],
    ['~~~\nSELECT 1\n~~~', HIDDEN],
    ['  ```\nSELECT 1', HIDDEN],
    ['``` SELECT 1 FROM t', HIDDEN],
    ['a\n```\nSELECT 1\n```\nb\n```\nSELECT 2\n```\n', `a\n${HIDDEN}b\n${HIDDEN}`],
    ['```sql\n~~~\nSELECT 1\n```\nb', `${HIDDEN}b`],
    ['````\n```\nSELECT 1\n````  \nb', `${HIDDEN}b`],
    ['> ```sql\n> SELECT 1\n> ```\nb', `${HIDDEN}b`],
    ['- ```sql\n  SELECT 1\n  ```\n- b', `${HIDDEN}- b`],
    ['1. ```\nSELECT 1', HIDDEN],
    ['```x``` is code\nb', '```x``` is code\nb'],
    ['``x``\n', '``x``\n'],
    ['  ``', '  ``'],
    ['a ```b```', 'a ```b```'],
    ['', ''],
    ['So:\n\n    SELECT id\n    FROM orders\n\n    WHERE x\n\nDone.', `So:\n\n${HIDDEN}\n\nDone.`],
    [`\n${' '.repeat(200)}SELECT 1\nb`, `\n${HIDDEN}b`],
    ['\tselect 1', HIDDEN],
    ['1. One\n\n    It goes on.\n\n    - two\n', '1. One\n\n    It goes on.\n\n    - two\n'],
    ['I ran\n    with care', 'I ran\n    with care'],
    ['I ran `SELECT id FROM orders` for it.', 'I ran (SQL is not shown to you) for it.'],
    ['``select `id` from t``, `status` and `a', '(SQL is not shown to you), `status` and `a'],
    ['```FROM t SELECT id```\nb', '(SQL is not shown to you)\nb'],
    ['`WITH x AS (SELECT 1)\n`b`', '(SQL is not shown to you)\n`b`'],
    ["It's `selected` from `from`.", "It's `selected` from `from`."],
  ])('%j', (text, shown) => {
    expect(withoutCode(text)).toBe(shown);
    if (text !== '') expect(inPieces(text)).toEqual(new Set([shown]));
  });

  test('a code block after an end is none of its line', () => {
    const filter = new CodeFilter();
    expect([filter.add('Let me look'), filter.end(), filter.add('```sql\nSELECT 1\n```\nb'), filter.end()]).toEqual([
      'Let me look',
      '',
      `${HIDDEN}b`,
      '',
    ]);
  });

  test('prose is passed on as it comes', () => {
    const filter = new CodeFilter();
    expect(['The', ' answer', ' is\n', '`', 'x` and', ' more'].map((piece) => filter.add(piece))).toEqual([
      'The',
      ' answer',
      ' is\n',
      '',
      '`x` and',
      ' more',
    ]);
  });
});
