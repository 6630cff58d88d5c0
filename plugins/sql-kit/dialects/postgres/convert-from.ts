/** Converts FROM of the server's parser. */
import type { Alias, JoinExpr, Node, RangeFunction, RangeTableSample, RangeVar } from 'libpg-query';
import type { Call, From, Join, RowsSource, Source, TableSource } from '../../ast/tree.ts';
import { type Conversion, namesOf } from './conversion.ts';
import { convertFunction } from './convert-call.ts';
import { convertJsonTable } from './convert-json.ts';
import { convertOptional } from './convert-parts.ts';
import { quoteName } from './names.ts';
import { typeText } from './types.ts';

const JOINS = {
  JOIN_INNER: 'JOIN',
  JOIN_LEFT: 'LEFT JOIN',
  JOIN_RIGHT: 'RIGHT JOIN',
  JOIN_FULL: 'FULL JOIN',
} as const;

const HINTS: Readonly<Record<string, string>> = { RangeTableFunc: 'XML cannot be read here.' };

/** What follows FROM, as one list of joins from left to right. */
export function convertFrom(nodes: readonly Node[] | undefined, conversion: Conversion): From | undefined {
  if (nodes?.[0] === undefined) return undefined;
  const { first, joins } = convertTree(nodes[0], conversion);
  for (let index = 1; index < nodes.length; index += 1) {
    const tree = convertTree(nodes[index]!, conversion);
    joins.push({ kind: ',', natural: false, source: tree.first, on: undefined, using: [] }, ...tree.joins);
  }
  return { first, joins };
}

/** One item of FROM: the left ends of joins are followed without going deeper. */
function convertTree(node: Node, conversion: Conversion): { first: Source; joins: Join[] } {
  const steps: JoinExpr[] = [];
  let left: Node = node;
  while ('JoinExpr' in left && left.JoinExpr.alias === undefined) {
    const { JoinExpr: join }: { JoinExpr: JoinExpr } = left;
    if (join.larg === undefined) throw conversion.unknown('a join with one side', undefined);
    steps.push(conversion.known('JoinExpr', join));
    left = join.larg;
  }
  return {
    first: convertSource(left, conversion),
    joins: steps.reverse().map((step) => convertJoin(step, conversion)),
  };
}

function convertJoin(node: JoinExpr, conversion: Conversion): Join {
  const using = namesOf(node.usingClause, conversion);
  const natural = node.isNatural === true;
  const kind = JOINS[node.jointype as 'JOIN_INNER'];
  if (kind === undefined || node.rarg === undefined) throw conversion.unknown('a join of an unknown kind', undefined);
  const isCross = kind === 'JOIN' && node.quals === undefined && using.length === 0 && !natural;
  return {
    kind: isCross ? 'CROSS JOIN' : kind,
    natural,
    source: convertSource(node.rarg, conversion),
    on: convertOptional(node.quals, conversion),
    using,
    usingAlias: node.join_using_alias?.aliasname,
  };
}

function convertSource(node: Node, conversion: Conversion): Source {
  conversion.enter();
  const source = convertItem(node, conversion);
  conversion.leave();
  return source;
}

function convertItem(node: Node, conversion: Conversion): Source {
  if ('RangeVar' in node) return convertTable(node.RangeVar, conversion);
  if ('RangeFunction' in node) return convertRows(node.RangeFunction, conversion);
  if ('JoinExpr' in node) {
    const { alias, ...join } = node.JoinExpr;
    const from = convertFrom([{ JoinExpr: join }], conversion)!;
    return { kind: 'join', at: from.first.at, from, ...named(alias, conversion) };
  }
  if ('RangeSubselect' in node) {
    const { subquery, lateral, alias } = conversion.known('RangeSubselect', node.RangeSubselect);
    if (subquery === undefined || !('SelectStmt' in subquery))
      throw conversion.unknown('a subquery that does not read', undefined);
    const select = conversion.select(subquery.SelectStmt);
    return { kind: 'subquery', at: select.at, select, lateral: lateral === true, ...named(alias, conversion) };
  }
  if ('RangeTableSample' in node) return convertSample(node.RangeTableSample, conversion);
  if ('JsonTable' in node) {
    const { lateral, alias } = node.JsonTable;
    const { call, outputs } = convertJsonTable(node.JsonTable, conversion);
    const source = { kind: 'rows', at: call.at, calls: [{ call, definition: undefined }], outputs } as const;
    const nothing = { isList: false, ordinality: false, definition: undefined };
    return { ...source, ...nothing, lateral: lateral === true, ...named(alias, conversion) };
  }
  const [kind, value] = conversion.kindOf(node);
  const at = conversion.at((value as { location?: number }).location);
  throw conversion.refuse('syntax', `${kind.replace('Range', '')} is not allowed in FROM`, at, HINTS[kind]);
}

/** `TABLESAMPLE method (percentage) REPEATABLE (seed)`. */
function convertSample(node: RangeTableSample, conversion: Conversion): TableSource {
  const { relation, method, args, repeatable } = conversion.known('RangeTableSample', node, node.location);
  const names = namesOf(method, conversion);
  const name = names.at(-1) ?? '';
  const isOwn = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
  if (!isOwn || (name !== 'system' && name !== 'bernoulli')) {
    const hint = 'Use TABLESAMPLE SYSTEM or BERNOULLI.';
    throw conversion.refuse(
      'function',
      `Sampling by "${names.join('.')}" is not allowed`,
      conversion.at(node.location),
      hint,
    );
  }
  if (relation === undefined || !('RangeVar' in relation))
    throw conversion.unknown('a sample of no table', node.location);
  const amount = (args ?? []).map((arg) => constantText(arg, node, conversion)).join(', ');
  const seed = repeatable === undefined ? '' : ` REPEATABLE (${constantText(repeatable, node, conversion)})`;
  const sample = `TABLESAMPLE pg_catalog.${name} (${amount})${seed}`;
  return { ...convertTable(relation.RangeVar, conversion), sample };
}

function constantText(node: Node, { location }: RangeTableSample, conversion: Conversion): string {
  const expr = conversion.expression(node);
  if (expr.kind === 'number') return expr.value;
  throw conversion.refuse('syntax', 'TABLESAMPLE needs a number', conversion.at(location), 'For example SYSTEM (10).');
}

function convertTable(node: RangeVar, conversion: Conversion): TableSource {
  const at = conversion.at(node.location);
  if (node.catalogname !== undefined) {
    throw conversion.refuse('table', `Database "${node.catalogname}" cannot be named here`, at, 'Write schema.table.');
  }
  conversion.known('RangeVar', node, node.location);
  const { alias, columns } = named(node.alias, conversion);
  const { schemaname: schema, relname: name = '', inh } = node;
  const table = { kind: 'table', at, schema, name, alias, index: undefined, only: inh !== true } as const;
  return columns === undefined ? table : { ...table, columns };
}

interface Named {
  readonly alias: string | undefined;
  readonly columns?: readonly string[];
}

/** Alias and new names of columns. */
function named(alias: Alias | undefined, conversion: Conversion): Named {
  if (alias === undefined) return { alias: undefined };
  const { aliasname, colnames } = conversion.known('Alias', alias);
  return colnames === undefined ? { alias: aliasname } : { alias: aliasname, columns: namesOf(colnames, conversion) };
}

function convertRows(node: RangeFunction, conversion: Conversion): RowsSource {
  conversion.known('RangeFunction', node);
  const calls = (node.functions ?? []).flatMap((item) => {
    const [fn, definition] = 'List' in item ? (item.List.items ?? []) : [];
    if (fn === undefined || !('FuncCall' in fn)) {
      throw conversion.refuse(
        'function',
        'Only a function call may stand in FROM',
        0,
        'Write SELECT … FROM function(…).',
      );
    }
    const list = definition !== undefined && 'List' in definition ? definition.List.items : undefined;
    const call = convertFunction(fn.FuncCall, conversion);
    return sideBySide(call).map((each) => ({ call: each, definition: definitionText(list, conversion) }));
  });
  return {
    kind: 'rows',
    at: calls[0]?.call.at ?? 0,
    calls,
    lateral: node.lateral === true,
    isList: node.is_rowsfrom === true || calls.length > 1,
    ordinality: node.ordinality === true,
    definition: definitionText(node.coldeflist, conversion),
    ...named(node.alias, conversion),
  };
}

/** `unnest(a, b)` is syntax for two calls, and only without the name of its schema. */
function sideBySide(call: Call): readonly Call[] {
  if (call.name !== 'unnest' || call.args.length < 2) return [call];
  return call.args.map((arg) => ({ ...call, args: [arg] }));
}

/** Names and types of a record's columns as they print. */
function definitionText(nodes: readonly Node[] | undefined, conversion: Conversion): string | undefined {
  return nodes
    ?.map((node) => {
      if (!('ColumnDef' in node)) throw conversion.unknown('a column definition of an unknown kind', undefined);
      const { colname = '', typeName, collClause, location } = node.ColumnDef;
      conversion.known('ColumnDef', node.ColumnDef, location);
      if (typeName === undefined) throw conversion.unknown('a column definition without a type', location);
      if (collClause !== undefined) throw conversion.unknown('COLLATE in a column definition', location);
      return `${quoteName(colname)} ${typeText(typeName, conversion)}`;
    })
    .join(', ');
}
