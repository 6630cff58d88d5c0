/** Repairs a statement that a model or its server has escaped, labelled or typeset. */

/** Texts in quotation marks, and outside of them signs that no SQL has: they show what was done to the statement. */
const FOREIGN = /'[^']*(?:'|$)|"[^"]*(?:"|$)|\\[nrt]|[‘’“”]|&(?:lt|gt|amp|quot|apos|#39);/g;
const ESCAPED_QUOTE = /\\['"]/;
const LABEL = /^\s*(?:sql(?:ite|ite3)?|sql[ _]?query|query|statement)\s*[:>]\s*(?=\w)/i;

const PLAIN: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
};

/** Texts inside quotation marks stay as they are, unless entities outside show that all of it was escaped. */
export function repairedSql(sql: string): string {
  // Where its texts end depends on the dialect.
  if (ESCAPED_QUOTE.test(sql)) return sql;
  const unlabelled = sql.replace(LABEL, '');
  let isEscaped = false;
  const repaired = unlabelled.replace(FOREIGN, (found) => {
    if (/^['"]/.test(found)) return found;
    if (found.startsWith('\\')) return ' ';
    isEscaped ||= found.startsWith('&');
    return PLAIN[found] ?? found;
  });
  return isEscaped ? withoutEntities(repaired) : repaired;
}

/** A text whose signs were escaped as in HTML. */
export const withoutEntities = (text: string) =>
  text.replace(/&(?:lt|gt|amp|quot|apos|#39);/g, (name) => PLAIN[name] ?? name);
