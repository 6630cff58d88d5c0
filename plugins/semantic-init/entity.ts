/** Turns a table with its sample into an entity of the semantic layer. */
import type { TableDescription } from '../../kernel/index.ts';
import type { DimensionType } from '../semantic-layer/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import { plainName } from './names.ts';
import type { Profile } from './profile.ts';
import { isNamedCredential } from './sensitive.ts';

type Column = TableDescription['columns'][number];

/** All tables with the names of their entities. */
export interface Tables {
  /** Names of the entities by the names of their tables. */
  readonly names: ReadonlyMap<string, string>;
  readonly tables: ReadonlyMap<string, TableDescription>;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;
/** Names of numbers whose sum and average are meaningless. */
const NO_QUANTITY =
  /(^|_)(id|no|nr|num|number|code|key|year|month|day|zip|postal_code|lat|latitude|lon|lng|longitude|position|rank|sort|version|floor|level|phone|fax|isbn)$/i;
/** Whether a number column stores a boolean. */
const isFlag = (name: string, rows: Profile['rows']) =>
  rows.length > 1 && rows.every((row) => [0, 1, null, undefined].includes(row[name] as number | null | undefined));
/** Names of numbers whose average is meaningful, but not their sum. */
const NO_SUM = /(^|_)(rate|ratio|percent|percentage|pct|rating|score|grade|age|temperature)$/i;

export const singular = (name: string) =>
  name
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/([^s])s$/, '$1');

/** `name`, or the first of `name_2`, `name_3` … that is free. */
function free(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const tried = number === 1 ? name : `${name}_${number}`;
    if (!taken.has(tried)) return tried;
  }
}

export function namesOf(tables: readonly TableDescription[]): Tables {
  const names = new Map<string, string>();
  for (const { name } of tables) names.set(name, free(plainName(name), new Set(names.values())));
  return { names, tables: new Map(tables.map((table) => [table.name, table])) };
}

function typeOf({ type, name }: Column, rows: Profile['rows'], hasDynamicTypes: boolean): DimensionType {
  const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
  const all = (test: (value: unknown) => boolean) => values.length > 0 && values.every(test);
  if (/^bool|^tinyint\(1\)|^bit\(1\)/i.test(type)) return 'boolean';
  if (/json/i.test(type)) return 'json';
  // Without a date type dates are stored as text, or as numbers that date functions cannot read.
  if (hasDynamicTypes && all((value) => typeof value === 'string' && TIMESTAMP.test(value))) return 'timestamp';
  if (hasDynamicTypes && all((value) => typeof value === 'string' && DATE.test(value))) return 'date';
  if (hasDynamicTypes && all((value) => typeof value === 'number')) return 'number';
  if (/timestamp|datetime/i.test(type)) return 'timestamp';
  if (/^date\b/i.test(type)) return 'date';
  if (/\[\]$/.test(type)) return 'string';
  return /int(?!erval)|serial|numeric|decimal|real|double|float|money|number|^year/i.test(type) ? 'number' : 'string';
}

interface Dimension {
  readonly name: string;
  readonly sql?: string;
  readonly type: DimensionType;
  readonly description?: string;
  readonly primary_key?: true;
  readonly nullable: boolean;
  readonly references?: string | readonly string[];
  readonly hidden?: true;
  readonly sample_values?: readonly string[];
}

/** What the columns of declared foreign keys refer to, as dimensions write it, by column. */
function referencesOf({ foreignKeys }: TableDescription): ReadonlyMap<string, string | readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { columns, table, references } of foreignKeys) {
    for (const [index, column] of columns.entries()) {
      const text = `${table}.${references[index]}`;
      const known = found.get(column) ?? [];
      if (!known.includes(text)) found.set(column, [...known, text].sort());
    }
  }
  return new Map([...found].map(([column, texts]) => [column, texts.length === 1 ? String(texts[0]) : texts]));
}

function dimensionsOf({ table, rows, values, credentials }: Profile, dialect: SqlDialect): Map<string, Dimension> {
  const dimensions = new Map<string, Dimension>();
  const references = referencesOf(table);
  for (const column of table.columns) {
    const name = free(plainName(column.name), new Set(Array.from(dimensions.values(), (dimension) => dimension.name)));
    const type = typeOf(column, rows, dialect.hasDynamicTypes === true);
    const isHidden = credentials.has(column.name) || isNamedCredential(table.name, column.name, type);
    const refers = references.get(column.name);
    const samples = type === 'string' && !isHidden ? values.get(column.name) : undefined;
    dimensions.set(column.name, {
      name,
      ...((name !== column.name || !/^[a-z_][a-z0-9_]*$/.test(name)) && {
        sql: dialect.rendering.quoteName(column.name),
      }),
      type,
      ...(column.comment !== undefined && { description: column.comment }),
      ...(table.primaryKey.includes(column.name) && { primary_key: true as const }),
      nullable: column.nullable,
      ...(refers !== undefined && { references: refers }),
      ...(isHidden && { hidden: true as const }),
      ...(samples !== undefined && { sample_values: samples }),
    });
  }
  return dimensions;
}

interface Join {
  readonly name?: string;
  readonly target: string;
  readonly relationship: 'many_to_one' | 'one_to_one';
  readonly on: readonly { readonly from: string; readonly to: string }[];
  readonly description?: string;
}

/** Undeclared foreign keys: a column `<table>_id` when there is exactly one such table and its key has one column. */
function impliedKeys(table: TableDescription, { tables }: Tables): TableDescription['foreignKeys'] {
  const declared = new Set(table.foreignKeys.flatMap(({ columns }) => columns));
  return table.columns.flatMap(({ name }) => {
    const [, stem] = /^(.+)_id$/i.exec(plainName(name)) ?? [];
    if (stem === undefined || declared.has(name) || (table.primaryKey.length === 1 && table.primaryKey[0] === name))
      return [];
    const named = [...tables.values()].filter(
      (other) => other !== table && singular(plainName(other.name)) === singular(stem),
    );
    const [target] = named;
    const key = target?.primaryKey ?? [];
    return named.length === 1 && target !== undefined && key.length === 1
      ? [{ columns: [name], table: target.name, references: key }]
      : [];
  });
}

function joinsOf(table: TableDescription, all: Tables): Join[] {
  const joins: Join[] = [];
  const taken = new Set<string>();
  const keys = [
    ...table.foreignKeys.map((key) => ({ key, isDeclared: true })),
    ...impliedKeys(table, all).map((key) => ({ key, isDeclared: false })),
  ];
  const known = new Map([...all.names].map(([name, entity]) => [name.toLowerCase(), entity]));
  for (const { key, isDeclared } of keys) {
    const target = known.get(key.table.toLowerCase());
    if (target === undefined) continue;
    const name = plainName(key.columns.join('_')).replace(/_id$/, '');
    const isOnly =
      !taken.has(target) &&
      keys.filter(({ key: other }) => other.table === key.table).length === 1 &&
      target !== all.names.get(table.name);
    const own = isOnly ? undefined : free(name, taken);
    taken.add(own ?? target);
    const isWhole =
      key.columns.length === table.primaryKey.length &&
      key.columns.every((column) => table.primaryKey.includes(column));
    joins.push({
      ...(own !== undefined && { name: own }),
      target,
      relationship: isWhole ? 'one_to_one' : 'many_to_one',
      on: key.columns.map((from, index) => ({ from, to: key.references[index] ?? '' })),
      ...(!isDeclared && { description: 'Derived from the column names; the database declares no foreign key.' }),
    });
  }
  return joins;
}

/** The entity file's content. */
export function entityOf(
  profile: Profile,
  all: Tables,
  given: { readonly dialect: SqlDialect; readonly schema: string | undefined },
): Record<string, unknown> {
  const { table } = profile;
  const name = all.names.get(table.name) ?? table.name;
  const dimensions = dimensionsOf(profile, given.dialect);
  const joins = joinsOf(table, all);
  const keys = new Set([
    ...table.primaryKey,
    ...joins.flatMap(({ on }) => on.map(({ from }) => from)),
    ...table.foreignKeys.flatMap(({ columns }) => columns),
  ]);
  const taken = new Set(Array.from(dimensions.values(), (dimension) => dimension.name));
  const measures: Record<string, unknown>[] = [];
  const add = (measure: {
    readonly name: string;
    readonly type: string;
    readonly sql?: string;
    readonly synonyms?: readonly string[];
  }) => {
    const own = free(measure.name, taken);
    taken.add(own);
    measures.push({ ...measure, name: own });
  };
  add({ name: `${singular(name)}_count`, type: 'count' });
  for (const [column, dimension] of dimensions) {
    if (dimension.hidden || dimension.type !== 'number' || keys.has(column)) continue;
    if (NO_QUANTITY.test(dimension.name) || isFlag(column, profile.rows)) continue;
    const sql = dimension.sql === undefined ? dimension.name : `{${dimension.name}}`;
    // "fine amount" as well as "amount", because several tables may have a column of that name.
    const words = dimension.name.replaceAll('_', ' ');
    const own = `${singular(name).replaceAll('_', ' ')} ${words}`;
    const isTotal = /^total(_|$)/.test(dimension.name);
    const sum = isTotal ? `${singular(name)}_${dimension.name}` : `total_${dimension.name}`;
    if (!NO_SUM.test(dimension.name)) {
      add({ name: sum, type: 'sum', sql, ...(!isTotal && { synonyms: [own, `total ${own}`] }) });
    }
    add({ name: `average_${dimension.name}`, type: 'avg', sql, synonyms: [`average ${own}`] });
  }
  return {
    table: table.name,
    ...(name !== table.name && { name }),
    ...(given.schema !== undefined && { schema: given.schema }),
    ...(table.kind === 'view' && { type: 'view' }),
    ...(table.comment !== undefined && { description: table.comment }),
    dimensions: [...dimensions.values()],
    measures,
    ...(joins.length > 0 && { joins }),
  };
}
