/** Renders entities, metrics and terms as compact lines for the model. Text from files never breaks a line. */
import type { ModelDimension, ModelEntity, ModelJoin, ModelMetric, ModelTerm, SemanticModel } from '../model.ts';
import { expandReferences } from '../references.ts';
import type { Measure } from '../schema.ts';

export interface Detail {
  readonly samples: boolean;
  readonly descriptions: boolean;
  /** Columns shown; the others are counted. */
  readonly maxColumns: number;
}

const ALL_COLUMNS = Number.POSITIVE_INFINITY;

/** From most to least detail, all with every column. */
export const DETAIL_LEVELS: readonly Detail[] = [
  { samples: true, descriptions: true, maxColumns: ALL_COLUMNS },
  { samples: false, descriptions: true, maxColumns: ALL_COLUMNS },
  { samples: false, descriptions: false, maxColumns: ALL_COLUMNS },
];

/** For entities with too many columns to show even without descriptions. */
export const NARROW_LEVELS: readonly Detail[] = [400, 120, 40, 12].map((maxColumns) => ({
  samples: false,
  descriptions: false,
  maxColumns,
}));

const MAX_DESCRIPTION = 240;
const MAX_SQL = 400;
const MAX_SAMPLES = 8;

/**
 * An entity with its columns, measures, joins, segments and patterns. A cut keeps keys and the most relevant columns.
 */
export function renderEntity(
  entity: ModelEntity,
  detail: Detail,
  relevance: (dimension: ModelDimension) => number = () => 0,
): string {
  const lines = [`## ${entityHead(entity)}${synonymsOf(entity.synonyms)}`];
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
      `- ${line(name)}: ${expanded(sql, entity)}${detail.descriptions ? descriptionOf(description) + synonymsOf(synonyms) : ''}`,
  );
  if (segments.length > 0) lines.push('segments (ready-made conditions):', ...shorten(segments));
  if (detail.descriptions && entity.queryPatterns.length > 0) {
    const patterns = entity.queryPatterns.map(
      ({ description, sql }) => `- ${line(description)}: ${line(sql, MAX_SQL)}`,
    );
    lines.push('query patterns:', ...shorten(patterns));
  }
  return lines.join('\n');
}

/** What a layer is about. */
export function header(model: SemanticModel): string {
  const { name, description, entities } = model.catalog ?? {};
  const about = [name && line(name, 120), description && line(description, 600)].filter(Boolean).join(': ');
  const guides = (entities ?? []).flatMap(({ name: entity, use_for }) =>
    use_for?.length ? [`- ${line(entity, 100)}: ${line(use_for.join('; '), 200)}`] : [],
  );
  const guide = guides.length === 0 || guides.length > 12 ? '' : `\nWhat to use for what:\n${guides.join('\n')}`;
  return `# Semantic layer${about ? `\n${about}` : ''}${guide}`;
}

/** One line with the names of an entity's members. */
export function entitySummary(entity: ModelEntity): string {
  const { name, table, schema, connection, dimensions, measures, joins } = entity;
  const physical = schema === undefined ? table : `${schema}.${table}`;
  const notes = notesOf([physical !== name && `table ${physical}`, connection && `connection ${connection}`]);
  const lists = [dimensions, measures, joins].map((members) => members.map((member) => member.name).join(', '));
  return `- ${line(`${name}${notes}: ${lists.join('; ')}`.replace(/(?:; )+$/, ''))}`;
}

/** One line about an entity. */
export function entityLine(entity: ModelEntity, maxLength = 140): string {
  return `- ${line(entityHead(entity), maxLength)}`;
}

export function renderMetric(metric: ModelMetric, entity: ModelEntity | undefined): string {
  const source =
    metric.measure !== undefined
      ? `${metric.entity}.${metric.measure}`
      : `${entity ? expanded(metric.sql ?? '', entity) : line(metric.sql ?? '', MAX_SQL)}${metric.entity ? ` over ${metric.entity}` : ''}`;
  const notes = [
    metric.unit && `unit ${metric.unit}`,
    metric.objective,
    metric.dimensions && `by ${metric.dimensions.join(', ')}`,
  ];
  const label = metric.label === undefined ? '' : ` "${line(metric.label)}"`;
  const rest = descriptionOf(metric.description) + synonymsOf(metric.synonyms);
  return `- ${line(metric.id)}${label} = ${line(source, MAX_SQL)}${notesOf(notes)}${rest}`;
}

export function renderTerm(term: ModelTerm, entity: ModelEntity | undefined): string {
  const condition =
    term.sql === undefined
      ? ''
      : ` [${term.entity ? `${term.entity}: ` : ''}${entity ? expanded(term.sql, entity) : line(term.sql, MAX_SQL)}]`;
  const tables = term.tables === undefined ? '' : ` (tables: ${line(term.tables.join(', '))})`;
  const definition = descriptionOf(term.definition) + condition + tables + synonymsOf(term.synonyms);
  if (term.status !== 'ambiguous') return `- ${line(term.term)}${definition}`;
  const meanings = (term.meanings ?? []).map((meaning, index) => {
    if (typeof meaning === 'string') return `  ${index + 1}. ${line(meaning)}`;
    const { name, description, entity: of, measure, metric, dimension, sql } = meaning;
    const member = measure ?? dimension;
    const stands = [metric && `metric ${metric}`, of && (member ? `${of}.${member}` : of), sql && line(sql, MAX_SQL)];
    return `  ${index + 1}. ${line(name)}${descriptionOf(description)}${notesOf(stands)}`;
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
  return `${line(entity.name)}${notesOf(notes)}${descriptionOf(entity.description)}`;
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
  const words = detail.descriptions ? descriptionOf(description) + synonymsOf(synonyms) : '';
  const samples = detail.samples ? examples(sample_values ?? []) : '';
  return `- ${line(name)}${notesOf(notes)}${expression}${words}${samples}`;
}

function measureLine(entity: ModelEntity, measure: Measure, detail: Detail): string {
  const { name, type, sql, format, additive, description, synonyms } = measure;
  const words = detail.descriptions ? descriptionOf(description) + synonymsOf(synonyms) : '';
  return `- ${line(name)} = ${aggregate(type, sql === undefined ? '*' : expanded(sql, entity))}${notesOf([format, additive && `adds up ${additive}`])}${words}`;
}

function aggregate(type: Measure['type'], sql: string): string {
  if (type === 'ratio') return sql;
  return type === 'count_distinct' ? `count(distinct ${sql})` : `${type}(${sql})`;
}

function joinLine(entity: ModelEntity, join: ModelJoin, detail: Detail): string {
  const on = join.on.map(({ from, to }) => `${entity.name}.${from} = ${join.target}.${to}`).join(' and ');
  const name = join.name === join.target ? '' : `${join.name}: `;
  const words = detail.descriptions ? descriptionOf(join.description) : '';
  return `- ${line(`${name}${join.target} (${join.relationship}) on ${on}`)}${words}`;
}

function examples(values: readonly unknown[]): string {
  if (values.length === 0) return '';
  const shown = values.slice(0, MAX_SAMPLES).map((value) => line(String(value), 40));
  return `; e.g. ${shown.join(', ')}`;
}

function expanded(sql: string, entity: ModelEntity): string {
  return line(expandReferences(sql, entity.dimensions), MAX_SQL);
}

function descriptionOf(description: string | undefined): string {
  return description ? `: ${line(description, MAX_DESCRIPTION)}` : '';
}

function synonymsOf(synonyms: readonly string[] | undefined): string {
  return synonyms?.length ? ` (also: ${line(synonyms.join(', '), MAX_DESCRIPTION)})` : '';
}

function notesOf(notes: readonly (string | false | undefined)[]): string {
  const given = notes.filter((note) => note);
  return given.length === 0 ? '' : ` (${given.join(', ')})`;
}

function cutList(texts: readonly string[], max: number, file: string): readonly string[] {
  return texts.length <= max ? texts : [...texts.slice(0, max), `- … ${texts.length - max} more in ${file}`];
}

/** Text without line breaks and control characters, cut to `maxLength` characters. */
export function line(text: string, maxLength = 1000): string {
  const flat = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return flat.length <= maxLength ? flat : `${flat.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
