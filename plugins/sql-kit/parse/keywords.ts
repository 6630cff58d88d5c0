/** Makes the keywords of a dialect of lists of words. */
import type { KeywordUse } from './cursor.ts';

/** `lists`: words in capital letters with white space between them, and their use. The last use of a word counts. */
export const keywordMap = (
  ...lists: readonly (readonly [words: string, use: KeywordUse])[]
): ReadonlyMap<string, KeywordUse> =>
  new Map(
    lists.flatMap(([words, use]) =>
      words
        .trim()
        .split(/\s+/)
        .map((word): [string, KeywordUse] => [word, use]),
    ),
  );
