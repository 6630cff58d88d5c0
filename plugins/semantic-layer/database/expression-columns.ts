/** Finds the columns that an SQL expression of the layer reads, where that can be told without a parser. */

/** A reference, a text, a name in quotes, a plain name, a number, harmless signs, or anything else. */
const TOKEN =
  /\{[^{}]*\}|'(?:[^']|'')*'|"((?:[^"]|"")+)"|`([^`]+)`|([\p{L}_][\p{L}\p{N}_$]*)|\d[\d.]*(?:e[+-]?\d+)?|[\s+*/%,()<>=!|.-]|(.)/giu;
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_$]*$/u;
const QUOTED_NAME = /^(?:"((?:[^"]|"")+)"|`([^`]+)`)$/;
/** Signs with which a name may be something else: a parameter of a lambda, a type, a variable. */
const UNCLEAR_SIGNS = /->|=>|::|:=/;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const HARMLESS = words(
  'and or not is null in like between case when then else end true false distinct current_date current_time current_timestamp',
);
/** What follows or precedes these may be a type, a unit, a window or another table. */
const UNCLEAR = words(
  'select from as over filter interval collate escape at for using rows range within cast exists any all some div mod regexp rlike glob similar ilike unknown asc desc order by group having limit nulls first last binary separator exclude user rowid oid ctid lambda date time timestamp year month day hour minute second',
);

/** Names of columns in lower case; `undefined` where it is not certain that each of them is a column. */
export function columnsIn(sql: string): readonly string[] | undefined {
  const text = sql.trim();
  const [, double, back] = QUOTED_NAME.exec(text) ?? [];
  const quoted = double?.replaceAll('""', '"') ?? back;
  if (quoted !== undefined) return [quoted.toLowerCase()];
  if (PLAIN_NAME.test(text)) return [text.toLowerCase()];
  if (UNCLEAR_SIGNS.test(text)) return undefined;
  const names: string[] = [];
  for (const { 0: token, 1: inDouble, 2: inBack, 3: word, 4: other, index } of text.matchAll(TOKEN)) {
    // In double quotes some engines take a text.
    if (other !== undefined || inDouble !== undefined) return undefined;
    const next = text.slice(index + token.length).trimStart()[0];
    const name = (word ?? inBack)?.toLowerCase();
    if (name === undefined || next === '.' || next === '(' || next === "'") continue;
    if (word !== undefined && UNCLEAR.has(name)) return undefined;
    if (word === undefined || !HARMLESS.has(name)) names.push(name);
  }
  return names;
}
