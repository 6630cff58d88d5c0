/** Recognizes a reply that is nothing but a query: what models answer that do not know how to call a tool. */
import type { WrittenCall } from './call-shapes.ts';

/** The tool that runs queries. */
export const QUERY_TOOL = 'executeSQL';

const FENCED = /```(?:sql\w*|sqlite|postgres\w*|mysql|duckdb)[ \t]*\r?\n([\s\S]*?)(?:```|$)/gi;
const QUERY = /^(?:--[^\n]*\n\s*)*(?:select|with)\s[\s\S]*\bfrom\s/i;

/** Whether a question asks for a query instead of its result. */
export const asksForQuery = (question: string): boolean =>
  /\b(?:sql|query|queries|statement|abfrage)\b/i.test(question);

/** Whether a text may be a query, by its beginning. */
export const QUERY_BEGINNING = /^(?:```(?:sql\w*|sqlite|postgres\w*|mysql|duckdb)\s|(?:select|with)\s)/i;

/** The calls that run the queries of a reply: one without a fence, or those in fences. */
export function writtenQuery(text: string): readonly WrittenCall[] {
  const fences = [...text.matchAll(FENCED)].map(([, sql = '']) => sql.trim());
  const bare = text.trim();
  const queries = fences.length > 0 ? fences : isBare(bare) ? [bare] : [];
  // Of several statements the model has to choose.
  const [only] = queries;
  return queries.length === 1 && only !== undefined && QUERY.test(only)
    ? [{ name: QUERY_TOOL, args: { sql: only } }]
    : [];
}

/** No prose behind it. */
const isBare = (text: string) =>
  QUERY.test(text) && !/\n\s*\n\s*[A-Z][a-z]+\s[a-z]/.test(text) && !/[.!?:]$/.test(text);
