/** Repairs a statement that a model or its server has escaped, labelled or typeset. */
import { withoutEntities } from '../../model-kit/index.ts';
import { type Notation, partAt } from '../../sql-kit/index.ts';

/** What no SQL has outside of texts, quoted names and comments: it shows what was done to the statement. */
const FOREIGN = /\\[nrt]|[‘’“”]/y;
const ENTITY = /&(?:lt|gt|amp|quot|apos|#39);/y;
const LABEL = /^\s*(?:sql(?:ite|ite3)?|sql[ _]?query|query|statement)\s*[:>]\s*(?=\w)/i;

const TYPESET: Readonly<Record<string, string>> = { '‘': "'", '’': "'", '“': '"', '”': '"' };

/**
 * What a statement that cannot be read was meant to be. Texts, quoted names and comments stay as they are, unless
 * entities outside of them show that all of it was escaped.
 */
export function repairedSql(sql: string, notation: Notation): string {
  const unlabelled = sql.replace(LABEL, '');
  const whole = without(ENTITY, unlabelled, notation) === unlabelled ? unlabelled : withoutEntities(unlabelled);
  return without(FOREIGN, whole, notation);
}

/** The statement with plain signs for those that `foreign` finds where no other part begins. */
function without(foreign: RegExp, sql: string, notation: Notation): string {
  if (sql.search(foreign.source) === -1) return sql;
  let result = '';
  for (let at = 0; at < sql.length; ) {
    foreign.lastIndex = at;
    const [found] = foreign.exec(sql) ?? [];
    const end = found === undefined ? partAt(sql, at, notation).end : at + found.length;
    result += found === undefined ? sql.slice(at, end) : (TYPESET[found] ?? ' ');
    at = end;
  }
  return result;
}
