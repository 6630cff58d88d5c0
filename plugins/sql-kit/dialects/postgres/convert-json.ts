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
import type { Reading } from './conversion.ts';
import { convertOver } from './convert-call.ts';
import { convertOptional, convertOrder, form, plain, whole } from './convert-parts.ts';
import { quoteName, quoteText } from './names.ts';
import { typeText } from './types.ts';

type Part = Form['parts'][number];

export function convertIsJson(node: JsonIsPredicate, reading: Reading): Expr {
  reading.known('JsonIsPredicate', node, node.location);
  const { expr, item_type: type, unique_keys: unique } = node;
  const item = { JS_TYPE_OBJECT: ' OBJECT', JS_TYPE_ARRAY: ' ARRAY', JS_TYPE_SCALAR: ' SCALAR' }[
    type as 'JS_TYPE_OBJECT'
  ];
  const keys = unique === true ? ' WITH UNIQUE KEYS' : '';
  const operand = whole(reading.expression(expr));
  return form(reading.at(node.location), Level.is, operand, ` IS JSON${item ?? ''}${keys}`);
}

// ── constructors ────────────────────────────────────────────────────────────────────────────────────────────────

/** `JSON_OBJECT(key : value, …)`. */
export function convertJsonObject(node: JsonObjectConstructor, reading: Reading): Expr {
  reading.known('JsonObjectConstructor', node, node.location);
  const pairs = (node.exprs ?? []).map((pair) => {
    if (!('JsonKeyValue' in pair)) throw reading.unknown('a pair of an unknown kind', node.location);
    return keyValue(pair.JsonKeyValue, reading);
  });
  const nulls = node.absent_on_null === true ? ' ABSENT ON NULL' : '';
  const unique = node.unique === true ? ' WITH UNIQUE KEYS' : '';
  return word(node, reading, 'JSON_OBJECT(', [...listed(pairs), nulls + unique, returning(node.output, reading)]);
}

/** `JSON_ARRAY(value, …)`. */
export function convertJsonArray(node: JsonArrayConstructor, reading: Reading): Expr {
  reading.known('JsonArrayConstructor', node, node.location);
  const values = (node.exprs ?? []).map((value) => jsonValueOf(value, reading));
  const nulls = node.absent_on_null === true || values.length === 0 ? '' : ' NULL ON NULL';
  return word(node, reading, 'JSON_ARRAY(', [...listed(values), nulls, returning(node.output, reading)]);
}

/** `JSON_ARRAY(SELECT …)`. */
export function convertJsonQueryArray(node: JsonArrayQueryConstructor, reading: Reading): Expr {
  reading.known('JsonArrayQueryConstructor', node, node.location);
  const { query, format, output } = node;
  if (query === undefined || !('SelectStmt' in query)) {
    throw reading.unknown('a subquery that does not read', node.location);
  }
  if (formatText(format, reading) !== '') throw reading.unknown('FORMAT after a subquery', format?.location);
  const at = reading.at(node.location);
  const select = reading.select(query.SelectStmt);
  const array = form(at, Level.primary, 'JSON_ARRAY', plain({ kind: 'scalar', at, select }));
  if (output?.typeName === undefined) return array;
  return form(at, Level.postfix, plain(array), `::${typeText(output.typeName, reading)}`);
}

export function convertJsonParse(node: JsonParseExpr, reading: Reading): Expr {
  reading.known('JsonParseExpr', node, node.location);
  const keys = node.unique_keys === true ? ' WITH UNIQUE KEYS' : '';
  return word(node, reading, 'JSON(', [...jsonValue(node.expr, reading), keys, returning(node.output, reading)]);
}

export function convertJsonScalar(node: JsonScalarExpr, reading: Reading): Expr {
  reading.known('JsonScalarExpr', node, node.location);
  const value = plain(reading.expression(node.expr));
  return word(node, reading, 'JSON_SCALAR(', [value, returning(node.output, reading)]);
}

export function convertJsonSerialize(node: JsonSerializeExpr, reading: Reading): Expr {
  reading.known('JsonSerializeExpr', node, node.location);
  return word(node, reading, 'JSON_SERIALIZE(', [...jsonValue(node.expr, reading), returning(node.output, reading)]);
}

// ── aggregates ──────────────────────────────────────────────────────────────────────────────────────────────────

export function convertJsonObjectAgg(node: JsonObjectAgg, reading: Reading): Expr {
  const { constructor: aggregate } = reading.known('JsonObjectAgg', node);
  const nulls = node.absent_on_null === true ? ' ABSENT ON NULL' : '';
  const unique = node.unique === true ? ' WITH UNIQUE KEYS' : '';
  const pair = node.arg === undefined ? [] : keyValue(node.arg, reading);
  return aggregated('json_objectagg', pair, nulls + unique, aggregate, reading);
}

export function convertJsonArrayAgg(node: JsonArrayAgg, reading: Reading): Expr {
  const { constructor: aggregate } = reading.known('JsonArrayAgg', node);
  const nulls = node.absent_on_null === true ? '' : ' NULL ON NULL';
  return aggregated('json_arrayagg', jsonValue(node.arg, reading), nulls, aggregate, reading);
}

function aggregated(
  name: string,
  value: readonly Part[],
  suffix: string,
  node: JsonAggConstructor | undefined,
  reading: Reading,
): Call {
  const { location, output, agg_order: order, agg_filter: filter, over } = node ?? {};
  reading.known('JsonAggConstructor', node ?? {}, location);
  const at = reading.at(location);
  return {
    ...wordCall(at, name, [form(at, Level.primary, ...value)]),
    orderBy: convertOrder(order, reading),
    tail: form(at, Level.primary, suffix, returning(output, reading)),
    filter: convertOptional(filter, reading),
    over: over === undefined ? undefined : convertOver(over, reading),
  };
}

// ── paths ───────────────────────────────────────────────────────────────────────────────────────────────────────

const QUERIES = {
  JSON_EXISTS_OP: 'JSON_EXISTS(',
  JSON_QUERY_OP: 'JSON_QUERY(',
  JSON_VALUE_OP: 'JSON_VALUE(',
} as const;

/** `JSON_VALUE(value, path …)` and its kind. */
export function convertJsonQuery(node: JsonFuncExpr, reading: Reading): Expr {
  reading.known('JsonFuncExpr', node, node.location);
  const name = QUERIES[node.op as 'JSON_VALUE_OP'];
  if (name === undefined) throw reading.unknown('a query of JSON of an unknown kind', node.location);
  return word(node, reading, name, [
    ...jsonValue(node.context_item, reading),
    ', ',
    plain(reading.expression(node.pathspec)),
    ...passing(node.passing, reading),
    returning(node.output, reading),
    node.op === 'JSON_QUERY_OP' ? wrapping(node) : '',
    ...behaviors(node, reading),
  ]);
}

/** `JSON_TABLE(…)` as a call whose arguments are syntax, and the names of the columns it makes. */
export function convertJsonTable(node: JsonTable, reading: Reading): { call: Call; outputs: string[] } {
  reading.known('JsonTable', node, node.location);
  const at = reading.at(node.location);
  const outputs: string[] = [];
  const tail = form(
    at,
    Level.primary,
    ...jsonValue(node.context_item, reading),
    ', ',
    pathText(node.pathspec, reading),
    ...passing(node.passing, reading),
    ...tableColumns(node.columns, outputs, reading),
    ...behavior(node.on_error, 'ERROR', reading),
  );
  return { call: { ...wordCall(at, 'json_table', []), tail }, outputs };
}

function tableColumns(nodes: readonly Node[] | undefined, outputs: string[], reading: Reading): Part[] {
  reading.enter();
  const columns = (nodes ?? []).map((node) => {
    if (!('JsonTableColumn' in node)) throw reading.unknown('a column of an unknown kind', undefined);
    return tableColumn(node.JsonTableColumn, outputs, reading);
  });
  reading.leave();
  return [' COLUMNS (', ...listed(columns), ')'];
}

function tableColumn(node: JsonTableColumn, outputs: string[], reading: Reading): Part[] {
  reading.known('JsonTableColumn', node, node.location);
  const { coltype: kind, name = '', typeName, pathspec } = node;
  const path = pathspec === undefined ? '' : ` PATH ${pathText(pathspec, reading)}`;
  if (kind === 'JTC_NESTED') return [`NESTED${path}`, ...tableColumns(node.columns, outputs, reading)];
  outputs.push(name);
  if (kind === 'JTC_FOR_ORDINALITY') return [`${quoteName(name)} FOR ORDINALITY`];
  if (typeName === undefined) throw reading.unknown('a column without a type', node.location);
  const isExists = kind === 'JTC_EXISTS';
  const words = isExists ? ' EXISTS' : formatText(node.format, reading);
  const wrapper = isExists ? '' : wrapping(node);
  return [`${quoteName(name)} ${typeText(typeName, reading)}${words}${path}${wrapper}`, ...behaviors(node, reading)];
}

function pathText(node: JsonTablePathSpec | undefined, reading: Reading): string {
  const { string, name, location } = reading.known('JsonTablePathSpec', node ?? {}, node?.location);
  const path = string !== undefined && 'A_Const' in string ? string.A_Const.sval?.sval : undefined;
  if (path === undefined) throw reading.unknown('a path that is not a text', location);
  return quoteText(path) + (name === undefined ? '' : ` AS ${quoteName(name)}`);
}

function passing(nodes: readonly Node[] | undefined, reading: Reading): Part[] {
  const values = (nodes ?? []).map((node): Part[] => {
    if (!('JsonArgument' in node)) throw reading.unknown('an argument of an unknown kind', undefined);
    const { val, name = '' }: JsonArgument = reading.known('JsonArgument', node.JsonArgument);
    return [...jsonValue(val, reading), ` AS ${quoteName(name)}`];
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

const behaviors = (node: Pick<JsonFuncExpr, 'on_empty' | 'on_error'>, reading: Reading): Part[] => [
  ...behavior(node.on_empty, 'EMPTY', reading),
  ...behavior(node.on_error, 'ERROR', reading),
];

function behavior(node: JsonBehavior | undefined, when: 'EMPTY' | 'ERROR', reading: Reading): Part[] {
  if (node === undefined) return [];
  const { btype = '', expr, location } = reading.known('JsonBehavior', node, node.location);
  if (btype === 'JSON_BEHAVIOR_DEFAULT') return [' DEFAULT ', whole(reading.expression(expr)), ` ON ${when}`];
  if (expr !== undefined) throw reading.unknown('a value where none belongs', location);
  return [` ${btype.replace('JSON_BEHAVIOR_', '').replace('_', ' ')} ON ${when}`];
}

// ── values ──────────────────────────────────────────────────────────────────────────────────────────────────────

function keyValue(node: JsonKeyValue, reading: Reading): Part[] {
  const { key, value } = reading.known('JsonKeyValue', node);
  return [plain(reading.expression(key)), ' : ', ...jsonValue(value, reading)];
}

function jsonValueOf(node: Node, reading: Reading): Part[] {
  if ('JsonValueExpr' in node) return jsonValue(node.JsonValueExpr, reading);
  return [plain(reading.expression(node))];
}

function jsonValue(node: JsonValueExpr | undefined, reading: Reading): Part[] {
  const { raw_expr: value, format } = reading.known('JsonValueExpr', node ?? {});
  return [plain(reading.expression(value)), formatText(format, reading)];
}

function returning(node: JsonOutput | undefined, reading: Reading): string {
  if (node === undefined) return '';
  const { typeName, returning: output } = reading.known('JsonOutput', node);
  if (typeName === undefined) throw reading.unknown('RETURNING without a type', undefined);
  return ` RETURNING ${typeText(typeName, reading)}${formatText(output?.format, reading)}`;
}

function formatText(format: JsonFormat | undefined, reading: Reading): string {
  if (format === undefined || format.format_type === 'JS_FORMAT_DEFAULT') return '';
  reading.known('JsonFormat', format, format.location);
  const encoding = (format.encoding ?? '').replace('JS_ENC_', '');
  return ` FORMAT JSON${encoding === 'DEFAULT' ? '' : ` ENCODING ${encoding}`}`;
}

const listed = (items: readonly (readonly Part[])[]): Part[] =>
  items.flatMap((item, index) => (index === 0 ? item : [', ', ...item]));

const word = ({ location }: { readonly location?: number }, reading: Reading, name: string, parts: readonly Part[]) =>
  form(reading.at(location), Level.primary, name, ...parts, ')');

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
