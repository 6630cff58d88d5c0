/** Walks a statement and collects what each of its SELECTs says: tables, conditions, joins and calculations. */
import { isAggregate } from '../fan-out/index.ts';
import type { ModelEntity, QueryReading } from '../semantic-layer/index.ts';
import { type Member, memberOf, type VisibleTable, visitStatement } from '../semantic-query/index.ts';
import {
  type Call,
  type ColumnRef,
  type Expr,
  type From,
  fold,
  forEachOperand,
  type Select,
  type SelectCore,
  type Source,
  someOperand,
} from '../sql-kit/index.ts';
import { type Conditions, type Joined, noConditions, readConditions, type SelectScope, textsOf } from './conditions.ts';
import type { ConditionNames } from './layer-conditions.ts';
import { columnKey, isNameable, keyOf, type NameOf } from './measures.ts';
import { memberText, spoken } from './words.ts';

/** An aggregate of the statement. */
export interface Calculation {
  /** The column of the result, where the aggregate is all of it. */
  readonly column: string | undefined;
  readonly expr: Expr;
  /** The measure of the layer that it is. */
  readonly measure: string | undefined;
  readonly words: string;
}

export interface Part {
  /** The common table or subquery; `undefined`: the statement itself. */
  readonly name: string | undefined;
  readonly conditions: Conditions;
  readonly readsTables: boolean;
}

export interface StatementParts {
  readonly entities: ReadonlySet<ModelEntity>;
  /** Tables by name, as written, that are in no layer or are common tables. */
  readonly otherTables: ReadonlySet<string>;
  readonly parts: readonly Part[];
  /** Conditions of subqueries within conditions, whose joins count too. */
  readonly inner: readonly Conditions[];
  readonly calculations: readonly Calculation[];
  /** The names that are given to measures anywhere in the statement. */
  readonly named: ReadonlyMap<string, string>;
  readonly columns: readonly { readonly name: string; readonly expr: Expr }[];
  readonly segments: ReadonlySet<string>;
  readonly isSampled: boolean;
}

/** `layer`: the conditions that the layer gives a name. */
export function partsOf(
  select: Select,
  { dialect, tables }: QueryReading,
  layer: ConditionNames,
  now: Date,
): StatementParts {
  const entities = new Set<ModelEntity>();
  const otherTables = new Set<string>();
  const parts: Part[] = [];
  const inner = new Map<SelectCore, { readonly conditions: Conditions; readonly outer: readonly VisibleTable[] }>();
  const calculations: Calculation[] = [];
  const named = new Map<string, string>();
  const segments = new Set<string>();
  const names = partNames(select);
  const today = dialect.timeZone === 'UTC' ? now.toISOString().slice(0, 10) : undefined;
  let isSampled = false;

  visitStatement(select, tables, {
    expression() {},
    core(core, inSight) {
      const within = inner.get(core);
      for (const { entity } of inSight) if (entity !== undefined) entities.add(entity);
      for (const table of tablesIn(core.from)) {
        if (table.sample !== undefined) isSampled = true;
        otherTables.add(fold(table.name));
      }
      if (core.sample !== undefined) isSampled = true;
      const scope = scopeOf(core, inSight, within?.outer ?? []);
      const conditions = within?.conditions ?? noConditions();
      const { where, having, qualify, from } = core;
      for (const expr of [...conditionsOfJoins(from), where, having, qualify])
        if (expr !== undefined) readConditions(expr, scope, conditions);
      for (const pair of usedPairs(from, inSight)) conditions.joins.push(pair);
      if (within !== undefined) return;
      parts.push({
        name: names.get(core),
        conditions,
        readsTables: inSight.some(({ entity }) => entity !== undefined),
      });
      for (const column of core.columns)
        if (column.kind === 'column') addCalculations(column.expr, column.alias ?? column.text, scope, core, inSight);
    },
  });
  const main = select.first.kind === 'core' ? select.first.columns : [];
  const columns = main.flatMap((one) => {
    const name =
      one.kind === 'column' ? (one.alias ?? (one.expr.kind === 'name' ? one.expr.name : one.text)) : undefined;
    return one.kind === 'column' && name !== undefined ? [{ name, expr: one.expr }] : [];
  });
  const innerConditions = [...inner.values()].map(({ conditions }) => conditions);
  return { entities, otherTables, parts, inner: innerConditions, calculations, named, columns, segments, isSampled };

  function scopeOf(core: SelectCore, inSight: readonly VisibleTable[], outer: readonly VisibleTable[]): SelectScope {
    const member = (column: ColumnRef): Member | undefined => {
      const isHere = column.table === undefined || inSight.some(({ name }) => name === fold(column.table!));
      return memberOf(column, isHere ? inSight : outer);
    };
    return {
      member,
      today,
      joined(column) {
        const found = member(column);
        if (found !== undefined) return { entity: found.entity.name, name: found.dimension.name };
        const source = [...inSight, ...outer].find(({ name }) => name === fold(column.table ?? ''));
        return source?.entity && { entity: source.entity.name, name: column.name };
      },
      calculation: (expr) => wordsOf(expr, member, core, inSight),
      named(expr) {
        const found = isNameable(expr) ? layer.nameOf(keyOf(expr, nameIn(member)), entities) : undefined;
        if (found !== undefined) segments.add(found.name);
        return found;
      },
      subquery(inside, kind) {
        const first = inside.first.kind === 'core' ? inside.first : undefined;
        if (first === undefined || inside.rest.length > 0) return undefined;
        const conditions = noConditions();
        inner.set(first, { conditions, outer: [...inSight, ...outer] });
        return () => subqueryText(first, kind, conditions);
      },
    };
  }

  function subqueryText(core: SelectCore, kind: 'rows' | 'value', conditions: Conditions): string {
    const [table] = tablesIn(core.from);
    const entity = table && tables.get(fold(table.name));
    const rows = spoken(entity?.name ?? table?.name ?? 'rows');
    const [column] = core.columns;
    const expr = column?.kind === 'column' ? column.expr : undefined;
    const inSight = entity === undefined ? [] : [{ name: fold(table?.alias ?? table?.name ?? ''), entity }];
    const words = kind === 'value' && expr && wordsOf(expr, (one) => memberOf(one, inSight), core, inSight);
    const texts = textsOf(conditions);
    return `${words || (kind === 'value' ? `a value of ${rows}` : rows)}${texts.length === 0 ? '' : ` (${texts.join(' and ')})`}`;
  }

  function measureOf(expr: Expr, member: SelectScope['member'], core: SelectCore, inSight: readonly VisibleTable[]) {
    const isCount = expr.kind === 'call' && fold(expr.name) === 'count' && expr.star && expr.over === undefined;
    if (isCount && expr.filter === undefined) {
      const [only, ...more] = inSight;
      if (only?.entity === undefined || more.length > 0 || tablesIn(core.from).length !== 1) return undefined;
      const declared = only.entity.measures.find(({ type, sql }) => type === 'count' && sql === undefined);
      return `${only.entity.name}.${declared?.name ?? 'count'}`;
    }
    if (!isNameable(expr)) return undefined;
    const key = keyOf(expr, nameIn(member));
    for (const { entity } of inSight) {
      const found = entity && layer.measureOf(key, entity);
      if (found !== undefined) return found;
    }
  }

  /** Words for an aggregate; `undefined` for what is none. */
  function wordsOf(expr: Expr, member: SelectScope['member'], core: SelectCore, inSight: readonly VisibleTable[]) {
    const measure = measureOf(expr, member, core, inSight);
    if (measure !== undefined) return layer.measureWords(measure);
    if (expr.kind !== 'call' || !isAggregate(expr)) return undefined;
    return aggregateText(expr, member);
  }

  function addCalculations(
    expr: Expr,
    column: string | undefined,
    { member }: SelectScope,
    core: SelectCore,
    inSight: readonly VisibleTable[],
  ): void {
    const visit = (one: Expr, isWhole: boolean): void => {
      const whole = isWhole ? column : undefined;
      const measure = measureOf(one, member, core, inSight);
      if (measure !== undefined && whole !== undefined) named.set(fold(whole), measure);
      if (measure !== undefined || (one.kind === 'call' && isAggregate(one) && !holdsAggregate(one))) {
        const words = measure === undefined ? aggregateText(one as Call, member) : layer.measureWords(measure);
        calculations.push({ column: whole, expr: one, measure, words });
        return;
      }
      const isRounded = isWhole && (one.kind === 'cast' || (one.kind === 'call' && fold(one.name) === 'round'));
      let at = 0;
      forEachOperand(one, (operand) => visit(operand, isRounded && at++ === 0));
    };
    visit(expr, true);
  }
}

const nameIn =
  (member: SelectScope['member']): NameOf =>
  (column) => {
    const found = member(column);
    return found === undefined ? fold(column.name) : columnKey(found.entity, found.dimension.sql);
  };

function holdsAggregate(call: Call): boolean {
  const isOne = (expr: Expr): boolean => (expr.kind === 'call' && isAggregate(expr)) || someOperand(expr, isOne);
  return call.args.some(isOne);
}

const AGGREGATES: Readonly<Record<string, string>> = {
  sum: 'sum',
  total: 'sum',
  avg: 'average',
  min: 'least',
  max: 'largest',
};

function aggregateText({ name, star, distinct, args }: Call, member: SelectScope['member']): string {
  const [argument] = args;
  if (star || argument === undefined) return 'number of rows';
  const found = argument.kind === 'name' ? member(argument) : undefined;
  const of = found
    ? memberText(found.entity, found.dimension.name)
    : argument.kind === 'name'
      ? spoken(argument.name)
      : '';
  const count = distinct ? 'number of different' : 'number of';
  const words = fold(name) === 'count' ? count : AGGREGATES[fold(name)] && `${AGGREGATES[fold(name)]} of`;
  if (words === undefined || of === '') return 'a calculation of the statement';
  return `${words} ${of}`;
}

/** The names of common tables and subqueries by their SELECT. */
function partNames(select: Select, names = new Map<SelectCore, string>()): Map<SelectCore, string> {
  const add = (inside: Select, name: string | undefined) => {
    for (const core of [inside.first, ...inside.rest.map((one) => one.core)])
      if (core.kind === 'core' && name !== undefined) names.set(core, name);
    partNames(inside, names);
  };
  for (const { name, select: inside } of select.with?.tables ?? []) add(inside, name);
  for (const core of [select.first, ...select.rest.map((one) => one.core)]) {
    if (core.kind !== 'core') continue;
    for (const source of sourcesOf(core.from)) if (source.kind === 'subquery') add(source.select, source.alias);
  }
  return names;
}

function sourcesOf(from: From | undefined): Source[] {
  if (from === undefined) return [];
  return [from.first, ...from.joins.map(({ source }) => source)].flatMap((source) =>
    source.kind === 'join' ? sourcesOf(source.from) : [source],
  );
}

const tablesIn = (from: From | undefined) => sourcesOf(from).filter((source) => source.kind === 'table');

function conditionsOfJoins(from: From | undefined): (Expr | undefined)[] {
  if (from === undefined) return [];
  return [from.first, ...from.joins.map(({ source }) => source)]
    .flatMap((source) => (source.kind === 'join' ? conditionsOfJoins(source.from) : []))
    .concat(from.joins.map(({ on }) => on));
}

/** The columns of USING, of the joined table and of the first one before it that has them. */
function usedPairs(from: From | undefined, inSight: readonly VisibleTable[]): Joined[] {
  return (from?.joins ?? []).flatMap(({ using, source }) =>
    using.flatMap((name) => {
      if (source.kind !== 'table') return [];
      const own = inSight.findIndex((one) => one.name === fold(source.alias ?? source.name));
      const column: ColumnRef = { kind: 'name', at: source.at, schema: undefined, table: undefined, name };
      const before = inSight.slice(0, Math.max(own, 0)).find((one) => memberOf({ ...column }, [one]) !== undefined);
      const to = inSight[own]?.entity;
      if (before?.entity === undefined || to === undefined) return [];
      return [{ from: { entity: before.entity.name, name }, to: { entity: to.name, name } }];
    }),
  );
}
