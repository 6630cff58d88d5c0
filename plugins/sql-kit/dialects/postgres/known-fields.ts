/**
 * Every kind of node that a reading statement may hold, with every field that the conversion reads or knows to be of no
 * meaning in it. Anything else refuses, so nothing of a statement is ever passed over in silence.
 */
const FIELDS: Readonly<Record<string, string>> = {
  SelectStmt: `distinctClause targetList fromClause whereClause groupClause groupDistinct havingClause windowClause
    valuesLists sortClause limitOffset limitCount limitOption withClause op all larg rarg`,
  WithClause: 'ctes recursive location',
  CommonTableExpr: 'ctename aliascolnames ctematerialized ctequery search_clause cycle_clause location',
  CTESearchClause: 'search_col_list search_breadth_first search_seq_column location',
  CTECycleClause: 'cycle_col_list cycle_mark_column cycle_mark_value cycle_mark_default cycle_path_column location',
  ResTarget: 'name val location',
  SortBy: 'node sortby_dir sortby_nulls useOp location',
  WindowDef: 'name refname partitionClause orderClause frameOptions startOffset endOffset location',
  GroupingSet: 'kind content location',
  GroupingFunc: 'args location',
  RangeVar: 'schemaname relname inh relpersistence alias location',
  Alias: 'aliasname colnames',
  RangeSubselect: 'lateral subquery alias',
  RangeFunction: 'lateral ordinality is_rowsfrom functions alias coldeflist',
  ColumnDef: 'colname typeName is_local collClause location',
  JoinExpr: 'jointype isNatural larg rarg usingClause join_using_alias quals alias',
  A_Const: 'ival fval boolval sval bsval isnull location',
  ColumnRef: 'fields location',
  A_Expr: 'kind name lexpr rexpr rexpr_list_start rexpr_list_end location',
  BoolExpr: 'boolop args location',
  NullTest: 'arg nulltesttype location',
  BooleanTest: 'arg booltesttype location',
  TypeCast: 'arg typeName location',
  TypeName: 'names typmods typemod arrayBounds location',
  CollateClause: 'arg collname location',
  CaseExpr: 'arg args defresult location',
  CaseWhen: 'expr result location',
  CoalesceExpr: 'args location',
  MinMaxExpr: 'op args location',
  SQLValueFunction: 'op typmod location',
  SubLink: 'subLinkType testexpr operName subselect location',
  A_ArrayExpr: 'elements list_start list_end location',
  RowExpr: 'args row_format location',
  A_Indirection: 'arg indirection',
  A_Indices: 'is_slice lidx uidx',
  NamedArgExpr: 'arg name argnumber location',
  FuncCall: `funcname args agg_order agg_filter over agg_within_group agg_star agg_distinct func_variadic funcformat
    location`,
  RangeTableSample: 'relation method args repeatable location',
  JsonIsPredicate: 'expr format item_type unique_keys location',
  JsonFormat: 'format_type encoding location',
  JsonValueExpr: 'raw_expr format',
  JsonKeyValue: 'key value',
  JsonOutput: 'typeName returning',
  JsonArgument: 'val name',
  JsonBehavior: 'btype expr location',
  JsonObjectConstructor: 'exprs output absent_on_null unique location',
  JsonArrayConstructor: 'exprs output absent_on_null location',
  JsonArrayQueryConstructor: 'query output format absent_on_null location',
  JsonParseExpr: 'expr output unique_keys location',
  JsonScalarExpr: 'expr output location',
  JsonSerializeExpr: 'expr output location',
  JsonObjectAgg: 'constructor arg absent_on_null unique',
  JsonArrayAgg: 'constructor arg absent_on_null',
  JsonAggConstructor: 'output agg_filter agg_order over location',
  JsonFuncExpr: 'op context_item pathspec passing output on_empty on_error wrapper quotes location',
  JsonTable: 'context_item pathspec passing columns on_error alias lateral location',
  JsonTablePathSpec: 'string name name_location location',
  JsonTableColumn: `coltype name typeName pathspec format wrapper quotes columns on_empty on_error location`,
};

type Known = Readonly<Record<string, true>>;

/** Without a prototype, so that nothing but these fields is in them. */
const setOf = (fields: readonly string[]): Known =>
  Object.assign(Object.create(null), Object.fromEntries(fields.map((field) => [field, true])));

const KNOWN: ReadonlyMap<string, Known> = new Map(
  Object.entries(FIELDS).map(([kind, fields]) => [kind, setOf(fields.split(/\s+/))]),
);

/** The first field of the node that the conversion does not know; `undefined` when it knows them all. */
export function unknownField(kind: string, node: object): string | undefined {
  const known = KNOWN.get(kind);
  for (const field in node) if (known?.[field] !== true) return field;
  return undefined;
}
