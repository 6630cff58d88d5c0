/** Finds the texts that a statement compares with columns of entities. */
import type { ModelEntity } from '../../semantic-layer/index.ts';
import type { Expr, Select } from '../../sql-kit/index.ts';
import { type Member, memberOf, type VisibleTable, visitStatement } from '../checks/statement-visitor.ts';

export interface ComparedValue extends Member {
  readonly value: string;
}

const EQUALITY = new Set(['=', '==', '<>', '!=']);

/** Only what is certain: a plain column, of a table that is an entity, compared with a text for equality. */
export function comparedValues(select: Select, tables: ReadonlyMap<string, ModelEntity>): ComparedValue[] {
  const found: ComparedValue[] = [];
  const compare = (column: Expr | undefined, value: Expr | undefined, inSight: readonly VisibleTable[]) => {
    if (column?.kind !== 'name' || value?.kind !== 'string') return;
    const member = memberOf(column, inSight);
    if (member !== undefined) found.push({ ...member, value: value.value });
  };
  visitStatement(select, tables, {
    expression(expr, inSight) {
      if (expr.kind === 'chain' && expr.operands.length === 2 && EQUALITY.has(expr.operators[0] ?? '')) {
        compare(expr.operands[0], expr.operands[1], inSight);
        compare(expr.operands[1], expr.operands[0], inSight);
      }
      if (expr.kind === 'in' && expr.set.kind === 'list') {
        for (const item of expr.set.items) compare(expr.operand, item, inSight);
      }
    },
  });
  return found;
}
