/** Recognizes a reply that is nothing but a query: what models answer that do not know how to call a tool. */
import type { WrittenCall } from './call-shapes.ts';

/** The tool that runs queries. */
export const QUERY_TOOL = 'executeSQL';

const LANGUAGE = '(?:sql\\w*|sqlite|postgres\\w*|mysql|duckdb)';
const COMMENTS = '(?:--[^\\n]*\\n\\s*|/\\*[^*]{0,200}\\*/\\s*)*';
const FENCED = new RegExp(`(?:\`\`\`|~~~)${LANGUAGE}?[ \\t]*\\r?\\n([\\s\\S]*?)(?:\`\`\`|~~~|$)`, 'gi');
const QUERY = new RegExp(`^${COMMENTS}(?:select|with)\\s[\\s\\S]*\\bfrom\\s`, 'i');
/** `SQL:`, `**SQL query:**`, `<sql>`, a backquote. */
const LABEL = '[*]{0,2}sql ?(?:query|statement)?[*]{0,2}:[*]{0,2}\\s*';
const OPENING = '(?:<(?:sql|query)>\\s*|`)';
const LABELLED = new RegExp(`^(?:${LABEL})?${OPENING}?`, 'i');
const CLOSING = /(?:<\/(?:sql|query)>|`|\n\s{0,8}SQL ?Result:)$/i;
/** A statement inside of prose; `select a plan from the list` is none. */
const INSIDE = /\bselect\s+(?:distinct\s+)?(?:\*|["`\w.]+\s*(?:[(,]|\b(?:as|from)\b))[\s\S]{0,1000}?\bfrom\s/i;

/** Whether a question asks for a query instead of its result. */
export const asksForQuery = (question: string): boolean =>
  /\b(?:sql|query|queries|statement|abfrage)\b/i.test(question);

/** How a query in a fence begins, and one without; and what may become either. */
export const FENCED_QUERY = new RegExp(`^(?:\`\`\`|~~~)(?:${LANGUAGE}\\s|\\s*${COMMENTS}(?:select|with)\\s)`, 'i');
export const BARE_QUERY = new RegExp(`${LABELLED.source}(?:select|with)\\s`, 'i');
const FENCE_BEGUN = /^(?:`{1,3}|~{1,3})(?:\w{0,10}|\s*(?:--[^\n]*\s*)?\w{0,6})$/;
export const QUERY_BEGUN = new RegExp(
  `${FENCE_BEGUN.source}|^\\w{1,6}$|^(?:[*]{1,2}\\w{0,3}|<\\w{0,5}>?|[*]{0,2}sql ?\\w{0,9}[*:]{0,5})\\s*(?:<\\w{0,5}>?|\`)?\\w{0,6}$`,
  'i',
);

/** Whether a reply that is shown has a query in it which should have been run. */
export const holdsQuery = (text: string): boolean => INSIDE.test(text);

/** The calls that run the queries of a reply: one without a fence, or those in fences. Of several the model has to choose. */
export function writtenQueries(text: string): readonly WrittenCall[] {
  const fences = [...text.matchAll(FENCED)].map(([, sql = '']) => sql.trim());
  const bare = text.trim().replace(LABELLED, '').replace(CLOSING, '').trim();
  const queries = fences.length > 0 ? fences.filter((sql) => QUERY.test(sql)) : isBare(bare) ? [bare] : [];
  return queries.map((sql) => ({ name: QUERY_TOOL, args: { sql } }));
}

/** No prose behind it. */
const isBare = (text: string) =>
  QUERY.test(text) && !/\n\s*\n\s*[A-Z][a-z]+\s[a-z]/.test(text) && !/[.!?:]$/.test(text);
