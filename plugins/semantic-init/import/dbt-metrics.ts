/** Turns measures and metrics of MetricFlow into aggregates. */
import type { Measure, MeasureType } from '../../semantic-layer/index.ts';
import type { Draft } from './dbt-models.ts';
import { aggregateOf, filtered } from './expressions.ts';
import {
  CannotTake,
  type ImportedMetric,
  isRecord,
  present,
  recordsOf,
  synonymsOf,
  type Taken,
  textOf,
} from './project.ts';

type Json = Readonly<Record<string, unknown>>;

const MEASURES: Readonly<Record<string, MeasureType>> = {
  sum: 'sum',
  count: 'count',
  count_distinct: 'count_distinct',
  average: 'avg',
  avg: 'avg',
  min: 'min',
  max: 'max',
};

export function measureOf(given: Json): Measure {
  const name = textOf(given.name);
  const aggregate = String(given.agg);
  const expression = given.expr === undefined || given.expr === null ? name : String(given.expr);
  if (name === undefined || expression === undefined) throw new CannotTake('it has no name');
  if (isRecord(given.non_additive_dimension))
    throw new CannotTake('it is not additive over time, which a layer cannot say');
  const common = present({ name, description: textOf(given.description), synonyms: synonymsOf(name, given.label) });
  if (aggregate === 'sum_boolean') return { ...common, type: 'sum', sql: `CASE WHEN ${expression} THEN 1 ELSE 0 END` };
  const type = MEASURES[aggregate];
  if (type === undefined) throw new CannotTake(`a layer has no aggregation ${aggregate}`);
  return { ...common, type, ...(type === 'count' && /^(\*|1)$/.test(expression) ? {} : { sql: expression }) };
}

/** A metric as an aggregate over one model. */
interface Expressed {
  readonly model: Draft;
  readonly sql: string;
  /** It is just this measure. */
  readonly measure?: string;
}

/** Turns metrics into aggregates. */
class Metrics {
  readonly #metrics: ReadonlyMap<string, Json>;
  readonly #models: ReadonlyMap<string, Draft>;
  readonly #open = new Set<string>();

  constructor(metrics: readonly Json[], models: ReadonlyMap<string, Draft>) {
    this.#metrics = new Map(metrics.map((metric) => [String(metric.name), metric]));
    this.#models = models;
  }

  expressed(name: string, more: readonly string[] = []): Expressed {
    const metric = this.#metrics.get(name);
    if (metric === undefined) throw new CannotTake(`there is no metric ${name}`);
    if (this.#open.has(name)) throw new CannotTake('it refers to itself');
    this.#open.add(name);
    try {
      return this.#express(metric, [...filtersOf(metric), ...more]);
    } finally {
      this.#open.delete(name);
    }
  }

  #express(metric: Json, filters: readonly string[]): Expressed {
    const given = isRecord(metric.type_params) ? metric.type_params : ({} as Json);
    switch (metric.type) {
      case 'simple':
        return this.#simple(given, filters);
      case 'ratio': {
        const [top, bottom] = [this.#input(given.numerator, filters), this.#input(given.denominator, filters)];
        return { model: sameModel([top, bottom]), sql: `1.0 * ${top.sql} / NULLIF(${bottom.sql}, 0)` };
      }
      case 'derived':
        return this.#derived(given, filters);
      default:
        throw new CannotTake(`a layer has no ${String(metric.type)} metrics`);
    }
  }

  #simple(given: Json, filters: readonly string[]): Expressed {
    const own = given.metric_aggregation_params;
    if (isRecord(own)) {
      const model = this.#models.get(String(own.semantic_model));
      const measure = measureOf({ name: 'value', ...own, expr: own.expr ?? given.expr });
      if (model === undefined) throw new CannotTake('its semantic model is not in the manifest');
      const conditions = filters.map((one) => conditionOf(one, model));
      return { model, sql: aggregateOf(filtered(measure, conditions)) };
    }
    const input = isRecord(given.measure) ? given.measure : { name: given.measure };
    for (const [model, measure] of this.#measures(String(input.name))) {
      const conditions = [...filters, ...filtersOf(input)].map((one) => conditionOf(one, model));
      const sql = aggregateOf(filtered(measure, conditions));
      return { model, sql, ...(conditions.length === 0 && { measure: measure.name }) };
    }
    throw new CannotTake(`its measure ${String(input.name)} was not taken`);
  }

  *#measures(name: string): Generator<[Draft, Measure]> {
    for (const model of this.#models.values()) {
      for (const measure of model.measures) if (measure.name === name) yield [model, measure];
    }
  }

  #input(given: unknown, filters: readonly string[]): Expressed {
    const input = isRecord(given) ? given : ({ name: given } as Json);
    if (input.offset_window || input.offset_to_grain) throw new CannotTake('it compares with another time');
    return this.expressed(String(input.name), [...filters, ...filtersOf(input)]);
  }

  #derived(given: Json, filters: readonly string[]): Expressed {
    const inputs = recordsOf(given.metrics).map((input) => ({
      name: textOf(input.alias) ?? String(input.name),
      value: this.#input(input, filters),
    }));
    const expression = textOf(given.expr);
    if (expression === undefined || inputs.length === 0) throw new CannotTake('it has no expression');
    const sql = expression.replace(/'(?:[^']|'')*'|\b[A-Za-z_]\w*\b/g, (word) => {
      const input = inputs.find(({ name }) => name === word);
      return input === undefined ? word : `(${input.value.sql})`;
    });
    return { model: sameModel(inputs.map(({ value }) => value)), sql };
  }
}

function sameModel(parts: readonly Expressed[]): Draft {
  const [first] = parts;
  if (first === undefined || parts.some(({ model }) => model !== first.model)) {
    throw new CannotTake('it takes measures from several models');
  }
  return first.model;
}

/** The conditions of a metric or an input: templates such as `{{ Dimension('order__status') }} = 'sent'`. */
function filtersOf({ filter }: Json): string[] {
  if (filter === null || filter === undefined) return [];
  const where = isRecord(filter) ? filter.where_filters : filter;
  return (Array.isArray(where) ? where : [where]).map((one) =>
    isRecord(one) ? String(one.where_sql_template) : String(one),
  );
}

const DIMENSION = /\{\{\s*(?:Dimension|TimeDimension)\(\s*['"]([^'"]+)['"][^)]*\)\s*\}\}/g;

function conditionOf(template: string, model: Draft): string {
  const sql = template.replace(DIMENSION, (_, path: string) => {
    const [name = '', entity] = path.split('__').reverse();
    const dimension = [...model.dimensions.values()].find((one) => one.name === name);
    if (dimension === undefined || (entity !== undefined && model.keys.get(entity)?.isPrimary === false)) {
      throw new CannotTake(`its filter needs ${path} of another model`);
    }
    return `{${name}}`;
  });
  if (/\{\{|\{%/.test(sql)) throw new CannotTake('its filter has a template that is not a dimension');
  return sql;
}

export function takeMetrics({ metrics }: Json, models: ReadonlyMap<string, Draft>, taken: Taken): ImportedMetric[] {
  const all = new Metrics(recordsOf(metrics), models);
  return recordsOf(metrics).flatMap((metric) => {
    const id = textOf(metric.name) ?? '?';
    return taken(`metric ${id}`, () => {
      const { model, sql, measure } = all.expressed(id);
      const label = textOf(metric.label);
      const common = present({ id, label, description: textOf(metric.description), entity: model.name });
      return { ...common, ...(measure === undefined ? { sql } : { measure }) };
    });
  });
}
