/** Recognizes the measures and metrics of the layer in the expressions of a statement. */
import { type ValueFormat, valueFormat } from '../result-kit/index.ts';
import { expandReferences, type Measure, type ModelEntity, type ModelMetric } from '../semantic-layer/index.ts';
import {
  type ColumnRef,
  DEFAULT_LIMITS,
  type Expr,
  fold,
  forEachOperand,
  parseExpression,
  type Select,
  type SqlDialect,
} from '../sql-kit/index.ts';
import { spoken } from './words.ts';

/** A measure or metric of the layer. */
export interface KnownMeasure {
  /** `entity.measure`, or the metric's id. */
  readonly name: string;
  readonly words: string;
  readonly definition: string;
  readonly sql?: string;
  readonly format?: ValueFormat;
  readonly synonyms: readonly string[];
}

const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_$]*$/u;

/** The aggregate that a measure is, as SQL over the columns of its entity. */
export function aggregateOf({ type, sql }: Measure, { dimensions }: ModelEntity): string | undefined {
  if (sql === undefined) return type === 'count' ? 'COUNT(*)' : undefined;
  const expression = expandReferences(sql, dimensions);
  if (type === 'ratio') return expression;
  return type === 'count_distinct' ? `COUNT(DISTINCT ${expression})` : `${type.toUpperCase()}(${expression})`;
}

const AGGREGATED = {
  count: 'Number',
  count_distinct: 'Number of different values',
  sum: 'Sum',
  avg: 'Average',
  min: 'Least',
  max: 'Largest',
};

function definitionOf({ name, type, sql, description }: Measure, entity: ModelEntity): string {
  if (description) return description;
  if (type === 'ratio') return `${spoken(name)} of ${spoken(entity.name)}`;
  const what = sql !== undefined && PLAIN_NAME.test(sql) ? `${spoken(sql)} of ` : '';
  return `${AGGREGATED[type]} of ${what}${spoken(entity.name)}`;
}

function measureOf(entity: ModelEntity, measure: Measure): KnownMeasure {
  const { name, synonyms = [] } = measure;
  const [sql, format] = [aggregateOf(measure, entity), valueFormat(measure)];
  return {
    name: `${entity.name}.${name}`,
    words: spoken(name),
    definition: definitionOf(measure, entity),
    synonyms,
    ...(sql !== undefined && { sql }),
    ...(format && { format }),
  };
}

function metricOf(metric: ModelMetric, measure: KnownMeasure | undefined): KnownMeasure {
  const { id, label, description, sql = measure?.sql, synonyms = [] } = metric;
  const format = valueFormat(metric) ?? measure?.format;
  const words = label ?? spoken(id);
  return {
    name: id,
    words,
    definition: description || measure?.definition || words,
    synonyms,
    ...(sql !== undefined && { sql }),
    ...(format && { format }),
  };
}

/** What a measure is, by the name that a plan gives it: `entity.measure` or the id of a metric. */
export function measuresByName(
  entities: Iterable<ModelEntity>,
  metrics: readonly ModelMetric[],
): ReadonlyMap<string, KnownMeasure> {
  const found = new Map<string, KnownMeasure>();
  for (const entity of entities) {
    const rows = `Number of ${spoken(entity.name)}`;
    found.set(fold(`${entity.name}.count`), {
      name: `${entity.name}.count`,
      words: `number of ${spoken(entity.name)}`,
      definition: rows,
      sql: 'COUNT(*)',
      synonyms: [],
    });
    for (const measure of entity.measures) {
      const known = measureOf(entity, measure);
      found.set(fold(known.name), known);
    }
  }
  for (const metric of metrics) {
    const measure = metric.measure?.includes('.') ? metric.measure : `${metric.entity}.${metric.measure}`;
    const of = metric.measure === undefined ? undefined : found.get(fold(measure));
    found.set(fold(metric.id), metricOf(metric, of));
  }
  return found;
}

/** The name of a column as it is compared: `entity.column`, or as written where its table is not certain. */
export type NameOf = (column: ColumnRef) => string;

/** An expression of more operands has no name in the layer: its key would be made for each expression around it, too. */
const MAX_OPERANDS = 1_000;

/** Whether the layer may have a name for an expression. */
export function isNameable(expr: Expr): boolean {
  let left = MAX_OPERANDS;
  const visit = (one: Expr): void => {
    left -= 1;
    if (left > 0) forEachOperand(one, visit);
  };
  visit(expr);
  return left > 0;
}

const SUBQUERY = '(SELECT)';
const DROPPED = new Set(['at', 'schema', 'text', 'label', 'minimum', 'level']);

/** Equal for expressions that mean the same, whatever aliases and capitals they are written with. */
export function keyOf(expr: Expr, nameOf: NameOf): string {
  return JSON.stringify(expr, (key, value: unknown) => {
    if (DROPPED.has(key)) return undefined;
    if (key === 'name' && typeof value === 'string') return fold(value);
    if (typeof value !== 'object' || value === null) return value;
    const { kind } = value as Expr | Select;
    // The names in it are those of its own tables.
    if (kind === 'select') return SUBQUERY;
    return kind === 'name' ? nameOf(value as ColumnRef) : value;
  });
}

/** The key of an expression of the layer over the columns of an entity; `undefined` for one that cannot be read. */
export function keyOfLayer(sql: string, entity: ModelEntity, dialect: SqlDialect): string | undefined {
  try {
    const key = keyOf(parseExpression(sql, dialect, DEFAULT_LIMITS), ({ name }) => columnKey(entity, name));
    return key.includes(SUBQUERY) ? undefined : key;
  } catch {
    return undefined;
  }
}

export const columnKey = ({ name }: ModelEntity, column: string) => fold(`${name}.${column}`);
