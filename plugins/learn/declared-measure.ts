/** Finds the measure of the layer that an aggregate of a statement is. */
import { expandReferences, type Measure, type ModelEntity } from '../semantic-layer/index.ts';
import { DEFAULT_LIMITS, fold, parseExpression, type SqlDialect } from '../sql-kit/index.ts';
import { expressionText } from './shape.ts';
import type { UsedAggregate } from './statement-use.ts';

/** By dialect: each would be read once for every statement. */
const known = new WeakMap<Measure, Map<SqlDialect, string>>();

/** The expression in the form of those of statements; its text where it cannot be read. */
function textOf(measure: Measure, { dimensions }: ModelEntity, dialect: SqlDialect): string {
  const texts = known.get(measure) ?? new Map<SqlDialect, string>();
  known.set(measure, texts);
  let text = texts.get(dialect);
  if (text === undefined) {
    const { sql = '' } = measure;
    try {
      const read = parseExpression(expandReferences(sql, dimensions), dialect, DEFAULT_LIMITS);
      text = fold(expressionText(read, dialect));
    } catch {
      text = fold(sql);
    }
    texts.set(dialect, text);
  }
  return text;
}

/** However either is written. `sql`: what is aggregated, without literals. */
export function declaredMeasure(
  { entity, type }: Pick<UsedAggregate, 'entity' | 'type'>,
  sql: string,
  dialect: SqlDialect,
): Measure | undefined {
  const same = entity.measures.filter((measure) => measure.type === type && measure.sql !== undefined);
  return same.find((measure) => textOf(measure, entity, dialect) === fold(sql));
}
