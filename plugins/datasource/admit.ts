import { notReading, statementFailed } from './errors.ts';

/** A select with its common table expressions, in brackets or not; `TABLE t` and `VALUES` are selects too. */
const READS = /^[\s(]*(?:SELECT|WITH|VALUES|TABLE)\b/i;

/**
 * The last look at a text before it goes to a server, behind the guard's. It decides nothing about tables: it keeps
 * back commands that are no statements over rows. Throws `sql_refused`.
 */
export function admit(sql: string): string {
  refuseNullByte(sql);
  if (!READS.test(sql)) throw notReading();
  return sql;
}

/** A null byte ends the text early in the protocol or the parser of most engines. */
export function refuseNullByte(sql: string): void {
  if (sql.includes('\0')) throw statementFailed('The statement holds a null byte.');
}
