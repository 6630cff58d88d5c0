/** Reads a statement or the definition of a view as a tree, and finds the tables and columns that it names. */
import {
  DEFAULT_LIMITS,
  fold,
  parseStatement,
  type Select,
  type SqlDialect,
  type TableSource,
} from '../sql-kit/index.ts';

export type StatementTree = Select;

/** What a text names, wherever it does. */
export interface NamedThings {
  readonly tables: readonly TableSource[];
  /** In lower case; `*` where all columns of a table are meant. */
  readonly columns: ReadonlySet<string>;
  /** Whether it calls nothing but functions that the dialect knows: any other may read whatever it likes. */
  readonly isKnown: boolean;
}

/** `undefined` when it cannot be read. */
export function treeOf(sql: string, dialect: SqlDialect | undefined): StatementTree | undefined {
  if (dialect === undefined) return undefined;
  try {
    return parseStatement(sql, dialect, DEFAULT_LIMITS);
  } catch {
    return undefined;
  }
}

/** The tables by the names under which they are read, in lower case. */
export function tablesByName(tree: StatementTree): Record<string, string[]> {
  const names: Record<string, string[]> = Object.create(null);
  for (const node of nodesOf(tree)) {
    if (node.kind !== 'table') continue;
    const { schema, name, alias } = node as unknown as TableSource;
    const key = fold(alias ?? name);
    names[key] ??= [];
    names[key].push(schema === undefined ? name : `${schema}.${name}`);
  }
  return names;
}

/** How many values IN or OR compare a column with, by its name in lower case; 0: those of a subquery. */
export function listsByColumn(tree: StatementTree): Record<string, number> {
  const lists: Record<string, number> = Object.create(null);
  const add = (operand: unknown, values: number) => {
    const { kind, name, parts } = operand as Node;
    if (kind === 'form')
      for (const part of parts as readonly { readonly expr?: unknown }[]) add(part.expr ?? {}, values);
    if (kind !== 'name') return;
    const key = fold(String(name));
    lists[key] = values === 0 || lists[key] === 0 ? 0 : (lists[key] ?? 0) + values;
  };
  for (const node of nodesOf(tree)) {
    if (node.kind === 'in') {
      const { kind, items } = node.set as { readonly kind: string; readonly items: readonly unknown[] };
      add(node.operand, kind === 'list' ? items.length : 0);
    } else if (node.kind === 'chain' && (node.operators as readonly string[])[0] === 'OR') {
      for (const { operands } of node.operands as Node[]) for (const side of (operands ?? []) as Node[]) add(side, 1);
    }
  }
  return lists;
}

/** Without looking what a name means: what stands somewhere counts. */
export function namedThings(tree: StatementTree, dialect: SqlDialect): NamedThings {
  const tables: TableSource[] = [];
  const columns = new Set<string>();
  const relations = new Set<string>();
  let isKnown = true;
  for (const node of nodesOf(tree)) {
    if (node.kind === 'table') {
      const table = node as unknown as TableSource;
      tables.push(table);
      relations.add(fold(table.alias ?? table.name));
      if (table.columns !== undefined) columns.add('*');
    } else if (node.kind === 'star' || node.natural === true || isRow(node)) {
      columns.add('*');
    } else if (node.kind === 'name') {
      for (const part of [node.name, node.table, node.schema]) if (typeof part === 'string') columns.add(fold(part));
    } else if (node.kind === 'call') {
      const isOwn = node.schema === undefined || node.schema === dialect.functionSchema;
      isKnown &&= node.isWord === true || (isOwn && dialect.functions.has(fold(String(node.name))));
    } else if (node.kind === 'function') {
      isKnown &&= dialect.tableFunctions.has(fold(String(node.name)));
    }
    if (Array.isArray(node.using)) for (const name of node.using as string[]) columns.add(fold(name));
  }
  // A relation's name as a value is its whole row; the number of a row may be one of its columns.
  if (namesRow(tree, relations) || [...columns].some((name) => dialect.rowNumbers?.has(name))) columns.add('*');
  return { tables, columns, isKnown };
}

/** `t.*` as a value, and `COLUMNS(…)`. */
const isRow = ({ kind, parts }: Node) =>
  kind === 'form' &&
  (parts as readonly unknown[]).some((part) => typeof part === 'string' && /\.\*$|^COLUMNS\(/.test(part));

function namesRow(tree: StatementTree, relations: ReadonlySet<string>): boolean {
  for (const { kind, table, name } of nodesOf(tree)) {
    if (kind === 'name' && table === undefined && relations.has(fold(String(name)))) return true;
  }
  return false;
}

type Node = Readonly<Record<string, unknown>>;

/** Every object of the tree. */
function* nodesOf(tree: StatementTree): Generator<Node> {
  const open: unknown[] = [tree];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (!Array.isArray(node)) yield node as Node;
    for (const part of Object.values(node)) if (typeof part === 'object') open.push(part);
  }
}
