/** SQL/JSON: constructors, aggregates, queries by path, and JSON_TABLE. */
import type {
  JsonAggConstructor,
  JsonArgument,
  JsonArrayAgg,
  JsonArrayConstructor,
  JsonArrayQueryConstructor,
  JsonBehavior,
  JsonFormat,
  JsonFuncExpr,
  JsonIsPredicate,
  JsonKeyValue,
  JsonObjectAgg,
  JsonObjectConstructor,
  JsonOutput,
  JsonParseExpr,
  JsonScalarExpr,
  JsonSerializeExpr,
  JsonTable,
  JsonTableColumn,
  JsonTablePathSpec,
  JsonValueExpr,
  Node,
} from 'libpg-query';
import { Level } from '../../ast/precedence.ts';
import type { Call, Expr, Form } from '../../ast/tree.ts';
import type { Conversion } from './conversion.ts';
import { convertOver } from './convert-call.ts';
import { convertOptional, convertOrder, form, plain, whole } from './convert-parts.ts';
import { quoteName, quoteText } from './names.ts';
import { typeText } from './types.ts';

type Part = Form['parts'][number];

export function convertIsJson(node: JsonIsPredicate, conversion: Conversion): Expr {
  conversion.known('JsonIsPredicate', node, node.location);
  const { expr, item_type: type, unique_keys: unique } = node;
  const item = { JS_TYPE_OBJECT: ' OBJECT', JS_TYPE_ARRAY: ' ARRAY', JS_TYPE_SCALAR: ' SCALAR' }[
    type as 'JS_TYPE_OBJECT'
  ];
  const keys = unique === true ? ' WITH UNIQUE KEYS' : '';
  const operand = whole(conversion.expression(expr));
  return form(conversion.at(node.location), Level.is, operand, ` IS JSON${item ?? ''}${keys}`);
}

// ── constructors ────────────────────────────────────────────────────────────────────────────────────────────────

/** `JSON_OBJECT(key : value, …)`. */
export function convertJsonObject(node: JsonObjectConstructor, conversion: Conversion): Expr {
  conversion.known('JsonObjectConstructor', node, node.location);
  const pairs = (node.exprs ?? []).map((pair) => {
    if (!('JsonKeyValue' in pair)) throw conversion.unknown('a pair of an unknown kind', node.location);
    return keyValue(pair.JsonKeyValue, conversion);
  });
  const nulls = node.absent_on_null === true ? ' ABSENT ON NULL' : '';
  const unique = node.unique === true ? ' WITH UNIQUE KEYS' : '';
  return word(node, conversion, 'JSON_OBJECT(', [...listed(pairs), nulls + unique, returning(node.output, conversion)]);
}

/** `JSON_ARRAY(value, …)`. */
export function convertJsonArray(node: JsonArrayConstructor, conversion: Conversion): Expr {
  conversion.known('JsonArrayConstructor', node, node.location);
  const values = (node.exprs ?? []).map((value) => jsonValueOf(value, conversion));
  const nulls = node.absent_on_null === true || values.length === 0 ? '' : ' NULL ON NULL';
  return word(node, conversion, 'JSON_ARRAY(', [...listed(values), nulls, returning(node.output, conversion)]);
}

/** `JSON_ARRAY(SELECT …)`. */
export function convertJsonQueryArray(node: JsonArrayQueryConstructor, conversion: Conversion): Expr {
  conversion.known('JsonArrayQueryConstructor', node, node.location);
  const { query, format, output } = node;
  if (query === undefined || !('SelectStmt' in query)) {
    throw conversion.unknown('a subquery that does not read', node.location);
  }
  if (formatText(format, conversion) !== '') throw conversion.unknown('FORMAT after a subquery', format?.location);
  const at = conversion.at(node.location);
  const select = conversion.select(query.SelectStmt);
  const array = form(at, Level.primary, 'JSON_ARRAY', plain({ kind: 'scalar', at, select }));
  if (output?.typeName === undefined) return array;
  return form(at, Level.postfix, plain(array), `::${typeText(output.typeName, conversion)}`);
}

export function convertJsonParse(node: JsonParseExpr, conversion: Conversion): Expr {
  conversion.known('JsonParseExpr', node, node.location);
  const keys = node.unique_keys === true ? ' WITH UNIQUE KEYS' : '';
  return word(node, conversion, 'JSON(', [
    ...jsonValue(node.expr, conversion),
    keys,
    returning(node.output, conversion),
  ]);
}

export function convertJsonScalar(node: JsonScalarExpr, conversion: Conversion): Expr {
  conversion.known('JsonScalarExpr', node, node.location);
  const value = plain(conversion.expression(node.expr));
  return word(node, conversion, 'JSON_SCALAR(', [value, returning(node.output, conversion)]);
}

export function convertJsonSerialize(node: JsonSerializeExpr, conversion: Conversion): Expr {
  conversion.known('JsonSerializeExpr', node, node.location);
  return word(node, conversion, 'JSON_SERIALIZE(', [
    ...jsonValue(node.expr, conversion),
    returning(node.output, conversion),
  ]);
}

// ── aggregates ──────────────────────────────────────────────────────────────────────────────────────────────────

export function convertJsonObjectAgg(node: JsonObjectAgg, conversion: Conversion): Expr {
  const { constructor: aggregate } = conversion.known('JsonObjectAgg', node);
  const nulls = node.absent_on_null === true ? ' ABSENT ON NULL' : '';
  const unique = node.unique === true ? ' WITH UNIQUE KEYS' : '';
  const pair = node.arg === undefined ? [] : keyValue(node.arg, conversion);
  return aggregated('json_objectagg', pair, nulls + unique, aggregate, conversion);
}

export function convertJsonArrayAgg(node: JsonArrayAgg, conversion: Conversion): Expr {
  const { constructor: aggregate } = conversion.known('JsonArrayAgg', node);
  const nulls = node.absent_on_null === true ? '' : ' NULL ON NULL';
  return aggregated('json_arrayagg', jsonValue(node.arg, conversion), nulls, aggregate, conversion);
}

function aggregated(
  name: string,
  value: readonly Part[],
  suffix: string,
  node: JsonAggConstructor | undefined,
  conversion: Conversion,
): Call {
  const { location, output, agg_order: order, agg_filter: filter, over } = node ?? {};
  conversion.known('JsonAggConstructor', node ?? {}, location);
  const at = conversion.at(location);
  return {
    ...wordCall(at, name, [form(at, Level.primary, ...value)]),
    orderBy: convertOrder(order, conversion),
    tail: form(at, Level.primary, suffix, returning(output, conversion)),
    filter: convertOptional(filter, conversion),
    over: over === undefined ? undefined : convertOver(over, conversion),
  };
}

// ── paths ───────────────────────────────────────────────────────────────────────────────────────────────────────

const QUERIES = {
  JSON_EXISTS_OP: 'JSON_EXISTS(',
  JSON_QUERY_OP: 'JSON_QUERY(',
  JSON_VALUE_OP: 'JSON_VALUE(',
} as const;

/** `JSON_VALUE(value, path …)` and its kind. */
export function convertJsonQuery(node: JsonFuncExpr, conversion: Conversion): Expr {
  conversion.known('JsonFuncExpr', node, node.location);
  const name = QUERIES[node.op as 'JSON_VALUE_OP'];
  if (name === undefined) throw conversion.unknown('a query of JSON of an unknown kind', node.location);
  return word(node, conversion, name, [
    ...jsonValue(node.context_item, conversion),
    ', ',
    plain(conversion.expression(node.pathspec)),
    ...passing(node.passing, conversion),
    returning(node.output, conversion),
    node.op === 'JSON_QUERY_OP' ? wrapping(node) : '',
    ...behaviors(node, conversion),
  ]);
}

/** `JSON_TABLE(…)` as a call whose arguments are syntax, and the names of the columns it makes. */
export function convertJsonTable(node: JsonTable, conversion: Conversion): { call: Call; outputs: string[] } {
  conversion.known('JsonTable', node, node.location);
  const at = conversion.at(node.location);
  const outputs: string[] = [];
  const tail = form(
    at,
    Level.primary,
    ...jsonValue(node.context_item, conversion),
    ', ',
    pathText(node.pathspec, conversion),
    ...passing(node.passing, conversion),
    ...tableColumns(node.columns, outputs, conversion),
    ...behavior(node.on_error, 'ERROR', conversion),
  );
  return { call: { ...wordCall(at, 'json_table', []), tail }, outputs };
}

function tableColumns(nodes: readonly Node[] | undefined, outputs: string[], conversion: Conversion): Part[] {
  conversion.enter();
  const columns = (nodes ?? []).map((node) => {
    if (!('JsonTableColumn' in node)) throw conversion.unknown('a column of an unknown kind', undefined);
    return tableColumn(node.JsonTableColumn, outputs, conversion);
  });
  conversion.leave();
  return [' COLUMNS (', ...listed(columns), ')'];
}

function tableColumn(node: JsonTableColumn, outputs: string[], conversion: Conversion): Part[] {
  conversion.known('JsonTableColumn', node, node.location);
  const { coltype: kind, name = '', typeName, pathspec } = node;
  const path = pathspec === undefined ? '' : ` PATH ${pathText(pathspec, conversion)}`;
  if (kind === 'JTC_NESTED') return [`NESTED${path}`, ...tableColumns(node.columns, outputs, conversion)];
  outputs.push(name);
  if (kind === 'JTC_FOR_ORDINALITY') return [`${quoteName(name)} FOR ORDINALITY`];
  if (typeName === undefined) throw conversion.unknown('a column without a type', node.location);
  const isExists = kind === 'JTC_EXISTS';
  const words = isExists ? ' EXISTS' : formatText(node.format, conversion);
  const wrapper = isExists ? '' : wrapping(node);
  return [
    `${quoteName(name)} ${typeText(typeName, conversion)}${words}${path}${wrapper}`,
    ...behaviors(node, conversion),
  ];
}

function pathText(node: JsonTablePathSpec | undefined, conversion: Conversion): string {
  const { string, name, location } = conversion.known('JsonTablePathSpec', node ?? {}, node?.location);
  const path = string !== undefined && 'A_Const' in string ? string.A_Const.sval?.sval : undefined;
  if (path === undefined) throw conversion.unknown('a path that is not a text', location);
  return quoteText(path) + (name === undefined ? '' : ` AS ${quoteName(name)}`);
}

function passing(nodes: readonly Node[] | undefined, conversion: Conversion): Part[] {
  const values = (nodes ?? []).map((node): Part[] => {
    if (!('JsonArgument' in node)) throw conversion.unknown('an argument of an unknown kind', undefined);
    const { val, name = '' }: JsonArgument = conversion.known('JsonArgument', node.JsonArgument);
    return [...jsonValue(val, conversion), ` AS ${quoteName(name)}`];
  });
  return values.length === 0 ? [] : [' PASSING ', ...listed(values)];
}

const WRAPPERS: Readonly<Record<string, string>> = {
  JSW_NONE: ' WITHOUT WRAPPER',
  JSW_CONDITIONAL: ' WITH CONDITIONAL WRAPPER',
  JSW_UNCONDITIONAL: ' WITH UNCONDITIONAL WRAPPER',
};
const QUOTES: Readonly<Record<string, string>> = { JS_QUOTES_KEEP: ' KEEP QUOTES', JS_QUOTES_OMIT: ' OMIT QUOTES' };

const wrapping = ({ wrapper, quotes }: Pick<JsonFuncExpr, 'wrapper' | 'quotes'>) =>
  (WRAPPERS[wrapper ?? ''] ?? '') + (QUOTES[quotes ?? ''] ?? '');

const behaviors = (node: Pick<JsonFuncExpr, 'on_empty' | 'on_error'>, conversion: Conversion): Part[] => [
  ...behavior(node.on_empty, 'EMPTY', conversion),
  ...behavior(node.on_error, 'ERROR', conversion),
];

function behavior(node: JsonBehavior | undefined, when: 'EMPTY' | 'ERROR', conversion: Conversion): Part[] {
  if (node === undefined) return [];
  const { btype = '', expr, location } = conversion.known('JsonBehavior', node, node.location);
  if (btype === 'JSON_BEHAVIOR_DEFAULT') return [' DEFAULT ', whole(conversion.expression(expr)), ` ON ${when}`];
  if (expr !== undefined) throw conversion.unknown('a value where none belongs', location);
  return [` ${btype.replace('JSON_BEHAVIOR_', '').replace('_', ' ')} ON ${when}`];
}

// ── values ──────────────────────────────────────────────────────────────────────────────────────────────────────

function keyValue(node: JsonKeyValue, conversion: Conversion): Part[] {
  const { key, value } = conversion.known('JsonKeyValue', node);
  return [plain(conversion.expression(key)), ' : ', ...jsonValue(value, conversion)];
}

function jsonValueOf(node: Node, conversion: Conversion): Part[] {
  if ('JsonValueExpr' in node) return jsonValue(node.JsonValueExpr, conversion);
  return [plain(conversion.expression(node))];
}

function jsonValue(node: JsonValueExpr | undefined, conversion: Conversion): Part[] {
  const { raw_expr: value, format } = conversion.known('JsonValueExpr', node ?? {});
  return [plain(conversion.expression(value)), formatText(format, conversion)];
}

function returning(node: JsonOutput | undefined, conversion: Conversion): string {
  if (node === undefined) return '';
  const { typeName, returning: output } = conversion.known('JsonOutput', node);
  if (typeName === undefined) throw conversion.unknown('RETURNING without a type', undefined);
  return ` RETURNING ${typeText(typeName, conversion)}${formatText(output?.format, conversion)}`;
}

function formatText(format: JsonFormat | undefined, conversion: Conversion): string {
  if (format === undefined || format.format_type === 'JS_FORMAT_DEFAULT') return '';
  conversion.known('JsonFormat', format, format.location);
  const encoding = (format.encoding ?? '').replace('JS_ENC_', '');
  return ` FORMAT JSON${encoding === 'DEFAULT' ? '' : ` ENCODING ${encoding}`}`;
}

const listed = (items: readonly (readonly Part[])[]): Part[] =>
  items.flatMap((item, index) => (index === 0 ? item : [', ', ...item]));

const word = (
  { location }: { readonly location?: number },
  conversion: Conversion,
  name: string,
  parts: readonly Part[],
) => form(conversion.at(location), Level.primary, name, ...parts, ')');

/** A call by a word of the grammar, which no function can stand behind. */
const wordCall = (at: number, name: string, args: readonly Expr[]): Call => ({
  kind: 'call',
  at,
  name,
  isWord: true,
  distinct: false,
  star: false,
  args,
  orderBy: [],
  filter: undefined,
  over: undefined,
});
