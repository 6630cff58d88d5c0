/** Reads LookML: views with their fields, and the joins of explores. */
import type { DimensionType, Measure, MeasureType } from '../../semantic-layer/index.ts';
import { aggregateOf, columnBehind, columnOf, filtered, tableOf } from './expressions.ts';
import { type Entry, parseLookml } from './lookml-syntax.ts';
import {
  CannotTake,
  findings,
  type ImportedDimension,
  type ImportedEntity,
  type ImportedJoin,
  type ImportedProject,
  present,
  type Report,
  synonymsOf,
} from './project.ts';

const DIMENSION_TYPES: Readonly<Record<string, DimensionType>> = {
  string: 'string',
  number: 'number',
  zipcode: 'string',
  yesno: 'boolean',
  date: 'date',
  date_time: 'timestamp',
  time: 'timestamp',
};
const MEASURE_TYPES: Readonly<Record<string, MeasureType>> = {
  count: 'count',
  count_distinct: 'count_distinct',
  sum: 'sum',
  average: 'avg',
  min: 'min',
  max: 'max',
};
const RELATIONSHIPS = new Set(['many_to_one', 'one_to_many', 'one_to_one', 'many_to_many']);
/** Keys of a view and a file that say nothing about the data. */
const SILENT = new Set([
  'label',
  'view_label',
  'include',
  'connection',
  'week_start_day',
  'case_sensitive',
  'fields_hidden_by_default',
  'drill_fields',
  'description',
  'sql_table_name',
]);

interface View {
  readonly name: string;
  readonly place: { readonly table: string; readonly schema?: string };
  readonly block: readonly Entry[];
}

const textIn = (block: readonly Entry[], key: string) => {
  const value = block.find((entry) => entry.key === key)?.value;
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** `${TABLE}.id` is a column, `${status}` a field of the view. */
function expressionOf(sql: string, { name: view }: View, replace = (name: string) => `{${name}}`): string {
  const expression = sql.replace(
    /\$\{\s*([\w.]+)\s*\}(?:\s*\.\s*("[^"]+"|`[^`]+`|\w+))?/g,
    (_, path: string, column?: string) => {
      const [first = '', member] = path.split('.');
      if (first === 'TABLE' && column !== undefined) return column;
      if (column === undefined && member === undefined) return replace(first);
      if (column === undefined && first === view && member !== undefined) return replace(member);
      throw new CannotTake(`it refers to ${path}, which is not of this view`);
    },
  );
  if (/\{%|\{\{|\$\{/.test(expression)) throw new CannotTake('it has a Liquid template');
  return expression;
}

function dimensionOf({ key, name = '?', block = [] }: Entry, view: View): ImportedDimension {
  const isGroup = key === 'dimension_group';
  const given = textIn(block, 'type') ?? (isGroup ? 'time' : 'string');
  const type = DIMENSION_TYPES[given];
  if (type === undefined || (isGroup && given !== 'time'))
    throw new CannotTake(`a layer has no dimensions of the type ${given}`);
  const datatype = textIn(block, 'datatype');
  const expression = expressionOf(textIn(block, 'sql') ?? `\${TABLE}.${name}`, view);
  return present({
    name,
    sql: expression === name ? undefined : expression,
    type: columnOf(expression) === undefined ? (isGroup && datatype === 'date' ? 'date' : type) : undefined,
    description: textIn(block, 'description'),
    synonyms: synonymsOf(name, textIn(block, 'label')),
    primary_key: textIn(block, 'primary_key') === 'yes' ? true : undefined,
  });
}

/** `filters: [status: "complete"]`, and the older block with `field` and `value`. */
function filtersOf(block: readonly Entry[], view: View): string[] {
  return block
    .filter(({ key }) => key === 'filters' || key === 'filter')
    .flatMap(({ value, block: old }) => {
      if (old !== undefined) return [condition(textIn(old, 'field') ?? '', textIn(old, 'value') ?? '', view)];
      const words = Array.isArray(value) ? value : [];
      const pairs: string[] = [];
      for (let index = 0; index + 1 < words.length; index += 2) {
        pairs.push(condition(words[index].replace(/:$/, ''), words[index + 1], view));
      }
      return pairs;
    });
}

/** Values of Looker's filters that are plain values; their expressions are not. */
function condition(field: string, value: string, view: View): string {
  const name = field.replace(`${view.name}.`, '');
  if (name.includes('.') || name === '') throw new CannotTake(`its filter needs ${field}, which is not of this view`);
  const isKnown = view.block.some((entry) => entry.key === 'dimension' && entry.name === name);
  if (!isKnown) throw new CannotTake(`its filter needs ${field}, which is no dimension`);
  if (/^(yes|no)$/i.test(value)) return value.toLowerCase() === 'yes' ? `{${name}}` : `NOT {${name}}`;
  const comparison = /^(>=|<=|<>|!=|>|<)\s*(-?\d+(?:\.\d+)?)$/.exec(value);
  if (comparison !== null) return `{${name}} ${comparison[1]} ${comparison[2]}`;
  const isNot = value.startsWith('-');
  const values = value.split(',').map((one) => one.trim().replace(/^-/, ''));
  if (
    values.some((one) => one === '' || /[%_"^]|\b(NULL|EMPTY|ago|last|before|after|this)\b/.test(one)) ||
    /^\[|\($/.test(value)
  ) {
    throw new CannotTake(`its filter ${JSON.stringify(value)} is an expression of Looker`);
  }
  const quoted = values.map((one) => (isNot || !/^\d+$/.test(one) ? `'${one.replaceAll("'", "''")}'` : one)).join(', ');
  return `{${name}} ${isNot ? 'NOT IN' : 'IN'} (${quoted})`;
}

function measureOf({ name = '?', block = [] }: Entry, view: View, open: ReadonlySet<string> = new Set()): Measure {
  if (open.has(name)) throw new CannotTake('it refers to itself');
  const type = textIn(block, 'type') ?? 'string';
  const sql = textIn(block, 'sql');
  const common = present({
    name,
    description: textIn(block, 'description'),
    synonyms: synonymsOf(name, textIn(block, 'label')),
    format: textIn(block, 'value_format') ?? textIn(block, 'value_format_name'),
  });
  if (type === 'number') {
    if (sql === undefined) throw new CannotTake('it has no sql');
    const expression = expressionOf(sql, view, (member) => {
      const other = view.block.find((entry) => entry.key === 'measure' && entry.name === member);
      return other === undefined ? `{${member}}` : aggregateOf(measureOf(other, view, new Set([...open, name])));
    });
    return { ...common, type: 'ratio', sql: expression };
  }
  const known = MEASURE_TYPES[type];
  if (known === undefined) throw new CannotTake(`a layer has no measures of the type ${type}`);
  if (known !== 'count' && sql === undefined) throw new CannotTake('it has no sql');
  const base: Measure = { ...common, type: known, ...(sql !== undefined && { sql: expressionOf(sql, view) }) };
  return filtered(base, filtersOf(block, view));
}

function viewOf({ name = '?', block = [] }: Entry, report: Report): View | undefined {
  const table = textIn(block, 'sql_table_name') ?? name.replace(/^\+/, '');
  const place = tableOf(table);
  if (name.startsWith('+')) report(`view ${name}`, 'refinements are not read');
  else if (block.some(({ key }) => key === 'derived_table'))
    report(`view ${name}`, 'it is a query, not a table; make it a view of the database');
  else if (place === undefined) report(`view ${name}`, 'its table name has a template');
  else return { name, place, block };
  return undefined;
}

const FIELD = /\$\{\s*(\w+)\.(\w+)\s*\}/;

interface FoundJoin extends ImportedJoin {
  readonly from: string;
}

function joinOf({ name = '?', block = [] }: Entry, views: ReadonlyMap<string, string>): FoundJoin {
  const sql = textIn(block, 'sql_on');
  const relationship = textIn(block, 'relationship') ?? 'many_to_one';
  if (sql === undefined) throw new CannotTake('only joins with sql_on are read');
  if (!RELATIONSHIPS.has(relationship)) throw new CannotTake(`the relationship ${relationship} is unknown`);
  let source: string | undefined;
  const on = sql.split(/\band\b/i).map((part) => {
    const [left = '', right = '', ...more] = part.split('=');
    const [one, other] = [FIELD.exec(left), FIELD.exec(right)];
    const isEquality = more.length === 0 && `${left}${right}`.replace(new RegExp(FIELD, 'g'), '').trim() === '';
    if (one === null || other === null || !isEquality)
      throw new CannotTake('its condition is not an equality of fields');
    const [theirs, own] = one[1] === name ? [one, other] : [other, one];
    if (theirs[1] !== name || (source !== undefined && source !== own[1]))
      throw new CannotTake('its condition is about other views');
    source = own[1];
    return { from: String(own[2]), to: String(theirs[2]) };
  });
  const target = textIn(block, 'from') ?? name;
  return {
    from: views.get(String(source)) ?? String(source),
    target,
    relationship: relationship as ImportedJoin['relationship'],
    on,
  };
}

const KNOWN = new Set(['view', 'explore']);

export function readLookml(files: readonly { readonly path: string; readonly text: string }[]): ImportedProject {
  const { notTaken, report, taken } = findings();
  const entries = files.flatMap(({ path, text }) => {
    try {
      return parseLookml(text);
    } catch (error) {
      report(path, (error as Error).message);
      return [];
    }
  });
  for (const { key, name = '', line } of entries) {
    if (!KNOWN.has(key) && !SILENT.has(key))
      report(`${key} ${name}`.trim(), `a layer has nothing like it (line ${line})`);
  }
  const entities = new Map<string, ImportedEntity>();
  for (const entry of entries.filter(({ key }) => key === 'view')) {
    const view = viewOf(entry, report);
    if (view === undefined) continue;
    const label = (field: Entry) => `view ${view.name}.${field.name ?? field.key}`;
    const dimensions = view.block.flatMap((field) =>
      field.key === 'dimension' || field.key === 'dimension_group'
        ? taken(label(field), () => dimensionOf(field, view))
        : [],
    );
    const measures = view.block.flatMap((field) =>
      field.key === 'measure' ? taken(label(field), () => measureOf(field, view)) : [],
    );
    for (const field of view.block) {
      if (!['dimension', 'dimension_group', 'measure'].includes(field.key) && !SILENT.has(field.key))
        report(label(field), `a layer has no ${field.key}`);
    }
    const description = textIn(view.block, 'description');
    entities.set(view.name, {
      ...present({
        name: view.name,
        ...view.place,
        description,
        synonyms: synonymsOf(view.name, textIn(view.block, 'label')),
      }),
      ...{ dimensions, measures, joins: [], segments: [] },
    });
  }
  for (const explore of entries.filter(({ key }) => key === 'explore')) {
    const names = new Map([
      [
        explore.name ?? '',
        textIn(explore.block ?? [], 'from') ?? textIn(explore.block ?? [], 'view_name') ?? explore.name ?? '',
      ],
    ]);
    for (const join of explore.block ?? []) {
      if (join.key !== 'join') {
        if (!SILENT.has(join.key) && !['from', 'view_name', 'group_label', 'hidden'].includes(join.key))
          report(`explore ${explore.name}.${join.name ?? join.key}`, `a layer has no ${join.key}`);
        continue;
      }
      for (const found of taken(`explore ${explore.name}.${join.name}`, () => joinOf(join, names)))
        addJoin(entities, found, report);
    }
  }
  return { entities: [...entities.values()], metrics: [], notTaken };
}

/** Fields in conditions become the columns that they stand for. */
function addJoin(entities: Map<string, ImportedEntity>, { from, ...join }: FoundJoin, report: Report): void {
  const [source, target] = [entities.get(from), entities.get(join.target)];
  if (source === undefined || target === undefined) {
    report(`join ${from} ${join.target}`, 'one of its views was not taken');
    return;
  }
  const on = join.on.map((pair) => ({ from: columnBehind(source, pair.from), to: columnBehind(target, pair.to) }));
  if (source.joins.some((known) => known.target === join.target && JSON.stringify(known.on) === JSON.stringify(on)))
    return;
  const name = source.joins.some((known) => known.target === join.target)
    ? { name: `${join.target}_${on[0]?.from}` }
    : {};
  entities.set(from, { ...source, joins: [...source.joins, { ...name, ...join, on }] });
}
