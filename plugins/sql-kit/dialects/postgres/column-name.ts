/** Tells what PostgreSQL calls a result column without alias. */
import type { Node, SelectStmt } from 'libpg-query';

/** How well a name fits: a type's name gives way to any other. */
interface Found {
  readonly name: string;
  readonly isWeak: boolean;
}

const VALUE_FUNCTION = /^SVFOP_(.+?)(?:_N)?$/;

/** The name that the engine gives a column without alias; `undefined` where it gives none. */
export function columnName(node: Node | undefined): string | undefined {
  return find(node)?.name;
}

function find(node: Node | undefined): Found | undefined {
  if (node === undefined) return undefined;
  if ('ColumnRef' in node) return lastOf(node.ColumnRef.fields);
  if ('FuncCall' in node) return lastOf(node.FuncCall.funcname);
  if ('A_Indirection' in node) return lastOf(node.A_Indirection.indirection) ?? find(node.A_Indirection.arg);
  if ('CollateClause' in node) return find(node.CollateClause.arg);
  if ('TypeCast' in node) return orWeak(find(node.TypeCast.arg), lastOf(node.TypeCast.typeName?.names)?.name);
  if ('CaseExpr' in node) return orWeak(find(node.CaseExpr.defresult), 'case');
  const name = fixedName(node);
  return name === undefined ? undefined : { name, isWeak: false };
}

function fixedName(node: Node): string | undefined {
  if ('SubLink' in node) return subqueryName(node.SubLink.subLinkType, node.SubLink.subselect);
  if ('A_Expr' in node) return node.A_Expr.kind === 'AEXPR_NULLIF' ? 'nullif' : undefined;
  if ('CoalesceExpr' in node) return 'coalesce';
  if ('MinMaxExpr' in node) return node.MinMaxExpr.op === 'IS_LEAST' ? 'least' : 'greatest';
  if ('A_ArrayExpr' in node) return 'array';
  if ('RowExpr' in node) return 'row';
  if ('JsonFuncExpr' in node) return JSON_QUERIES[node.JsonFuncExpr.op ?? ''];
  if ('GroupingFunc' in node) return 'grouping';
  if ('SQLValueFunction' in node) return VALUE_FUNCTION.exec(node.SQLValueFunction.op ?? '')?.[1]?.toLowerCase();
  const [kind = ''] = Object.keys(node);
  return JSON_WORDS[kind];
}

const JSON_QUERIES: Readonly<Record<string, string>> = {
  JSON_EXISTS_OP: 'json_exists',
  JSON_QUERY_OP: 'json_query',
  JSON_VALUE_OP: 'json_value',
};

const JSON_WORDS: Readonly<Record<string, string>> = {
  JsonParseExpr: 'json',
  JsonScalarExpr: 'json_scalar',
  JsonSerializeExpr: 'json_serialize',
  JsonObjectConstructor: 'json_object',
  JsonArrayConstructor: 'json_array',
  JsonArrayQueryConstructor: 'json_array',
  JsonObjectAgg: 'json_objectagg',
  JsonArrayAgg: 'json_arrayagg',
};

function subqueryName(kind: string | undefined, select: Node | undefined): string | undefined {
  if (kind === 'EXISTS_SUBLINK') return 'exists';
  if (kind === 'ARRAY_SUBLINK') return 'array';
  if (kind !== 'EXPR_SUBLINK' || select === undefined || !('SelectStmt' in select)) return undefined;
  let first: SelectStmt = select.SelectStmt;
  while (first.larg !== undefined) first = first.larg;
  const target = first.targetList?.[0];
  if (target === undefined || !('ResTarget' in target)) return undefined;
  return target.ResTarget.name ?? columnName(target.ResTarget.val);
}

function lastOf(nodes: readonly Node[] | undefined): Found | undefined {
  const last = nodes?.findLast((node) => 'String' in node);
  return last !== undefined && 'String' in last ? { name: last.String.sval ?? '', isWeak: false } : undefined;
}

const orWeak = (found: Found | undefined, name: string | undefined): Found | undefined =>
  found !== undefined && !found.isWeak ? found : name === undefined ? found : { name, isWeak: true };
