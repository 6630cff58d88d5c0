/** Reads from the server's plan how many rows a statement would read. */

/** One line of EXPLAIN, in the order in which the tables of a SELECT are joined. */
export type PlanLine = Readonly<Record<string, unknown>>;

const REPEATED = /^(?:DEPENDENT|UNCACHEABLE|LATERAL)/;

const LIMIT = / LIMIT \d{1,15}(?: OFFSET \d{1,15})?(?=$|\))/g;

/**
 * The statement to ask about as well, where the plan counts a scan along an index as the rows of LIMIT, however many a
 * condition or a join passes over. `undefined`: there is no need.
 */
export function withoutLimit(sql: string, lines: readonly PlanLine[]): string | undefined {
  const lower = lines.some(
    ({ type, Extra: extra, id }) =>
      type === 'index' && (/Using where/.test(String(extra)) || lines.filter((line) => line.id === id).length > 1),
  );
  const longer = sql.replace(LIMIT, '');
  return lower && longer !== sql ? longer : undefined;
}

/** `undefined` for a recursion. */
export function rowsOfPlan(lines: readonly PlanLine[]): number | undefined {
  if (lines.some(({ select_type: kind }) => /RECURSIVE/.test(String(kind)))) return undefined;
  const selects = [...Map.groupBy(lines, ({ id }) => id).values()].map(rowsOfSelect);
  // The first SELECT is the outermost; what depends on its rows runs for each of them.
  const outer = Math.max(1, selects[0]?.given ?? 1);
  return selects.reduce((sum, { read, isRepeated }) => sum + (isRepeated ? outer * read : read), 0);
}

function rowsOfSelect(lines: readonly PlanLine[]) {
  let read = 0;
  let given = 1;
  for (const { table, rows, filtered } of lines) {
    const found = Number(rows ?? 0);
    // What the statement itself has made was counted when it was made.
    const isOwn = String(table ?? '').startsWith('<');
    if (!isOwn || given > 1) read += given * found;
    if (rows !== null && rows !== undefined) given *= Math.max(1, (found * Number(filtered ?? 100)) / 100);
  }
  return { read, given, isRepeated: REPEATED.test(String(lines[0]?.select_type)) };
}
