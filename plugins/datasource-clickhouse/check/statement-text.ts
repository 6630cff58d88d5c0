/** Looks at the words of a statement that goes to the server: names, texts and places for values. */
import { statementFailed } from '../../datasource-kit/index.ts';

/** Texts, names in quotes, comments, places for values, and anything else. */
const TOKENS =
  /'(?:[^'\\]|\\[\s\S]|'')*'|([`"])(?:(?!\1)[^\\]|\\[\s\S]|\1\1)*\1|--[^\n]*|\/\*[\s\S]*?\*\/|\{\s*(\w+)\s*:\s*([^{}]*)\}/g;

/** Quotes and backslashes in a name, which the engine writes as they are. */
const HARMLESS = /\\[\\'"`]/g;

/**
 * Throws for a name in quotes that holds a control character or an escape, but for those of quotes. The engine writes
 * names as they are into the tree that the second check reads line by line, so such a name could look like a line of it.
 * Texts are escaped there.
 */
export function assertPlainNames(sql: string): void {
  for (const [token, quote, , type = ''] of sql.matchAll(TOKENS)) {
    if (quote !== undefined && /\\|[\p{Cc}\p{Zl}\p{Zp}]/u.test(token.replace(HARMLESS, ''))) {
      throw statementFailed('A name in the statement holds a control character or an escape', 'Use another name.');
    }
    if (/identifier/i.test(type)) {
      throw statementFailed('A name cannot be bound as a value', 'Write the name of the table or column itself.');
    }
  }
}

/** The statement with places that take NULL for the values that are. `nulls`: names of places. */
export function withNullable(sql: string, nulls: ReadonlySet<string>): string {
  if (nulls.size === 0) return sql;
  return sql.replace(TOKENS, (token, _quote: string, name: string | undefined, type: string | undefined) =>
    name !== undefined && nulls.has(name) && type?.trim() === 'String' ? `{${name}:Nullable(String)}` : token,
  );
}
