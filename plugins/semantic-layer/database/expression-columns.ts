/** Finds the columns that an SQL expression of the layer reads, when that is certain without a parser. */

/** A reference, a string, a quoted name, a plain name, a number, harmless symbols, or anything else. */
const TOKEN =
  /\{[^{}]*\}|'(?:[^']|'')*'|"((?:[^"]|"")+)"|`([^`]+)`|([\p{L}_][\p{L}\p{N}_$]*)|\d[\d.]*(?:e[+-]?\d+)?|[\s+*/%,()<>=!|.-]|(.)/giu;
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_$]*$/u;
const QUOTED_NAME = /^(?:"((?:[^"]|"")+)"|`([^`]+)`)$/;
/** Symbols next to which a name may be something other than a column: a lambda parameter, a type, a variable. */
const AMBIGUOUS_SYMBOLS = /->|=>|::|:=/;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const HARMLESS = words(
  'and or not is null in like between case when then else end true false distinct current_date current_time current_timestamp',
);
/** Words next to which a name may be a type, a unit, a window or another table. */
const AMBIGUOUS = words(
  'select from as over filter interval collate escape at for using rows range within cast exists any all some div mod regexp rlike glob similar ilike unknown asc desc order by group having limit nulls first last binary separator exclude user rowid oid ctid lambda date time timestamp year month day hour minute second',
);

/** Column names in lower case; `undefined` when it is not certain that each name is a column. */
export function columnsIn(sql: string): readonly string[] | undefined {
  const text = sql.trim();
  const [, double, back] = QUOTED_NAME.exec(text) ?? [];
  const quoted = double?.replaceAll('""', '"') ?? back;
  if (quoted !== undefined) return [quoted.toLowerCase()];
  if (PLAIN_NAME.test(text)) return [text.toLowerCase()];
  if (AMBIGUOUS_SYMBOLS.test(text)) return undefined;
  const names: string[] = [];
  for (const { 0: token, 1: inDouble, 2: inBack, 3: word, 4: other, index } of text.matchAll(TOKEN)) {
    // Some engines read double quotes as a string.
    if (other !== undefined || inDouble !== undefined) return undefined;
    const next = text.slice(index + token.length).trimStart()[0];
    const name = (word ?? inBack)?.toLowerCase();
    if (name === undefined || next === '.' || next === '(' || next === "'") continue;
    if (word !== undefined && AMBIGUOUS.has(name)) return undefined;
    if (word === undefined || !HARMLESS.has(name)) names.push(name);
  }
  return names;
}
