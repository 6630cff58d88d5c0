/** Works out of the tree of a statement how many rows its joins make. */
import { isTable, tableIn } from './tree-tables.ts';

/** A line of the tree with those below it: a part of the statement, or the heading of some. */
interface TreeNode {
  readonly text: string;
  readonly children: TreeNode[];
}

/** The most rows that a join gives that compares each row with each. `sizeOf`: rows of one table by its full name. */
export function mostOfJoins(lines: readonly string[], sizeOf: (table: string) => number): number {
  let most = 0;
  /** Rows that a part gives. */
  const given = (node: TreeNode | undefined): number => {
    if (node === undefined) return 1;
    const { text, children } = node;
    const under = (heading: string) => children.find((child) => child.text === heading)?.children ?? [];
    if (isTable(text)) return sizeOf(tableIn(text) ?? '');
    if (text.startsWith('QUERY id: ')) {
      const rows = given(under('JOIN TREE')[0]);
      // What stands in conditions and columns joins too.
      for (const part of children) if (part.text !== 'JOIN TREE') lookInto(part);
      const [limit = ''] = under('LIMIT').map((part) => /constant_value: UInt64_(\d+)/.exec(part.text)?.[1] ?? '');
      const isOneRow = under('GROUP BY').length === 0 && under('PROJECTION').some(isAggregated);
      return Math.min(isOneRow ? 1 : rows, limit === '' ? Number.POSITIVE_INFINITY : Number(limit));
    }
    if (text.startsWith('UNION id: ')) {
      return (under('QUERIES')[0]?.children ?? []).map(given).reduce((sum, rows) => sum + rows, 0);
    }
    const sides = children
      .filter((child) => child.text.endsWith('TABLE EXPRESSION'))
      .map(({ children: [side] }) => given(side));
    if (sides.length === 0) {
      lookInto(node);
      return 1;
    }
    if (/^CROSS[ _]JOIN id: /.test(text) || (text.startsWith('JOIN id: ') && !isByEquals(under('JOIN EXPRESSION')))) {
      const pairs = sides.reduce((product, rows) => product * rows, 1);
      most = Math.max(most, pairs);
      return pairs;
    }
    return Math.max(...sides);
  };
  const lookInto = (node: TreeNode): void => {
    for (const child of node.children)
      if (/^(?:QUERY|UNION) id: /.test(child.text)) given(child);
      else lookInto(child);
  };
  given(treeOf(lines)[0]);
  return most;
}

/** USING, or a comparison for equality anywhere in the condition. */
const isByEquals = (condition: readonly TreeNode[]): boolean =>
  condition.some(
    ({ text, children }) =>
      text.startsWith('LIST id: ') || text.includes(', function_name: equals,') || hasEquals(children),
  );

const hasEquals = (nodes: readonly TreeNode[]): boolean =>
  nodes.some(({ text, children }) => text.includes(', function_name: equals,') || hasEquals(children));

const isAggregated = ({ text, children }: TreeNode): boolean =>
  !/^(?:QUERY|UNION) id: /.test(text) && (text.includes(', function_type: aggregate,') || children.some(isAggregated));

/** By how far the lines stand to the right. */
function treeOf(lines: readonly string[]): readonly TreeNode[] {
  const roots: TreeNode[] = [];
  const open: TreeNode[] = [];
  for (const line of lines) {
    const depth = line.search(/\S|$/) / 2;
    const node: TreeNode = { text: line.trim(), children: [] };
    open.length = Math.min(open.length, Math.floor(depth));
    (open.at(-1)?.children ?? roots).push(node);
    open.push(node);
  }
  return roots;
}
