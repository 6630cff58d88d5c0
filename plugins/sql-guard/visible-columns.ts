/** Makes the subquery that shows of a table what may be seen. */
import {
  BOUND_MARK,
  DEFAULT_LIMITS,
  type Expr,
  fold,
  forEachPart,
  Level,
  parseExpression,
  printInPieces,
  type ResultColumn,
  type Select,
  type SqlDialect,
  type TableSource,
} from '../sql-kit/index.ts';
import type { AllowedTable, RowFilter, VisiblePart } from './allowed-tables.ts';
import { qualify } from './row-expression.ts';

/**
 * Exactly what may be seen of a table. Every column is qualified, so that a name the table does not have cannot reach
 * out to the statement around it. Throws when a condition on its rows cannot be used.
 */
export function visiblePart(
  source: TableSource,
  table: AllowedTable,
  dialect: SqlDialect,
  isSeparate = false,
): VisiblePart {
  const { at } = source;
  const owner = dialect.partName?.(table.name) ?? (dialect.mixesNamesakes ? (source.alias ?? table.name) : table.name);
  const plain = (name: string): Expr => ({ kind: 'name', at, schema: undefined, table: owner, name });
  const shown = shownColumns(table, dialect);
  const columns = table.visible?.map(({ name, mask }): ResultColumn => {
    const own = masked(plain(name), mask && ownedBy(owner, mask, table, dialect));
    const expr = shown?.(own, name, mask !== undefined) ?? own;
    const isPlain = expr.kind === 'name' && expr.schema === undefined && expr.name === name;
    return { kind: 'column', expr, alias: isPlain ? undefined : name, text: undefined };
  }) ?? [starOf(at, owner, table, shown && ((name) => shown(plain(name), name, false)))];
  const where = allOf((table.rows ?? []).flatMap((filter) => conditions(filter, table.name, owner, dialect, at)));
  const nothing = { groupBy: [], having: undefined, windows: [], distinct: false };
  // Without the statement's index: a reader of the whole table chose it, and it decides nothing but speed.
  const alias = owner === table.name ? undefined : owner;
  const { columns: _, ...reference } = source;
  // Where names around it count, those of common tables do so too.
  const schema = dialect.partName && (source.schema ?? dialect.defaultSchema);
  const first = { ...reference, ...(schema && { schema }), name: table.name, alias, index: undefined };
  const select: Select = {
    kind: 'select',
    at,
    with: undefined,
    first: { kind: 'core', at, columns, from: { first, joins: [] }, where, ...nothing },
    rest: [],
    orderBy: [],
    limit: isSeparate ? { kind: 'number', at, value: EVERY_ROW } : undefined,
    offset: undefined,
  };
  const called = [...(table.visible ?? []).map(({ mask }) => mask), where];
  const functions = new Set(called.flatMap((expr) => (expr === undefined ? [] : functionsOf(expr, dialect))));
  return { select, printed: printInPieces(select, dialect), functions: [...functions] };
}

/** What shows the columns of a table of which some rows are hidden, where a column itself would tell of these. */
function shownColumns({ rows = [], types }: AllowedTable, { shownColumn }: SqlDialect) {
  if (shownColumn === undefined || rows.length === 0) return undefined;
  if (types === undefined) throw new Error('the types of its columns are not known');
  return (expr: Expr, name: string, isMask: boolean) => shownColumn(expr, types.get(name) ?? '', isMask);
}

/** Every column, those that are shown in another way in their places. */
function starOf(
  at: number,
  table: string,
  { types }: AllowedTable,
  shown: ((name: string) => Expr | undefined) | undefined,
): ResultColumn {
  const replace = Array.from((shown && types?.keys()) ?? []).flatMap((name) => {
    const expr = shown?.(name);
    return expr === undefined ? [] : [{ expr, name }];
  });
  return { kind: 'star', at, table, ...(replace.length > 0 && { replace }) };
}

/** What no table reaches: a subquery with a limit is worked out by itself. */
const EVERY_ROW = '18446744073709551615';

/** The mask, which is qualified with the table's own name, as one of the table under the name `owner`. */
function ownedBy(owner: string, mask: Expr, table: AllowedTable, dialect: SqlDialect): Expr {
  if (owner === table.name) return mask;
  const own = structuredClone(mask);
  qualify(own, table.name, dialect, owner);
  return own;
}

function functionsOf(expr: Expr, dialect: SqlDialect): string[] {
  const names: string[] = [];
  forEachPart([expr], (part) => {
    if (part.kind === 'call') names.push(dialect.hasExactNames ? part.name : fold(part.name));
  });
  return names;
}

/** NULL by itself has no type, with which a sum or a comparison may fail; this has that of the column. */
function masked(plain: Expr, mask: Expr | undefined): Expr {
  if (mask?.kind !== 'constant' || mask.value !== 'NULL') return mask ?? plain;
  const condition: Expr = { kind: 'constant', at: plain.at, value: 'FALSE' };
  return {
    kind: 'case',
    at: plain.at,
    operand: undefined,
    branches: [{ condition, result: plain }],
    otherwise: undefined,
  };
}

function allOf(conditions: Expr[]): Expr | undefined {
  const [first, ...rest] = conditions;
  if (first === undefined || rest.length === 0) return first;
  const operators = rest.map(() => 'AND');
  return { kind: 'chain', at: first.at, level: Level.and, operands: conditions, operators };
}

function conditions(filter: RowFilter, table: string, owner: string, dialect: SqlDialect, at: number): Expr[] {
  if ('condition' in filter) return [written(filter, table, owner, dialect)];
  const column: Expr = { kind: 'name', at, schema: undefined, table: owner, name: filter.column };
  const items = filter.values.map((bound): Expr => ({ ...column, table: undefined, bound }));
  if (items.length === 0) throw new Error('it has nothing to compare with');
  const isOneOf = (operand: Expr): Expr =>
    items.length > 1
      ? { kind: 'in', at, not: false, operand, set: { kind: 'list', items } }
      : { kind: 'chain', at, level: Level.equality, operands: [operand, ...items], operators: ['='] };
  if (!filter.isText || dialect.exactText === undefined) return [isOneOf(column)];
  // The first is implied by the second, and is there because an index has the column's own collation.
  return [isOneOf(column), isOneOf(dialect.exactText(column))];
}

const CLAIM = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|\{claim\}/g;

/** The condition as an administrator wrote it, once more for each reference: qualifying changes the tree. */
function written(
  { condition, values }: Extract<RowFilter, { condition: string }>,
  table: string,
  owner: string,
  dialect: SqlDialect,
): Expr {
  const places = values.map((_, index) => `${BOUND_MARK}${index}`).join(', ');
  const sql = condition.replace(CLAIM, (token) => (token === '{claim}' ? places : token));
  const expr = parseExpression(sql, dialect, DEFAULT_LIMITS);
  const boundTo = (name: string) =>
    name.startsWith(BOUND_MARK) ? values[Number(name.slice(BOUND_MARK.length))] : undefined;
  if (qualify(expr, table, dialect, owner, boundTo)) return expr;
  throw new Error('it may use only columns of the table itself and allowed functions');
}
