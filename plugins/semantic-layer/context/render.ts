/** Entities, metrics and terms as compact lines for a model. Every piece of a file's text stays on its line. */
import type { ModelDimension, ModelEntity, ModelJoin, ModelMetric, ModelTerm } from '../model.ts';
import { expandReferences } from '../references.ts';
import type { Measure } from '../schema.ts';

export interface Detail {
  readonly samples: boolean;
  readonly descriptions: boolean;
  /** Columns shown; the others are counted. */
  readonly maxColumns: number;
}

const everyColumn = Number.POSITIVE_INFINITY;

/** From the richest to the barest, with every column. */
export const detailLevels: readonly Detail[] = [
  { samples: true, descriptions: true, maxColumns: everyColumn },
  { samples: false, descriptions: true, maxColumns: everyColumn },
  { samples: false, descriptions: false, maxColumns: everyColumn },
];

/** For entities that are too wide even without words. */
export const cutLevels: readonly Detail[] = [400, 120, 40, 12].map((maxColumns) => ({
  samples: false,
  descriptions: false,
  maxColumns,
}));

const maxDescription = 240;
const maxSql = 400;
const maxSamples = 8;

/** An entity with its columns, measures, joins, segments and patterns. A cut spares keys and what is relevant. */
export function renderEntity(
  entity: ModelEntity,
  detail: Detail,
  relevance: (dimension: ModelDimension) => number = () => 0,
): string {
  const lines = [`## ${entityHead(entity)}${also(entity.synonyms)}`];
  const shown = chooseColumns(entity, detail.maxColumns, relevance);
  if (shown.length > 0) lines.push('columns:', ...shown.map((dimension) => dimensionLine(entity, dimension, detail)));
  const left = entity.dimensions.length - shown.length;
  if (left > 0) lines.push(`- … ${left} more columns in ${entity.file}`);
  const shorten = (texts: readonly string[]) => cutList(texts, detail.maxColumns, entity.file);
  const measures = entity.measures.map((measure) => measureLine(entity, measure, detail));
  if (measures.length > 0) lines.push('measures:', ...shorten(measures));
  if (entity.joins.length > 0)
    lines.push('joins:', ...shorten(entity.joins.map((join) => joinLine(entity, join, detail))));
  const segments = entity.segments.map(
    ({ name, sql, description, synonyms }) =>
      `- ${line(name)}: ${expanded(sql, entity)}${detail.descriptions ? said(description) + also(synonyms) : ''}`,
  );
  if (segments.length > 0) lines.push('segments (ready-made conditions):', ...shorten(segments));
  if (detail.descriptions && entity.queryPatterns.length > 0) {
    const patterns = entity.queryPatterns.map(({ description, sql }) => `- ${line(description)}: ${line(sql, maxSql)}`);
    lines.push('query patterns:', ...shorten(patterns));
  }
  return lines.join('\n');
}

/** One line about an entity. */
export function entityLine(entity: ModelEntity, maxLength = 140): string {
  return `- ${line(entityHead(entity), maxLength)}`;
}

export function renderMetric(metric: ModelMetric, entity: ModelEntity | undefined): string {
  const source =
    metric.measure !== undefined
      ? `${metric.entity}.${metric.measure}`
      : `${entity ? expanded(metric.sql ?? '', entity) : line(metric.sql ?? '', maxSql)}${metric.entity ? ` over ${metric.entity}` : ''}`;
  const notes = [
    metric.unit && `unit ${metric.unit}`,
    metric.objective,
    metric.dimensions && `by ${metric.dimensions.join(', ')}`,
  ];
  const label = metric.label === undefined ? '' : ` "${line(metric.label)}"`;
  const rest = said(metric.description) + also(metric.synonyms);
  return `- ${line(metric.id)}${label} = ${line(source, maxSql)}${noted(notes)}${rest}`;
}

export function renderTerm(term: ModelTerm, entity: ModelEntity | undefined): string {
  const condition =
    term.sql === undefined
      ? ''
      : ` [${term.entity ? `${term.entity}: ` : ''}${entity ? expanded(term.sql, entity) : line(term.sql, maxSql)}]`;
  const tables = term.tables === undefined ? '' : ` (tables: ${line(term.tables.join(', '))})`;
  const definition = said(term.definition) + condition + tables + also(term.synonyms);
  if (term.status !== 'ambiguous') return `- ${line(term.term)}${definition}`;
  const meanings = (term.meanings ?? []).map((meaning, index) => {
    if (typeof meaning === 'string') return `  ${index + 1}. ${line(meaning)}`;
    const { name, description, entity: of, measure, metric, dimension, sql } = meaning;
    const member = measure ?? dimension;
    const stands = [metric && `metric ${metric}`, of && (member ? `${of}.${member}` : of), sql && line(sql, maxSql)];
    return `  ${index + 1}. ${line(name)}${said(description)}${noted(stands)}`;
  });
  return [`- ${line(term.term)}: AMBIGUOUS, ask which meaning is meant before querying${definition}`, ...meanings].join(
    '\n',
  );
}

function entityHead(entity: ModelEntity): string {
  const table = entity.schema === undefined ? entity.table : `${entity.schema}.${entity.table}`;
  const notes = [
    table !== entity.name && `table ${table}`,
    entity.type !== 'table' && entity.type,
    entity.connection && `connection ${entity.connection}`,
    entity.grain && line(entity.grain),
  ];
  return `${line(entity.name)}${noted(notes)}${said(entity.description)}`;
}

function chooseColumns(
  entity: ModelEntity,
  max: number,
  relevance: (dimension: ModelDimension) => number,
): readonly ModelDimension[] {
  if (entity.dimensions.length <= max) return entity.dimensions;
  const joined = new Set(entity.joins.flatMap(({ on }) => on.map(({ from }) => from.toLowerCase())));
  const isKey = ({ name, primary_key }: ModelDimension) => primary_key === true || joined.has(name.toLowerCase());
  const weights = new Map(
    entity.dimensions.map((dimension) => [
      dimension,
      isKey(dimension) ? Number.POSITIVE_INFINITY : relevance(dimension),
    ]),
  );
  const byWeight = (a: ModelDimension, b: ModelDimension) =>
    weights.get(a) === weights.get(b) ? 0 : weights.get(b)! - weights.get(a)!;
  const kept = new Set([...entity.dimensions].sort(byWeight).slice(0, max));
  return entity.dimensions.filter((dimension) => kept.has(dimension));
}

function dimensionLine(entity: ModelEntity, dimension: ModelDimension, detail: Detail): string {
  const { name, sql, type, primary_key, mask, sample_values, description, synonyms } = dimension;
  const isColumn = sql.toLowerCase() === name.toLowerCase();
  const notes = [type, primary_key === true && 'primary key', mask !== undefined && 'masked'];
  const expression = isColumn ? '' : ` = ${expanded(sql, entity)}`;
  const words = detail.descriptions ? said(description) + also(synonyms) : '';
  const samples = detail.samples && mask === undefined ? examples(sample_values ?? []) : '';
  return `- ${line(name)}${noted(notes)}${expression}${words}${samples}`;
}

function measureLine(entity: ModelEntity, measure: Measure, detail: Detail): string {
  const { name, type, sql, format, description, synonyms } = measure;
  const words = detail.descriptions ? said(description) + also(synonyms) : '';
  return `- ${line(name)} = ${aggregate(type, sql === undefined ? '*' : expanded(sql, entity))}${noted([format])}${words}`;
}

function aggregate(type: Measure['type'], sql: string): string {
  if (type === 'ratio') return sql;
  return type === 'count_distinct' ? `count(distinct ${sql})` : `${type}(${sql})`;
}

function joinLine(entity: ModelEntity, join: ModelJoin, detail: Detail): string {
  const on = join.on.map(({ from, to }) => `${entity.name}.${from} = ${join.target}.${to}`).join(' and ');
  const name = join.name === join.target ? '' : `${join.name}: `;
  const words = detail.descriptions ? said(join.description) : '';
  return `- ${line(`${name}${join.target} (${join.relationship}) on ${on}`)}${words}`;
}

function examples(values: readonly unknown[]): string {
  if (values.length === 0) return '';
  const shown = values.slice(0, maxSamples).map((value) => line(String(value), 40));
  return `; e.g. ${shown.join(', ')}`;
}

function expanded(sql: string, entity: ModelEntity): string {
  return line(expandReferences(sql, entity.dimensions), maxSql);
}

function said(description: string | undefined): string {
  return description ? `: ${line(description, maxDescription)}` : '';
}

function also(synonyms: readonly string[] | undefined): string {
  return synonyms?.length ? ` (also: ${line(synonyms.join(', '), maxDescription)})` : '';
}

function noted(notes: readonly (string | false | undefined)[]): string {
  const given = notes.filter((note) => note);
  return given.length === 0 ? '' : ` (${given.join(', ')})`;
}

function cutList(texts: readonly string[], max: number, file: string): readonly string[] {
  return texts.length <= max ? texts : [...texts.slice(0, max), `- … ${texts.length - max} more in ${file}`];
}

/** One line without line breaks and control characters, cut at a character. */
export function line(text: string, maxLength = 1000): string {
  const flat = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return flat.length <= maxLength ? flat : `${flat.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
