/** Lists the keys of the files of a semantic layer, and what their values are. A test holds it to the schemas of the layer. */

/** Words to choose from, the keys of a map or of the maps of a list, or the kind of a value. */
export type Values = 'text' | 'sql' | 'table' | 'entity' | 'column' | 'joinedColumn' | readonly string[] | Keys;

export interface Keys {
  readonly [key: string]: Values;
}

const YES_NO = ['true', 'false'];

const TRANSLATIONS: Keys = { de: 'text', fr: 'text', es: 'text', pt: 'text', ja: 'text' };

const DIMENSION: Keys = {
  name: 'column',
  sql: 'sql',
  type: ['string', 'number', 'boolean', 'date', 'timestamp', 'json'],
  description: 'text',
  primary_key: YES_NO,
  sample_values: 'text',
  unique_count: 'text',
  null_count: 'text',
  range: 'text',
  nullable: YES_NO,
  references: 'text',
  synonyms: 'text',
  translations: TRANSLATIONS,
  value_translations: TRANSLATIONS,
  hidden: YES_NO,
  mask: 'text',
};

const MEASURE: Keys = {
  name: 'text',
  sql: 'sql',
  type: ['count', 'count_distinct', 'sum', 'avg', 'min', 'max', 'ratio'],
  description: 'text',
  format: 'text',
  additive: ['not over time'],
  synonyms: 'text',
  translations: TRANSLATIONS,
};

const JOIN: Keys = {
  name: 'text',
  target: 'entity',
  relationship: ['many_to_one', 'one_to_many', 'one_to_one', 'many_to_many'],
  on: { from: 'column', to: 'joinedColumn' },
  description: 'text',
};

const SEGMENT: Keys = {
  name: 'text',
  sql: 'sql',
  default: YES_NO,
  description: 'text',
  synonyms: 'text',
  translations: TRANSLATIONS,
};

const ENTITY: Keys = {
  table: 'table',
  name: 'text',
  type: ['table', 'view', 'fact', 'dimension'],
  schema: 'text',
  connection: 'text',
  grain: 'text',
  row_count: 'text',
  description: 'text',
  synonyms: 'text',
  freshness: { column: 'column', within: 'text' },
  translations: TRANSLATIONS,
  dimensions: DIMENSION,
  measures: MEASURE,
  joins: JOIN,
  segments: SEGMENT,
  query_patterns: { description: 'text', sql: 'sql' },
};

const METRIC: Keys = {
  id: 'text',
  label: 'text',
  description: 'text',
  entity: 'entity',
  measure: 'text',
  sql: 'sql',
  unit: 'text',
  objective: ['maximize', 'minimize', 'maintain'],
  synonyms: 'text',
  translations: TRANSLATIONS,
  dimensions: 'text',
};

const MEANING: Keys = {
  name: 'text',
  description: 'text',
  entity: 'entity',
  measure: 'text',
  metric: 'text',
  dimension: 'text',
  sql: 'sql',
};

const TERM: Keys = {
  term: 'text',
  status: ['defined', 'ambiguous'],
  definition: 'text',
  entity: 'entity',
  sql: 'sql',
  synonyms: 'text',
  translations: TRANSLATIONS,
  tables: 'entity',
  meanings: MEANING,
};

const CATALOG_ENTITY: Keys = {
  name: 'entity',
  file: 'text',
  grain: 'text',
  description: 'text',
  use_for: 'text',
  common_questions: 'text',
};

const CATALOG: Keys = { name: 'text', description: 'text', entities: CATALOG_ENTITY };

/** The keys of the file at this path of a layer. */
export function keysOf(path: string): Keys {
  if (/(?:^|\/)entities\/[^/]*$/.test(path)) return ENTITY;
  if (/(?:^|\/)metrics\/[^/]*$/.test(path)) return { metrics: METRIC, ...METRIC };
  return /(?:^|\/)glossary\.ya?ml$/.test(path) ? { terms: TERM } : CATALOG;
}

/** What stands below these keys; `undefined` where a file has no such keys. */
export function valuesAt(keys: Keys, path: readonly string[]): Values | undefined {
  return path.reduce<Values | undefined>(
    (values, key) =>
      values === undefined || !isKeys(values) ? undefined : Object.hasOwn(values, key) ? values[key] : undefined,
    keys,
  );
}

export const isKeys = (values: Values): values is Keys => typeof values === 'object' && !Array.isArray(values);
