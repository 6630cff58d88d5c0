/** Reads which tables the tree of a statement names. */

/** What stands behind the name of a table. */
const MODIFIERS =
  /(?:, final: [01]|, sample_size: \d+(?: \/ \d+)?|, sample_offset: \d+(?: \/ \d+)?|, temporary_table_name: .*)+$/;

/** What a SELECT without FROM reads: one row. */
export const ONE_ROW = 'system.one';

export const isTable = (line: string) => /^ *TABLE id: /.test(line);

/** The full name of the line's table; `undefined` for a line from which it cannot be told. */
export function tableIn(line: string): string | undefined {
  const named = line.split(', table_name: ');
  return named.length === 2 ? named[1]?.replace(MODIFIERS, '') : undefined;
}
