/** Objects to a query that leaves out a condition which questions mean unless they say otherwise. */
import type { QueryObjection } from '../../agent/index.ts';
import { columnsIn, expandReferences, type ModelEntity, type QueryReading } from '../../semantic-layer/index.ts';
import type { ColumnRef, Select } from '../../sql-kit/index.ts';
import { truncate } from '../../text-kit/index.ts';
import { memberOf, type VisibleTable, visitStatement } from './statement-visitor.ts';

const MAX_OBJECTIONS = 3;
const MAX_SQL_CHARS = 200;
/** More tables than anybody reads in one statement, which bounds the time. */
const MAX_TABLES = 50;

/** The whole hint of an objection. The offline model, which cannot tell whether all rows are meant, insists by it. */
export const DEFAULT_CONDITION_HINT =
  'Add it, unless the question is about all rows; then run the statement again as it is.';

type Tables = ReadonlyMap<string, ModelEntity>;

interface DefaultCondition {
  readonly entity: ModelEntity;
  readonly name: string;
  readonly sql: string;
  /** The columns that it reads, in lower case. */
  readonly columns: readonly string[];
}

const known = new WeakMap<Tables, readonly DefaultCondition[]>();

/** Those of which the columns are certain. Worked out once for the entities of a connection. */
function conditionsOf(tables: Tables): readonly DefaultCondition[] {
  const found = known.get(tables) ?? [...tables.values()].flatMap(ofEntity);
  known.set(tables, found);
  return found;
}

const ofEntity = (entity: ModelEntity) =>
  entity.segments.flatMap((segment): DefaultCondition[] => {
    if (segment.default !== true) return [];
    const sql = expandReferences(segment.sql, entity.dimensions);
    const columns = columnsIn(sql) ?? [];
    return columns.length === 0 ? [] : [{ entity, name: segment.name, sql, columns }];
  });

/** One for each default condition of a table that is read, where no part of the query reads a column of it. */
export function defaultConditionObjections({ sql, tables, select }: QueryReading): QueryObjection[] {
  const text = sql.toLowerCase();
  const possible = conditionsOf(tables).filter(({ entity }) => text.includes(entity.table.toLowerCase()));
  const statement = possible.length === 0 ? undefined : select();
  if (statement === undefined) return [];
  const use = usedColumns(statement, tables);
  return possible
    .filter(({ entity, columns }) => use.isAbout(entity) && !columns.some((column) => use.reads(entity, column)))
    .slice(0, MAX_OBJECTIONS)
    .map(({ entity, name, sql: condition }) => {
      const shown = truncate(condition.replace(/\s+/g, ' ').trim(), MAX_SQL_CHARS);
      const message = `The statement does not use the default condition "${name}" of ${entity.name} (${shown}).`;
      return {
        message,
        hint: DEFAULT_CONDITION_HINT,
        note: { code: 'default_condition_unused', message, quotesSql: true },
      };
    });
}

interface ColumnUse {
  /** Whether rows of the entity are asked for, and not only looked up for rows of another one. */
  isAbout(entity: ModelEntity): boolean;
  reads(entity: ModelEntity, column: string): boolean;
}

function usedColumns(select: Select, tables: Tables): ColumnUse {
  const entities = new Set<ModelEntity>();
  const counted = new Set<ModelEntity>();
  const read = new Map<ModelEntity | undefined, Set<string>>();
  const isRead = (entity: ModelEntity | undefined, column: string) => read.get(entity)?.has(column) === true;
  visitStatement(select, tables, {
    core(_, inSight) {
      for (const { entity } of inSight) if (entity !== undefined) entities.add(entity);
    },
    expression(expr, inSight) {
      if (expr.kind === 'name') {
        // Without an entity it may be a column of any.
        for (const entity of entitiesOf(expr, inSight) ?? [undefined]) {
          const columns = read.get(entity) ?? new Set();
          read.set(entity, columns.add(expr.name.toLowerCase()));
        }
      }
      if (expr.kind !== 'call' || expr.name.toLowerCase() !== 'count') return;
      const [arg] = expr.args;
      const { entity } = inSight[0] ?? {};
      if (expr.star && inSight.length === 1 && entity !== undefined) counted.add(entity);
      if (arg?.kind === 'name') for (const one of entitiesOf(arg, inSight) ?? []) counted.add(one);
    },
  });
  return {
    isAbout: (entity) =>
      entities.has(entity) &&
      entities.size <= MAX_TABLES &&
      (counted.has(entity) || ![...entities].some((other) => other !== entity && looksUp(other, entity))),
    reads: (entity, column) => isRead(entity, column) || isRead(undefined, column),
  };
}

/** The entities of which it is the column; `undefined` when that is not certain. */
function entitiesOf(column: ColumnRef, inSight: readonly VisibleTable[]): readonly ModelEntity[] | undefined {
  if (column.table === undefined) {
    const member = memberOf(column, inSight);
    return member && [member.entity];
  }
  const table = column.table.toLowerCase();
  const named = inSight.filter(({ name }) => name === table).map(({ entity }) => entity);
  const certain = named.filter((entity) => entity !== undefined);
  return certain.length === 0 || certain.length < named.length ? undefined : certain;
}

/** Whether a row of `from` refers to one of `to`. */
function looksUp(from: ModelEntity, to: ModelEntity): boolean {
  const leads = (one: ModelEntity, other: ModelEntity, relationship: string) =>
    one.joins.some(
      (join) => join.relationship === relationship && join.target.toLowerCase() === other.name.toLowerCase(),
    );
  return leads(from, to, 'many_to_one') || leads(to, from, 'one_to_many');
}
