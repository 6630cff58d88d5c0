/** Finds the aggregates of a statement that take rows several times because a join repeats them. */
import type { ModelEntity } from '../semantic-layer/index.ts';
import {
  type Call,
  type Core,
  type Expr,
  type From,
  forEachOperand,
  forEachPart,
  type Select,
  type SelectCore,
  type Source,
} from '../sql-kit/index.ts';
import { callsIn, type Effect, effectOf, resultsOf } from './aggregate-calls.ts';
import { type CommonTables, FromClauses, withCommonTables } from './from-clause.ts';
import { groupExpressions, outputsOf } from './group-key.ts';
import { multiplierOf } from './multiplied-rows.ts';
import type { Column, RowSource } from './row-set.ts';
import type { Scope } from './scope.ts';

/** Further calls are not checked, which bounds the time; they take the same rows as a rule. */
const MAX_CALLS = 50;

export interface FanOut {
  readonly call: Call;
  readonly effect: Effect;
  /** The table whose rows are repeated, and the one whose rows repeat them. */
  readonly counted: RowSource;
  readonly multiplier: RowSource;
  /** The call takes a column that identifies a row. */
  readonly countsKey: boolean;
  /** No result reads the joined rows: they only restrict the others. */
  readonly onlyFilters: boolean;
}

/** None for a statement that reads more sources than are followed. `tables` are the entities by their tables. */
export function fanOutsOf(select: Select, tables: ReadonlyMap<string, ModelEntity>): FanOut[] {
  const reader = new FanOutReader(tables);
  try {
    reader.select(select, new Map());
    return reader.found;
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

class FanOutReader {
  readonly found: FanOut[] = [];
  readonly #clauses: FromClauses;
  #callsLeft = MAX_CALLS;

  constructor(tables: ReadonlyMap<string, ModelEntity>) {
    this.#clauses = new FromClauses(tables);
  }

  select({ with: clause, first, rest, orderBy }: Select, outer: CommonTables): void {
    const common = withCommonTables(clause, outer);
    for (const { name, select } of clause?.tables ?? []) {
      this.select(select, common.get(name.toLowerCase())?.seen ?? common);
    }
    const order = orderBy.map(({ expr }) => expr);
    this.#core(first, order, common);
    for (const { core } of rest) this.#core(core, [], common);
  }

  #core(core: Core, order: readonly Expr[], common: CommonTables): void {
    if (core.kind === 'nested') this.select(core.select, common);
    if (core.kind !== 'core') return;
    if (core.from !== undefined) this.#from(core.from, common);
    const results = [...resultsOf(core), ...order];
    for (const expr of [...results, core.where, ...core.groupBy]) {
      if (expr !== undefined) this.#subqueries(expr, common);
    }
    const calls = callsIn(results);
    const isAffected = (call: Call) => !call.distinct && call.args.length > 0 && effectOf(call) !== undefined;
    if (!calls.some(isAffected)) return;
    const scope = this.#clauses.read(core, common);
    if (scope.rows.sources.length < 2) return;
    const shares = shareCounts(results, scope);
    const checked = calls.filter((call) => isAffected(call) && !shares.has(call)).slice(0, this.#callsLeft);
    this.#callsLeft -= checked.length;
    for (const call of checked) this.#check(call, calls, core, scope);
  }

  #from({ first, joins }: From, common: CommonTables): void {
    for (const source of [first, ...joins.map((join) => join.source)]) this.#source(source, common);
    for (const { on } of joins) if (on !== undefined) this.#subqueries(on, common);
  }

  #source(source: Source, common: CommonTables): void {
    if (source.kind === 'join') this.#from(source.from, common);
    if (source.kind === 'subquery') this.select(source.select, common);
  }

  #subqueries(expr: Expr, common: CommonTables): void {
    if (expr.kind === 'scalar' || expr.kind === 'exists') this.select(expr.select, common);
    if (expr.kind === 'in' && expr.set.kind !== 'list') this.#source(expr.set, common);
    forEachOperand(expr, (operand) => this.#subqueries(operand, common));
  }

  #check(call: Call, calls: readonly Call[], core: SelectCore, scope: Scope): void {
    const group = groupOf(call, core, scope);
    const effect = effectOf(call);
    const values = call.args.map((arg) => scope.value(arg));
    if (group === undefined || effect === undefined || values.some(({ carriers }) => carriers === undefined)) return;
    const counted = [...new Set(values.flatMap(({ carriers = [] }) => carriers))];
    const multiplier = counted.length === 0 ? undefined : multiplierOf(counted, group, scope.rows);
    if (multiplier === undefined) return;
    // An average of one row in a group is right, and a count means the joined rows; so does a count of one name.
    const inGroup = scope.rows.determined(group);
    const isOne = (one: RowSource) => inGroup.has(scope.rows.row(one)) || scope.rows.named.has(one);
    if (effect !== 'adds' && counted.every(isOne)) return;
    // Counted both ways, the joined rows are meant.
    const isSame = ({ name, distinct, args: [arg] }: Call) =>
      distinct && name.toLowerCase() === 'count' && arg !== undefined && scope.value(arg).column === values[0]!.column;
    if (effect === 'counts' && calls.some(isSame)) return;
    const isFinest = (source: RowSource) => {
      const determined = scope.rows.determined([scope.rows.row(source)]);
      return counted.every((other) => determined.has(scope.rows.row(other)));
    };
    const { source, name } = values[0]!.column;
    this.found.push({
      call,
      effect,
      counted: counted.find(isFinest) ?? counted[0]!,
      multiplier,
      countsKey: effect === 'counts' && source?.keys?.primary.length === 1 && source.keys.primary[0] === name,
      onlyFilters: !resultColumns(core, scope).some((column) => column.source === multiplier),
    });
  }
}

/** Counts by which a number of joined rows is divided: a share of these rows is meant. */
function shareCounts(results: readonly Expr[], scope: Scope): Set<Call> {
  const found = new Set<Call>();
  const countsRows = (call: Call) =>
    effectOf(call) !== undefined && call.args.every((arg) => scope.value(arg).carriers?.length === 0);
  forEachPart(results, (expr) => {
    const division = expr.kind === 'chain' ? expr.operators.indexOf('/') : -1;
    if (expr.kind === 'chain' && division >= 0 && callsIn(expr.operands.slice(0, division + 1)).some(countsRows)) {
      for (const call of callsIn(expr.operands.slice(division + 1))) if (effectOf(call) === 'counts') found.add(call);
    }
  });
  return found;
}

/** The columns that have one value among the rows of a call: of its group, or of its window. */
function groupOf({ over }: Call, core: SelectCore, scope: Scope): Column[] | undefined {
  const window = typeof over === 'string' ? core.windows.find(({ name }) => name === over)?.window : over;
  // Windows over groups are not followed.
  const isOverGroups = over !== undefined && core.groupBy.length > 0;
  const exprs = over === undefined ? groupExpressions(core, outputsOf(core), scope) : window?.partitionBy;
  return isOverGroups ? undefined : exprs?.map((expr) => scope.value(expr).column);
}

/** The columns that the results read, each one as the source has it. */
function resultColumns(core: SelectCore, scope: Scope): Column[] {
  const found: Column[] = [];
  forEachPart([...resultsOf(core), ...core.groupBy], (expr) => {
    if (expr.kind === 'name') found.push(scope.value(expr).column);
  });
  return found;
}
