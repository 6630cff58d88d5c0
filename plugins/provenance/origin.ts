/** Reads from a statement where its result comes from; what is known of a run is added later. */
import {
  type FilterValue,
  type Provenance,
  type ProvenanceFilter,
  type ProvenanceJoin,
  type ProvenanceMeasure,
  type ProvenancePeriod,
  type ValueFormat,
  type ValueFormats,
  valueFormat,
} from '../result-kit/index.ts';
import { type ModelEntity, type QueryReading, type SemanticModel, visibleModel } from '../semantic-layer/index.ts';
import { type CompiledColumn, compiledAs } from '../semantic-query/index.ts';
import { fold, printExpression, type Select, type SqlDialect } from '../sql-kit/index.ts';
import { type Meaning, meaningsOf } from './assumptions.ts';
import { periodsOf } from './comparisons.ts';
import { type ConditionNames, conditionNames } from './layer-conditions.ts';
import type { KnownMeasure } from './measures.ts';
import { type Part, partsOf, type StatementParts } from './statement-parts.ts';
import { memberText, periodText } from './words.ts';

/** What a statement says, whoever runs it and whenever. */
export interface Origin {
  readonly provenance: Omit<Provenance, 'tables' | 'policies' | 'limit' | 'assumptions'>;
  readonly entities: readonly ModelEntity[];
  /** Further tables that are read, as the database calls them. */
  readonly otherTables: readonly string[];
  readonly limitRows: number | null;
  readonly isSampled: boolean;
  readonly formats: ValueFormats | undefined;
  readonly meanings: readonly Meaning[];
}

const MAX_ITEMS = 50;

/** `tables`: those that the statement was allowed to read. `undefined` for a statement that cannot be read. */
export function originOf(
  reading: QueryReading,
  model: SemanticModel,
  allowed: readonly string[],
  now: Date,
): Origin | undefined {
  const select = reading.select();
  if (select === undefined) return undefined;
  const { dialect } = reading;
  const layer = conditionNames(model, dialect);
  const parts = partsOf(select, reading, layer, now);
  const several = parts.parts.filter(({ readsTables }) => readsTables).length > 1;
  const entities = [...parts.entities];
  const own = new Set(entities.map(({ table }) => fold(table)));
  const compiled = compiledAs(model, reading.sql)?.columns;
  const periods = parts.parts.flatMap((part) => shownPeriods(part, several, dialect)).slice(0, MAX_ITEMS);
  const measures = measuresOf(parts, compiled, layer, dialect);
  return {
    provenance: {
      measures: measures.slice(0, MAX_ITEMS),
      filters: distinct(parts.parts.flatMap((part) => filtersOf(part, several, dialect))).slice(0, MAX_ITEMS),
      periods,
      joins: joinsOf(parts).slice(0, MAX_ITEMS),
    },
    entities,
    otherTables: allowed.filter((name) => {
      const last = fold(name.replace(/^.*\./, ''));
      return parts.otherTables.has(last) && !own.has(last);
    }),
    limitRows: limitOf(select),
    isSampled: parts.isSampled,
    formats: formatsOf(parts, compiled, layer),
    meanings: meaningsOf(
      parts,
      measures.map(({ name }) => layer.measure(name)),
      periods,
      layer,
    ),
  };
}

function limitOf({ limit }: Select): number | null {
  const rows = limit?.kind === 'number' ? Number(limit.value) : Number.NaN;
  return Number.isInteger(rows) ? rows : null;
}

const named = (part: Part, several: boolean) => (several && part.name !== undefined ? { part: part.name } : {});

const distinct = <T>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
];

function filtersOf(part: Part, several: boolean, dialect: SqlDialect): ProvenanceFilter[] {
  return part.conditions.filters.map(({ expr, text, column, operator, values, orMissing, named: name }) => ({
    text: text(),
    ...(column !== undefined && { column }),
    ...(operator !== undefined && { operator }),
    ...(values !== undefined && { values: [...values] as FilterValue[] }),
    ...(orMissing && { orMissing }),
    ...(name !== undefined && { named: name }),
    ...named(part, several),
    sql: printExpression(expr, dialect),
  }));
}

function shownPeriods(part: Part, several: boolean, { timeZone }: SqlDialect): ProvenancePeriod[] {
  return periodsOf(part.conditions.bounds).map(({ member: { entity, dimension }, includesTo = false, ...ends }) => ({
    column: `${entity.name}.${dimension.name}`,
    text: `${memberText(entity, dimension.name)}: ${periodText(ends.from, ends.to, includesTo)}`,
    ...ends,
    includesTo,
    timeZone: dimension.type === 'date' ? null : (timeZone ?? null),
    ...named(part, several),
  }));
}

function joinsOf({ parts, inner }: StatementParts): ProvenanceJoin[] {
  const joins = new Map<string, { from: string; to: string; on: { from: string; to: string }[] }>();
  for (const { from, to } of [...parts.map(({ conditions }) => conditions), ...inner].flatMap((one) => one.joins)) {
    // Written the other way round, it is the same join.
    const [left, right] = joins.has(`${to.entity} ${from.entity}`) ? [to, from] : [from, to];
    const key = `${left.entity} ${right.entity}`;
    const join = joins.get(key) ?? { from: left.entity, to: right.entity, on: [] };
    joins.set(key, join);
    const pair = { from: left.name, to: right.name };
    if (!join.on.some((one) => one.from === pair.from && one.to === pair.to)) join.on.push(pair);
  }
  return [...joins.values()];
}

type Defined = Pick<KnownMeasure, 'name' | 'definition' | 'sql'>;

function shownMeasure({ name, definition, sql }: Defined, column: string | undefined): ProvenanceMeasure {
  return { name, ...(column !== undefined && { column }), definition, ...(sql !== undefined && { sql }) };
}

/** Those of the layer, and what else the statement calculates. */
function measuresOf(
  { calculations }: StatementParts,
  compiled: readonly CompiledColumn[] | undefined,
  layer: ConditionNames,
  dialect: SqlDialect,
): ProvenanceMeasure[] {
  const measures: ProvenanceMeasure[] = [];
  const covered = new Set<string>();
  for (const { name, kind, source } of compiled ?? []) {
    const measure = kind === 'dimension' ? undefined : layer.measure(source);
    if (measure === undefined) continue;
    covered.add(name);
    if (!measures.some((one) => one.name === measure.name)) measures.push(shownMeasure(measure, name));
  }
  // The parts of a plan's measures are no calculations of its own.
  const further = measures.length === 0 ? calculations : calculations.filter(({ column }) => column !== undefined);
  for (const { column, expr, measure, words } of further) {
    if (column !== undefined && covered.has(column)) continue;
    const known = measure === undefined ? undefined : layer.measure(measure);
    const own = { name: words, definition: capital(words), sql: printExpression(expr, dialect) };
    const one = shownMeasure(known ?? own, column);
    if (!measures.some(({ name, sql }) => name === one.name && sql === one.sql)) measures.push(one);
  }
  return measures;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function formatsOf(
  { columns, named: byName, calculations }: StatementParts,
  compiled: readonly CompiledColumn[] | undefined,
  layer: ConditionNames,
): Origin['formats'] {
  const formats: Record<string, ValueFormat> = {};
  if (compiled !== undefined) {
    for (const column of compiled) {
      const format = valueFormat(column);
      if (format !== undefined) formats[column.name] = format;
    }
  } else {
    for (const { name, expr } of columns) {
      const own = calculations.find(({ column }) => column === name)?.measure;
      const measure = own ?? (expr.kind === 'name' ? byName.get(fold(expr.name)) : undefined);
      const format = measure === undefined ? undefined : layer.measure(measure)?.format;
      if (format !== undefined) formats[name] = format;
    }
  }
  return Object.keys(formats).length === 0 ? undefined : formats;
}

/** A statement that cannot be read: only its tables are known. */
export function unreadOrigin(model: SemanticModel, allowed: readonly string[]): Origin {
  const { entities } = visibleModel(model);
  const isOf = (name: string) => (entity: ModelEntity) => fold(entity.table) === fold(name.replace(/^.*\./, ''));
  return {
    provenance: { measures: [], filters: [], periods: [], joins: [] },
    entities: allowed.flatMap((name) => entities.find(isOf(name)) ?? []),
    otherTables: allowed.filter((name) => !entities.some(isOf(name))),
    limitRows: null,
    isSampled: false,
    formats: undefined,
    meanings: [],
  };
}
