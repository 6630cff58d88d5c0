/**
 * Refuses names of tables that BigQuery may take for something else: `hr.people` is an array of the row of whatever goes by
 * the name "hr" around it, and a table of the dataset "hr" only where nothing does.
 */
import { fold } from '../../ast/names.ts';
import type { Select } from '../../ast/tree.ts';
import { positionAt, SqlRefusal } from '../../parse/errors.ts';
import type { ReadableTables } from '../readable-table.ts';

interface Node {
  readonly kind?: unknown;
  readonly schema?: unknown;
  readonly name?: unknown;
  readonly alias?: unknown;
  readonly at?: unknown;
}

export function settlePaths(statement: Select, _: ReadableTables, text: string): void {
  const datasets: { readonly name: string; readonly index: number }[] = [];
  const sources: { readonly name: string; readonly at: number; readonly start: number; readonly end: number }[] = [];
  let count = 0;
  const visit = (node: Node): void => {
    const start = count;
    count += 1;
    const { kind, schema, name, alias, at } = node;
    if (kind === 'table' && typeof schema === 'string') {
      datasets.push({ name: fold(schema.split('.')[0]!), index: start });
    }
    for (const [key, inner] of Object.entries(node)) {
      // A bound value is no node.
      if (typeof inner === 'object' && inner !== null && key !== 'bound') visit(inner);
    }
    const own = alias ?? (kind === 'table' ? name : undefined);
    if (typeof own === 'string') sources.push({ name: fold(own), at: Number(at ?? 0), start, end: count });
  };
  visit(statement);
  for (const { name, index } of datasets) {
    // What stands inside a source does not see it.
    const taken = sources.find((one) => one.name === name && (index < one.start || index >= one.end));
    if (taken === undefined) continue;
    const what = `"${name}" is the name of a dataset that is read, and of something else`;
    throw new SqlRefusal('table', what, positionAt(text, taken.at), 'Choose another alias.');
  }
}
