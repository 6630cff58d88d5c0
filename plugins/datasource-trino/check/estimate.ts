/** Reads from the plan of `EXPLAIN (TYPE DISTRIBUTED, FORMAT JSON)` how many rows a statement would read. */

interface PlanNode {
  readonly name: string;
  readonly estimates?: readonly { readonly outputRowCount?: unknown }[];
  readonly children?: readonly unknown[];
}

const isNode = (value: unknown): value is PlanNode =>
  typeof value === 'object' && value !== null && typeof (value as PlanNode).name === 'string';

/**
 * The rows of all tables that are scanned, before they are filtered, or those of the step that makes most of them.
 * `undefined` where the engine has no statistics of a table.
 */
export function estimatedRows(answer: unknown): number | undefined {
  let scanned = 0;
  let most = 0;
  const visit = (node: unknown): void => {
    if (!isNode(node)) throw new TypeError('It is no plan.');
    const rows = (node.estimates ?? []).map(({ outputRowCount }) => Number(outputRowCount));
    const known = rows.filter((count) => Number.isFinite(count));
    if (/^(?:TableScan|Scan)/.test(node.name)) scanned += known.length === 0 ? Number.NaN : Math.max(...known);
    most = Math.max(most, ...known);
    node.children?.forEach(visit);
  };
  try {
    const plan: unknown = JSON.parse(String(answer));
    // One plan, or one for each fragment.
    for (const part of isNode(plan) ? [plan] : Object.values(plan as object)) visit(part);
  } catch {
    return undefined;
  }
  return Number.isNaN(scanned) ? undefined : Math.ceil(Math.max(scanned, most));
}
