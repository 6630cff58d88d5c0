/** Objects to a query that joins two tables on columns of different types. */
import type { QueryObjection } from '../../agent/index.ts';
import type { ModelDimension, ModelEntity, QueryReading } from '../../semantic-layer/index.ts';
import type { Expr } from '../../sql-kit/index.ts';
import { type Member, memberOf, visitStatement } from './statement-visitor.ts';

const MAX_OBJECTIONS = 3;
const EQUALITY = new Set(['=', '==']);
const KINDS: Partial<Record<ModelDimension['type'], string>> = {
  number: 'a number',
  string: 'a text',
  date: 'a time',
  timestamp: 'a time',
};

/** A statement without these joins no columns. */
const JOINS = /=|\b(?:using|natural)\b/i;

/** Only what is certain: plain columns of two entities whose values cannot be equal, or that a declared join relates otherwise. */
export function joinTypeObjections({ sql, tables, select }: QueryReading): QueryObjection[] {
  const statement = JOINS.test(sql) ? select() : undefined;
  if (statement === undefined) return [];
  const found = new Map<string, QueryObjection>();
  visitStatement(statement, tables, {
    expression(expr, inSight) {
      if (found.size >= MAX_OBJECTIONS || expr.kind !== 'chain' || expr.operands.length !== 2) return;
      if (!EQUALITY.has(expr.operators[0] ?? '')) return;
      const [left, right] = expr.operands.map((operand: Expr) =>
        operand.kind === 'name' ? memberOf(operand, inSight) : undefined,
      );
      const objection = left && right && objectionTo(left, right);
      if (objection !== undefined) found.set(objection.message, objection);
    },
  });
  return [...found.values()];
}

function objectionTo(left: Member, right: Member): QueryObjection | undefined {
  const [one, other] = [KINDS[left.dimension.type], KINDS[right.dimension.type]];
  if (left.entity === right.entity || one === undefined || other === undefined || one === other) return undefined;
  const joins = [...joinsBetween(left.entity, right.entity), ...joinsBetween(right.entity, left.entity)];
  const isDeclared = joins.some((pairs) =>
    pairs.some((pair) => pair.every(({ entity, column }) => isColumn(entity === left.entity ? left : right, column))),
  );
  const canBeEqual = [left, right].some(({ dimension }) => dimension.type === 'string' && !hasWords(dimension));
  if (isDeclared || (canBeEqual && joins.length === 0)) return undefined;
  const shown = joins.map((pairs) =>
    pairs.map((pair) => pair.map(({ entity, column }) => `${entity.name}.${column}`).join(' = ')).join(' AND '),
  );
  const declared = shown.length === 0 ? 'Join on columns of one type.' : `Declared is ${shown.join(', or ')}.`;
  return {
    message: `${nameOf(left)} is ${one}, ${nameOf(right)} ${other}: they do not join.`,
    hint: `${declared} Run the query again only if it is meant as it is.`,
  };
}

/** The joins that one entity declares to the other, as pairs of columns. */
const joinsBetween = (from: ModelEntity, to: ModelEntity) =>
  from.joins
    .filter(({ target }) => target.toLowerCase() === to.name.toLowerCase())
    .map(({ on }) =>
      on.map((pair) => [
        { entity: from, column: pair.from },
        { entity: to, column: pair.to },
      ]),
    );

function isColumn({ dimension: { name, sql } }: Member, column: string): boolean {
  const plain = column.slice(column.lastIndexOf('.') + 1).toLowerCase();
  return plain === name.toLowerCase() || plain === sql.toLowerCase();
}

/** Whether the sample values are texts that are neither numbers nor dates. */
function hasWords({ sample_values: samples = [] }: ModelDimension): boolean {
  return samples.length > 0 && samples.every((value) => typeof value === 'string' && !/^\s*[+-]?\.?\d/.test(value));
}

const nameOf = ({ entity, dimension }: Member) => `${entity.name}.${dimension.name}`;
