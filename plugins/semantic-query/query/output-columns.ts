/** Names the columns of a result and finds the column that `orderBy` names. */
import type { ModelEntity } from '../../semantic-layer/index.ts';
import type { CompiledColumn } from '../api.ts';
import { type GroupKey, uniqueName } from '../clauses/aggregation.ts';
import type { Aggregate } from '../clauses/measures.ts';
import { PlanError } from '../errors.ts';
import { sameName } from '../lookup/names.ts';
import type { QueryPlan } from '../plan.ts';

export interface Key extends GroupKey {
  readonly name: string;
  /** `entity.dimension`. */
  readonly source: string;
}

export interface MeasureColumn {
  readonly aggregate: Aggregate;
  /** Column name; for a measure that only a filter or order needs, its name inside the statement. */
  readonly name: string;
}

export type Output =
  | { readonly kind: 'dimension'; readonly name: string; readonly key: Key }
  | {
      readonly kind: Exclude<CompiledColumn['kind'], 'dimension'>;
      readonly name: string;
      readonly measure: MeasureColumn;
      /** The value is a percentage of the measure. */
      readonly portion: boolean;
      /** What a ratio divides the measure by, and per how many. */
      readonly per?: { readonly measure: MeasureColumn; readonly times: number };
    };

/** `createdAt`, `Total amount` → `created_at`, `total_amount`. */
export function outputName(name: string): string {
  const words = name.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2').replace(/[^\p{L}\p{N}]+/gu, '_');
  const plain = words.replace(/^_+|_+$/g, '').toLowerCase();
  return plain === '' ? 'value' : plain;
}

/** Unique column names: members of the same name are prefixed with their entity's. */
export function outputNames(items: readonly { readonly name: string; readonly entity: ModelEntity }[]): string[] {
  const plain = items.map(({ name }) => outputName(name));
  const taken: string[] = [];
  for (const [index, { entity }] of items.entries()) {
    const name = plain[index]!;
    const isShared = plain.filter((other) => other === name).length > 1;
    taken.push(uniqueName(isShared ? outputName(`${entity.name}_${name}`) : name, taken));
  }
  return taken;
}

/** The dimensions, then each measure followed by the columns derived from it. */
export function outputsOf(
  keys: readonly Key[],
  measures: readonly MeasureColumn[],
  wants: { readonly comparison: boolean; readonly share: boolean; readonly portion: boolean },
  ratios: NonNullable<QueryPlan['ratios']> = [],
): Output[] {
  const outputs: Output[] = keys.map((key) => ({ kind: 'dimension', name: key.name, key }));
  const taken = [...keys, ...measures].map(({ name }) => name);
  const part = (wanted: string): MeasureColumn => {
    const found = measures.find(({ name, aggregate }) => [name, aggregate.source].some((own) => sameName(own, wanted)));
    if (found?.aggregate.valueType === 'number') return found;
    throw new PlanError('invalid_plan', `A ratio divides two numbers of the plan; ${wanted} is none of them.`);
  };
  for (const { name: said, of, per, times = 1 } of ratios) {
    const name = uniqueName(outputName(said), taken);
    taken.push(name);
    outputs.push({ kind: 'ratio', name, measure: part(of), portion: false, per: { measure: part(per), times } });
  }
  for (const one of measures) {
    const add = (kind: Exclude<Output['kind'], 'dimension'>, suffix: string) => {
      const name = suffix === '' ? one.name : uniqueName(`${one.name}_${suffix}`, taken);
      taken.push(name);
      outputs.push({ kind, name, measure: one, portion: wants.portion });
    };
    add('measure', wants.portion ? 'percent' : '');
    if (wants.comparison) {
      add('comparison', 'previous');
      if (one.aggregate.valueType === 'number') {
        add('change', 'change');
        add('change_percent', 'change_percent');
      }
    }
    if (wants.share) add('share', 'share');
  }
  return outputs;
}

/** Finds a column by its name or by its dimension or measure; `orders.order_date` also finds its month. */
export function findOutput(outputs: readonly Output[], by: string): Output | undefined {
  const named = outputs.find(({ name }) => sameName(name, by));
  if (named !== undefined) return named;
  const matches = outputs.filter((output) => {
    if (output.kind === 'dimension')
      return [output.key.source, output.key.dimension.name].some((own) => sameName(own, by));
    const { source, name } = output.measure.aggregate;
    return output.kind === 'measure' && [source, name].some((own) => sameName(own, by));
  });
  if (matches.length <= 1) return matches[0];
  const choices = matches.map(({ name }) => name);
  throw new PlanError(
    'ambiguous_name',
    `${JSON.stringify(by)} could order by ${choices.join(' or ')}. Say which one.`,
    choices,
  );
}

export function compiledColumn(output: Output): CompiledColumn {
  const { kind, name } = output;
  if (kind === 'dimension') {
    const { grain, dimension, source } = output.key;
    const type = grain === undefined ? dimension.type : grain === 'day' || grain === 'week' ? 'date' : 'string';
    return { name, kind, source, type };
  }
  const { source, valueType, unit, format } = output.measure.aggregate;
  if (kind === 'change_percent' || kind === 'share' || output.portion)
    return { name, kind, source, type: 'number', unit: '%' };
  if (kind === 'ratio') return { name, kind, source, type: 'number' };
  const shown = { ...(unit !== undefined && { unit }), ...(format !== undefined && { format }) };
  return { name, kind, source, type: valueType, ...shown };
}
