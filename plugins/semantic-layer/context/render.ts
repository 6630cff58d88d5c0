/** Renders entities, metrics and terms as compact lines for the model. Text from files never breaks a line. */
import { truncate } from '../../text-kit/index.ts';
import {
  listedValues,
  type ModelDimension,
  type ModelEntity,
  type ModelJoin,
  type ModelMetric,
  type ModelTerm,
  type SemanticModel,
} from '../model.ts';
import { expandReferences } from '../references.ts';
import type { Measure, Segment } from '../schema.ts';

const MAX_DESCRIPTION = 240;
const MAX_NOTE = 200;
const MAX_SYNONYMS = 80;
const MAX_SQL = 400;
const MAX_SAMPLES = 8;

/** An entity with all its columns, measures, joins, segments and patterns. */
export function renderEntity(entity: ModelEntity): string {
  const lines = [`## ${entityHead(entity)}${synonymsOf(entity.synonyms)}`];
  const add = (title: string, items: readonly string[]) => {
    if (items.length > 0) lines.push(title, ...items);
  };
  add(
    'columns:',
    entity.dimensions.map((dimension) => dimensionLine(entity, dimension)),
  );
  add(
    'measures:',
    entity.measures.map((measure) => measureLine(entity, measure)),
  );
  add(
    'joins:',
    entity.joins.map((join) => joinLine(entity, join)),
  );
  add(
    'segments (ready-made conditions):',
    entity.segments.map((segment) => segmentLine(entity, segment)),
  );
  add('query patterns:', entity.queryPatterns.map(patternLine));
  return lines.join('\n');
}

/** What a layer is about. */
export function header(model: Pick<SemanticModel, 'catalog'>): string {
  const { name, description, entities } = model.catalog ?? {};
  const about = [name && line(name, 120), description && line(description, 600)].filter(Boolean).join(': ');
  const guides = (entities ?? []).flatMap(({ name: entity, use_for }) =>
    use_for?.length ? [`- ${line(entity, 100)}: ${line(use_for.join('; '), 200)}`] : [],
  );
  const guide = guides.length === 0 || guides.length > 12 ? '' : `\nWhat to use for what:\n${guides.join('\n')}`;
  return `# Semantic layer${about ? `\n${about}` : ''}${guide}`;
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

export function entityHead(entity: ModelEntity): string {
  const table = entity.schema === undefined ? entity.table : `${entity.schema}.${entity.table}`;
  const notes = [
    table !== entity.name && `table ${table}`,
    entity.type !== 'table' && entity.type,
    entity.connection && `connection ${entity.connection}`,
    entity.grain && line(entity.grain),
    entity.rowCount !== undefined && `about ${rows(entity.rowCount)}`,
  ];
  return `${line(entity.name)}${notesOf(notes)}${descriptionOf(entity.description)}`;
}

/** `values`: the sample values in the order in which they are shown; of the first `named` with what they are called. */
export function dimensionLine(
  entity: ModelEntity,
  dimension: ModelDimension,
  values: readonly unknown[] = listedValues(dimension),
  named = values.length,
): string {
  const { name, sql, type, primary_key, mask, description, synonyms, range } = dimension;
  const isColumn = sql.toLowerCase() === name.toLowerCase();
  const notes = [type, primary_key === true && 'primary key', mask !== undefined && 'masked'];
  const expression = isColumn ? '' : ` = ${expanded(sql, entity)}`;
  return `- ${line(name)}${notesOf(notes)}${expression}${descriptionOf(description)}${synonymsOf(synonyms)}${period(range)}${examples(values, named, dimension.valueWords)}`;
}

export function measureLine(entity: ModelEntity, measure: Measure): string {
  const { name, type, sql, format, additive, description, synonyms } = measure;
  const words = descriptionOf(description) + synonymsOf(synonyms);
  return `- ${line(name)} = ${aggregate(type, sql === undefined ? '*' : expanded(sql, entity))}${notesOf([format, additive && `adds up ${additive}`])}${words}`;
}

export function segmentLine(entity: ModelEntity, segment: Segment): string {
  const { name, sql, description, synonyms } = segment;
  const note = segment.default === true ? ' (default: use it unless the question says otherwise)' : '';
  return `- ${line(name)}: ${expanded(sql, entity)}${descriptionOf(description)}${synonymsOf(synonyms)}${note}`;
}

export function patternLine({ description, sql }: ModelEntity['queryPatterns'][number]): string {
  return `- ${line(description)}: ${line(sql, MAX_SQL)}`;
}

function aggregate(type: Measure['type'], sql: string): string {
  if (type === 'ratio') return sql;
  return type === 'count_distinct' ? `count(distinct ${sql})` : `${type}(${sql})`;
}

export function joinLine(entity: ModelEntity, join: ModelJoin): string {
  const on = join.on.map(({ from, to }) => `${entity.name}.${from} = ${join.target}.${to}`).join(' and ');
  const name = join.name === join.target ? '' : `${join.name}: `;
  return `- ${line(`${name}${join.target} (${join.relationship}) on ${on}`)}${descriptionOf(join.description)}`;
}

const rows = (count: number) => `${Number(count.toPrecision(3)).toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`;

/** Days say enough, unless there is but one. */
function period(range: ModelDimension['range']): string {
  if (range === undefined) return '';
  const [from, to] = range.map((time) => time.slice(0, 10));
  return from === to ? `; from ${range[0]} to ${range[1]}` : `; from ${from} to ${to}`;
}

function examples(values: readonly unknown[], named: number, words: ModelDimension['valueWords']): string {
  if (values.length === 0) return '';
  const calledSo = (value: unknown, at: number) => (at < named ? (words?.get(String(value)) ?? []) : []);
  const shown = values
    .slice(0, MAX_SAMPLES)
    .map((value, at) => line(String(value), 40) + synonymsOf(calledSo(value, at)));
  return `; e.g. ${shown.join(', ')}`;
}

function expanded(sql: string, entity: ModelEntity): string {
  return line(expandReferences(sql, entity.dimensions), MAX_SQL);
}

function descriptionOf(description: string | undefined): string {
  return description ? `: ${line(description, MAX_DESCRIPTION)}` : '';
}

function synonymsOf(synonyms: readonly string[] | undefined): string {
  return synonyms?.length ? ` (also: ${line(synonyms.join(', '), MAX_SYNONYMS)})` : '';
}

function notesOf(notes: readonly (string | false | undefined)[]): string {
  const given = notes.flatMap((note) => (note ? line(note, MAX_NOTE) : []));
  return given.length === 0 ? '' : ` (${given.join(', ')})`;
}

/** Text without line breaks and control characters, cut to `maxLength` characters. */
export function line(text: string, maxLength = 1000): string {
  return truncate(text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim(), maxLength);
}
