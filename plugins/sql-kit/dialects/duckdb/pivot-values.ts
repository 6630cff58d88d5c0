/** Gives a PIVOT that names no values those that its column has, which a separate statement reads. */
import type { Grammar } from '../../parse/cursor.ts';
import { positionAt, SqlRefusal } from '../../parse/errors.ts';
import { type LexLimits, lex, type Token } from '../../parse/lexer.ts';
import { parseWith } from '../../parse/select.ts';
import { cursorOver } from '../../parse/statement.ts';
import type { ReadValues } from '../sql-dialect.ts';
import { MAX_PIVOT_COLUMNS, parseOpenPivot } from './pivot.ts';

/** Columns without values in one statement: each is read by a statement. */
const MAX_OPEN = 4;

/**
 * The statement with `IN (…)` in each PIVOT that has none. `read` has to run its statements as those of the same person,
 * checked like any other: then only values of rows that the person sees become columns. The result is still to be
 * checked. Throws `SqlRefusal`.
 */
export async function withPivotValues(
  text: string,
  dialect: Grammar,
  limits: LexLimits,
  read: ReadValues,
): Promise<string> {
  let named = text;
  let found = 0;
  for (;;) {
    const open = openPivot(named, dialect, limits);
    if (open === undefined) return named;
    const { common, source, columns } = open;
    found += columns.length;
    if (found > MAX_OPEN) throw refusal(named, source[0], `PIVOT has more than ${MAX_OPEN} columns without values`);
    const parts: string[] = [];
    let done = 0;
    for (const [start, end] of columns) {
      const written = named.slice(start, end);
      const column = `CAST(${written} AS VARCHAR)`;
      const from = `FROM ${named.slice(...source)} WHERE (${written}) IS NOT NULL`;
      const limit = MAX_PIVOT_COLUMNS + 1;
      const { values, isAll } = await read(`${common}SELECT DISTINCT ${column} ${from} ORDER BY 1 LIMIT ${limit}`);
      const problem = problemOf(values, isAll);
      if (problem !== undefined) throw refusal(named, start, problem);
      const list = values.map((value) => `'${String(value).replaceAll("'", "''")}'`).join(', ');
      parts.push(named.slice(done, start), `${column} IN (${list})`);
      done = end;
    }
    named = parts.join('') + named.slice(done);
  }
}

function problemOf(values: readonly unknown[], isAll: boolean): string | undefined {
  if (values.length === 0) return 'PIVOT finds no value that could become a column';
  if (isAll && values.length <= MAX_PIVOT_COLUMNS) return undefined;
  return 'PIVOT finds more values than can become columns';
}

const refusal = (text: string, at: number, what: string) =>
  new SqlRefusal('syntax', what, positionAt(text, at), "Name the values: PIVOT … ON column IN ('a', 'b') USING ….");

/**
 * The first PIVOT without values, with the WITH that stands before it. Only one that is the statement itself or stands
 * alone in parentheses outside of every WITH: elsewhere its source may mean something else than by itself.
 */
function openPivot(text: string, dialect: Grammar, limits: LexLimits) {
  const tokens = lex(text, dialect, limits);
  if (!tokens.some(isPivot)) return undefined;
  const cursor = cursorOver(text, tokens, dialect);
  if (cursor.accept('WITH')) parseWith(cursor);
  const begin = tokens.indexOf(cursor.token);
  const common = text.slice(tokens[0]!.start, tokens[begin]!.start);
  for (let index = begin; index < tokens.length; index += 1) {
    if (!isPivot(tokens[index]!) || !(index === begin || tokens[index - 1]!.value === '(')) continue;
    if (tokens.slice(begin, index).some(({ keyword }) => keyword === 'WITH')) return undefined;
    const open = parseOpenPivot(cursorOver(text, tokens.slice(index), dialect));
    if (open !== undefined) return { common, ...open };
  }
  return undefined;
}

const isPivot = ({ keyword }: Token) => keyword === 'PIVOT';
