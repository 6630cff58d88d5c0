/** Finds out how a measure comes about: a total that adds up over groups, or a ratio of two totals; and when its rows are. */
import { AtlasError } from '../../kernel/index.ts';
import {
  isTime,
  type Measure,
  type ModelDimension,
  type ModelEntity,
  type ModelMetric,
  type SemanticModel,
  visibleModel,
} from '../semantic-layer/index.ts';

/** What the statements ask for in place of the measure. */
export interface MeasureParts {
  /** One measure that adds up, or numerator and denominator. */
  readonly measures: readonly string[];
  readonly isRatio: boolean;
  /** Its values are numbers of rows. */
  readonly isCount: boolean;
  /** The reader's model, with numerator and denominator as measures. */
  readonly model: SemanticModel;
  readonly entity: ModelEntity | undefined;
  readonly metric: ModelMetric | undefined;
}

const NUMERATOR = 'analysis_numerator';
const DENOMINATOR = 'analysis_denominator';

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
const refuse = (message: string, hint: string) => new AtlasError(message, { code: 'invalid_request', hint });

interface Found {
  readonly entity: ModelEntity | undefined;
  readonly measure: Pick<Measure, 'type' | 'sql' | 'name'> | undefined;
  readonly metric: ModelMetric | undefined;
}

/** A name that is not found is left to the compiler, which says what there is instead. */
function found(model: SemanticModel, name: string): Found {
  const metric = model.metric(name);
  const wanted = metric?.measure ?? name;
  if (metric?.sql !== undefined && metric.measure === undefined) {
    const entity = model.entity(metric.entity ?? '');
    return { entity, metric, measure: { type: 'ratio', sql: metric.sql, name: metric.id } };
  }
  const dot = wanted.lastIndexOf('.');
  const own = wanted.slice(dot + 1);
  const named = model.entity(dot > 0 ? wanted.slice(0, dot) : (metric?.entity ?? ''));
  const entity = named ?? model.entities.find(({ measures }) => measures.some((one) => same(one.name, own)));
  const measure = entity?.measures.find((one) => same(one.name, own));
  const listed = model.metrics.find(
    (one) => same(one.measure?.replace(/^.*\./, '') ?? '', own) && same(one.entity ?? '', entity?.name ?? ''),
  );
  return { entity, measure, metric: metric ?? listed };
}

/** `SUM(a) / COUNT(*)` → both sides, where one division is outside all parentheses and texts; `undefined` for none. */
export function sidesOf(sql: string): readonly [string, string] | undefined {
  const flat = sql.replace(/'(?:[^']|'')*'|"[^"]*"|`[^`]*`/g, (text) => '_'.repeat(text.length));
  let depth = 0;
  const outer = Array.from(flat, (letter) => {
    if (letter === ')') depth -= 1;
    const shown = depth > 0 ? '_' : letter;
    if (letter === '(') depth += 1;
    return shown;
  }).join('');
  const [top = '', bottom, more] = outer.split('/');
  if (bottom === undefined) return undefined;
  // A factor behind the divisor belongs to the numerator.
  const [, divisor = '', factor] = /^(.*?)(?:\*\s*([\d.]+)\s*)?$/s.exec(sql.slice(top.length + 1)) ?? [];
  if (more !== undefined || /[-+*]/.test(outer.slice(top.length + 1, top.length + 1 + divisor.length))) return ['', ''];
  if (/[-+]/.test(top)) return ['', ''];
  const numerator = sql.slice(0, top.length).trim();
  return [factor === undefined ? numerator : `${factor} * ${numerator}`, divisor.trim()];
}

function ratioParts({ type, sql, name }: NonNullable<Found['measure']>): readonly Measure[] | undefined {
  if (type === 'avg') {
    const value = sql ?? name;
    return [
      { name: NUMERATOR, type: 'sum', sql: value },
      { name: DENOMINATOR, type: 'count', sql: value },
    ];
  }
  const sides = type === 'ratio' ? sidesOf(sql ?? '') : undefined;
  if (sides === undefined) return undefined;
  if (sides[0] === '') throw refuse(`${name} is no plain ratio of two totals.`, 'Explain its parts one by one.');
  return [
    { name: NUMERATOR, type: 'ratio', sql: sides[0] },
    { name: DENOMINATOR, type: 'ratio', sql: sides[1] },
  ];
}

/** `isWhole`: any measure will do, as it is not divided into groups. */
export function partsOf(model: SemanticModel, name: string, isWhole = false): MeasureParts {
  const { entity, measure, metric } = found(model, name);
  const type = measure?.type ?? 'count';
  if (!isWhole && (type === 'min' || type === 'max' || type === 'count_distinct')) {
    throw refuse(
      `${name} does not add up over groups, so a change of it has no contributions.`,
      'Ask for a sum, a count, an average or a ratio.',
    );
  }
  const ratio = isWhole ? undefined : measure && entity && ratioParts(measure);
  const common = { entity, metric };
  if (ratio === undefined || entity === undefined) {
    return { ...common, measures: [name], isRatio: false, isCount: type === 'count', model };
  }
  const extended: ModelEntity = { ...entity, measures: [...entity.measures, ...ratio] };
  const adapted: SemanticModel = {
    ...model,
    entities: model.entities.map((one) => (one === entity ? extended : one)),
    entity: (wanted) => (model.entity(wanted) === entity ? extended : model.entity(wanted)),
    metric: (id) => model.metric(id),
  };
  const measures = [NUMERATOR, DENOMINATOR].map((part) => `${entity.name}.${part}`);
  return { ...common, measures, isRatio: true, isCount: false, model: adapted };
}

/** Whether the values of groups add up to that of all rows. */
export function addsUp(model: SemanticModel, name: string): boolean {
  const { measure } = found(model, name);
  return measure === undefined || measure.type === 'sum' || measure.type === 'count';
}

/** The date that the rows of a measure belong to: as given, of the metric, or the only one. Throws where it is not clear. */
export function timeOf(model: SemanticModel, parts: MeasureParts, given: string | undefined): string {
  if (given !== undefined) return given;
  const { entities } = visibleModel(model);
  const times = entities.flatMap(({ name, dimensions }) =>
    dimensions.filter(isTime).map((one) => `${name}.${one.name}`),
  );
  const own = parts.entity?.name ?? '';
  const full = (parts.metric?.dimensions ?? []).map((name) => (name.includes('.') ? name : `${own}.${name}`));
  const listed = full.find((name) => times.some((time) => same(time, name)));
  const ofEntity = times.filter((time) => same(time.slice(0, time.lastIndexOf('.')), own));
  const only = listed ?? (ofEntity.length === 1 ? ofEntity[0] : undefined);
  if (only !== undefined) return only;
  const choices = ofEntity.length > 0 ? ` Choices: ${ofEntity.join('; ')}.` : '';
  throw refuse('Which date is meant is not clear.', `Name it in time.${choices}`);
}

/** A visible dimension by `entity.dimension`, or by its own name: of `owner`, else of any entity. */
export function dimensionNamed(model: SemanticModel, name: string, owner?: ModelEntity) {
  const dot = name.lastIndexOf('.');
  const entity = dot < 0 ? owner?.name : name.slice(0, dot);
  for (const one of visibleModel(model).entities) {
    if (entity !== undefined && !same(one.name, entity)) continue;
    const dimension = one.dimensions.find((known) => same(known.name, name.slice(dot + 1)));
    if (dimension !== undefined) return { name: `${one.name}.${dimension.name}`, dimension };
  }
  return undefined;
}

/** More groups than this are no breakdown that is read. */
const MAX_VALUES = 45;
const MAX_HOPS = 3;

const isGroup = ({ type, primary_key, references, mask, unique_count = 0 }: ModelDimension) =>
  !primary_key &&
  !references &&
  mask === undefined &&
  (type === 'boolean' || (type === 'string' && unique_count > 1 && unique_count <= MAX_VALUES));

/** Dimensions to break a measure down by: those of its metric, its own, then those of entities that its rows refer to. */
export function candidateDimensions(model: SemanticModel, { entity, metric }: MeasureParts): string[] {
  const { entities } = visibleModel(model);
  const byName = new Map(entities.map((one) => [one.name.toLowerCase(), one]));
  const listed = (metric?.dimensions ?? []).flatMap((name) => dimensionNamed(model, name, entity) ?? []);
  const plain = listed.filter(({ dimension }) => dimension.mask === undefined && !isTime(dimension));
  const names = new Set(plain.map(({ name }) => name));
  const reached = new Set<string>();
  let level = [entity?.name ?? ''];
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const here = level.flatMap((name) => byName.get(name.toLowerCase()) ?? []).filter(({ name }) => !reached.has(name));
    for (const one of here) {
      reached.add(one.name);
      for (const dimension of one.dimensions.filter(isGroup)) names.add(`${one.name}.${dimension.name}`);
    }
    level = here.flatMap(({ joins }) =>
      joins.flatMap(({ relationship, target }) => (/_to_one$/.test(relationship) ? [target] : [])),
    );
  }
  return [...names];
}
