/** Keeps commands that read no rows away from a server. */
import { notReading, statementFailed } from './errors.ts';

/** A select with its common table expressions, in brackets or not; `TABLE t` and `VALUES` are selects too. */
const READS = /^[\s(]*(?:SELECT|WITH|VALUES|TABLE)\b/i;

/** The last check, after the guard's, of a text that goes to a server. It decides nothing about tables. Throws `sql_refused`. */
export function assertReads(sql: string): void {
  refuseNullByte(sql);
  if (!READS.test(sql)) throw notReading();
}

/** A null byte ends the text early in the protocol or the parser of most engines. */
export function refuseNullByte(sql: string): void {
  if (sql.includes('\0')) throw statementFailed('The statement holds a null byte.');
}
