/** Compares the entities of a semantic layer with the tables that they describe. */
import { nearest, type TableColumn, type TableDescription } from '../../../kernel/index.ts';
import { plainName } from '../../profile-kit/index.ts';
import { columnsIn, type DimensionType, reads } from '../../semantic-layer/index.ts';
import { isAsWritten, isKeyAsWritten } from '../files/merge.ts';
import { referencesOf } from '../layer/dimensions.ts';
import { declaredKey, hasDeclaredKeys } from '../profile/keys.ts';
import {
  type ComparedDatabase,
  type ComparedLayer,
  columnNamed,
  type Dimension,
  type Drift,
  type DriftKind,
  isSame,
  type LayerEntity,
  plainColumn,
} from './compared-layer.ts';

type Detail = Omit<Drift, 'kind' | 'table' | 'file'>;

/** A dimension with the column that it shows as it is. */
interface Plain {
  readonly dimension: Dimension;
  /** The column's name as the layer writes it. */
  readonly name: string;
  readonly column: TableColumn | undefined;
}

/** Share of columns that two tables both have, above which one looks like the other renamed. */
const LIKE_RENAMED = 0.6;

/** All differences, in the order of the layer's files; those of tables without an entity at the end. */
export function driftOf(layer: ComparedLayer, database: ComparedDatabase): Drift[] {
  const found: Drift[] = [];
  const located = layer.entities.map((item) => ({ item, table: tableOf(item, database) }));
  const described = new Set(located.map(({ table }) => table));
  const added = database.expected.filter((table) => !described.has(table));
  const tables = new Map(located.map(({ item, table }) => [item.name.toLowerCase(), table]));
  const claimed = new Set<TableDescription>();
  for (const { item, table } of located) {
    const shown = shownName(item.schema, item.table, database);
    const report = (kind: DriftKind, detail: Detail = {}) => {
      found.push({ kind, table: shown, ...detail, file: item.file });
    };
    if (table === undefined) {
      reportMissing(item, { database, described, added, claimed }, report);
      continue;
    }
    const others = located.filter((other) => other.item !== item && other.table === table).map((other) => other.item);
    compareTable(item, { table, others, tables, database }, report);
  }
  for (const condition of layer.conditions) {
    const { item, table } = located.find(({ item: { name } }) => isSame(name, condition.entity)) ?? {};
    if (item === undefined) continue;
    const shown = shownName(item.schema, item.table, database);
    const problem = table === undefined ? 'its table is gone' : missingIn(condition.sql, item, table, database);
    if (problem === undefined) continue;
    found.push({
      kind: 'expression_broken',
      table: shown,
      layer: condition.label,
      database: problem,
      file: condition.file,
    });
  }
  for (const table of added) {
    if (claimed.has(table)) continue;
    found.push({ kind: 'table_added', table: shownName(table.schema, table.name, database), database: table.kind });
  }
  return found;
}

const shownName = (schema: string | undefined, table: string, { ownSchema }: ComparedDatabase) =>
  schema === undefined || schema === ownSchema ? table : `${schema}.${table}`;

function tableOf({ schema, table }: LayerEntity, { tables, ownSchema, hasExactNames }: ComparedDatabase) {
  const isNamed = (name: string) => (hasExactNames ? name === table : isSame(name, table));
  return tables.find((other) => isNamed(other.name) && (other.schema ?? ownSchema) === (schema ?? ownSchema));
}

type Report = (kind: DriftKind, detail?: Detail) => void;

interface Tables {
  readonly database: ComparedDatabase;
  readonly described: ReadonlySet<TableDescription | undefined>;
  readonly added: readonly TableDescription[];
  /** Tables that are told as the new place of another. */
  readonly claimed: Set<TableDescription>;
}

function reportMissing(item: LayerEntity, { database, described, added, claimed }: Tables, report: Report): void {
  const moved = database.tables.find(
    (table) => isSame(table.name, item.table) && !described.has(table) && likeness(item, table) >= LIKE_RENAMED,
  );
  if (moved !== undefined) {
    claimed.add(moved);
    const [layer, now] = [item.schema ?? database.ownSchema, moved.schema ?? database.ownSchema];
    report('table_moved', { ...(layer !== undefined && { layer }), ...(now !== undefined && { database: now }) });
    return;
  }
  const [similar] = added
    .filter((table) => likeness(item, table) >= LIKE_RENAMED)
    .sort((a, b) => likeness(item, b) - likeness(item, a));
  const note = similar && `looks renamed to ${shownName(similar.schema, similar.name, database)}`;
  report('table_removed', note === undefined ? {} : { note });
}

/** The share of columns that the entity and the table both have. */
function likeness({ entity }: LayerEntity, { columns }: TableDescription): number {
  const own = new Set((entity.dimensions ?? []).flatMap((dimension) => plainColumn(dimension)?.toLowerCase() ?? []));
  const theirs = new Set(columns.map(({ name }) => name.toLowerCase()));
  return own.size === 0 ? 0 : own.intersection(theirs).size / own.union(theirs).size;
}

interface Compared {
  readonly table: TableDescription;
  /** Further entities of the same table. */
  readonly others: readonly LayerEntity[];
  /** The tables of all entities, by the entity's name in lower case; `undefined`: gone. */
  readonly tables: ReadonlyMap<string, TableDescription | undefined>;
  readonly database: ComparedDatabase;
}

function compareTable(item: LayerEntity, compared: Compared, report: Report): void {
  const { table, database } = compared;
  const plain = (item.entity.dimensions ?? []).flatMap((dimension): Plain[] => {
    const name = plainColumn(dimension);
    return name === undefined ? [] : [{ dimension, name, column: columnNamed(name, table, database) }];
  });
  compareKind(item, table, report);
  compareColumns(item, plain, compared, report);
  compareTypes(item, plain, compared, report);
  compareNullability(plain, report);
  comparePrimaryKey(item, plain, compared, report);
  compareForeignKeys(item, plain, table, report);
  compareJoins(item, compared, report);
  compareExpressions(item, table, database, report);
}

/** A person may call a view a fact or a dimension, or leave its type out. */
function compareKind({ entity: { type }, record }: LayerEntity, { kind }: TableDescription, report: Report): void {
  const isUntouched =
    type === undefined
      ? !record.isEmpty && !record.names('keys').includes('type')
      : isKeyAsWritten(record, 'type', type);
  const isTable = type === 'table' || isUntouched;
  const layer = type === 'view' ? 'view' : isTable ? 'table' : kind;
  if (layer !== kind) report('table_kind', { layer, database: kind });
}

/** Columns without a dimension, unless a computed one reads them or a person has deleted it, and dimensions without their column. */
function compareColumns(item: LayerEntity, plain: readonly Plain[], compared: Compared, report: Report): void {
  const { table, others, database } = compared;
  const all = [item, ...others].flatMap(({ entity }) => entity.dimensions ?? []);
  const computed = all.flatMap((dimension) => (plainColumn(dimension) === undefined ? [dimension.sql] : []));
  const shown = new Set(
    all.map((dimension) => plainColumn(dimension)).map((name) => name && columnNamed(name, table, database)),
  );
  const names = new Set(all.map(({ name }) => name));
  const deleted = new Set(item.record.names('dimensions').filter((name) => !names.has(name)));
  const added = table.columns.filter((column) => {
    const own = new Set([column.name.toLowerCase()]);
    return !shown.has(column) && !deleted.has(plainName(column.name)) && !computed.some((sql) => reads(sql, own));
  });
  for (const { name, column, dimension } of plain) {
    if (column !== undefined) continue;
    const alike = added.filter((other) => dimension.type === undefined || database.typeOf(other) === dimension.type);
    const renamed =
      nearest(
        name,
        alike.map((other) => other.name),
      ) ?? (alike.length === 1 ? alike[0]?.name : undefined);
    report('column_removed', { column: name, ...(renamed !== undefined && { note: `looks renamed to ${renamed}` }) });
  }
  for (const { name, type } of added) report('column_added', { column: name, database: type });
}

/** What people make of a column of this type. */
const REFINED: Readonly<Record<DimensionType, readonly DimensionType[]>> = {
  string: ['json', 'boolean', 'date', 'timestamp'],
  number: ['boolean', 'string', 'date', 'timestamp'],
  boolean: ['number', 'string'],
  date: ['timestamp', 'string'],
  timestamp: ['date', 'string'],
  json: ['string'],
};

function compareTypes(
  { record }: LayerEntity,
  plain: readonly Plain[],
  { table, database }: Compared,
  report: Report,
): void {
  for (const { dimension, name, column } of plain) {
    if (dimension.type === undefined || column === undefined) continue;
    const type = database.typesByValues?.get(table)?.get(column.name) ?? database.typeOf(column);
    const isByPerson = REFINED[type].includes(dimension.type) && !isAsWritten(record, 'dimensions', dimension);
    if (type === dimension.type || isByPerson) continue;
    report('column_type', { column: name, layer: dimension.type, database: `${type} (${column.type || 'no type'})` });
  }
}

function compareNullability(plain: readonly Plain[], report: Report): void {
  const said = (nullable: boolean) => (nullable ? 'NULL' : 'NOT NULL');
  for (const { dimension, name, column } of plain) {
    if (dimension.nullable === undefined || column === undefined || dimension.nullable === column.nullable) continue;
    report('column_nullable', { column: name, layer: said(dimension.nullable), database: said(column.nullable) });
  }
}

/** Whether "atlas init" has recorded the keys, so that a missing one is no omission. */
const isRecorded = ({ record, entity }: LayerEntity) =>
  !record.isEmpty || entity.dimensions?.some(({ nullable }) => nullable !== undefined) === true;

function comparePrimaryKey(
  item: LayerEntity,
  plain: readonly Plain[],
  { table, database }: Compared,
  report: Report,
): void {
  const keys = plain.filter(({ dimension }) => dimension.primary_key === true);
  const layer = keys.map(({ name, column }) => column?.name ?? name);
  // The end of a row's time is part of the key of a versioned table, and no column that anybody sees.
  const key = declaredKey(table).filter((name) => table.columns.some((column) => column.name === name));
  if (new Set(layer).symmetricDifference(new Set(key)).size === 0) return;
  // A key that the database does not declare may be one that a person knows of, or that the values have told.
  const isUndeclared =
    key.length === 0 &&
    (!hasDeclaredKeys(database.tables) ||
      keys.every(({ dimension }) => !isAsWritten(item.record, 'dimensions', dimension)));
  if (isUndeclared || (layer.length === 0 && !isRecorded(item))) return;
  report('primary_key', { layer: layer.join(', ') || 'none', database: key.join(', ') || 'none' });
}

const listed = (references: string | readonly string[] | undefined): readonly string[] =>
  references === undefined ? [] : [references].flat();

/** A person who writes a dimension need not say what it refers to. */
const isKeyExpected = (item: LayerEntity, { name, nullable }: Dimension) =>
  isRecorded(item) && (nullable !== undefined || item.record.get('dimensions', name) !== '');

function compareForeignKeys(item: LayerEntity, plain: readonly Plain[], table: TableDescription, report: Report): void {
  const now = referencesOf(table);
  for (const { dimension, column } of plain) {
    if (column === undefined) continue;
    const [layer, database] = [listed(dimension.references), listed(now.get(column.name))];
    if (new Set(layer).symmetricDifference(new Set(database)).size === 0) continue;
    if (layer.length === 0 && !isKeyExpected(item, dimension)) continue;
    const kind =
      layer.length === 0 ? 'foreign_key_added' : database.length === 0 ? 'foreign_key_removed' : 'foreign_key_changed';
    report(kind, {
      column: column.name,
      ...(layer.length > 0 && { layer: layer.join(', ') }),
      ...(database.length > 0 && { database: database.join(', ') }),
    });
  }
}

function compareJoins({ entity }: LayerEntity, { table, tables, database }: Compared, report: Report): void {
  const computed = new Set(
    entity.dimensions?.flatMap((one) => (plainColumn(one) === undefined ? [one.name.toLowerCase()] : [])),
  );
  const renamed = new Map(entity.dimensions?.map((one) => [one.name.toLowerCase(), plainColumn(one)]));
  const isThere = (name: string) =>
    computed.has(name.toLowerCase()) ||
    columnNamed(renamed.get(name.toLowerCase()) ?? name, table, database) !== undefined;
  for (const { name, target, on } of entity.joins ?? []) {
    const isKnown = tables.has(target.toLowerCase());
    const far = tables.get(target.toLowerCase());
    const missing = [on]
      .flat()
      .flatMap(({ from, to }) => [
        ...(isThere(from) ? [] : [from]),
        ...(far === undefined || columnNamed(to, far, database) ? [] : [`${target}.${to}`]),
      ]);
    const problem = isKnown && far === undefined ? `the table of ${target} is gone` : gone(missing);
    if (problem !== undefined) report('join_broken', { layer: `join ${name ?? target}`, database: problem });
  }
}

const gone = (columns: readonly string[]) =>
  columns.length === 0 ? undefined : `${columns.join(', ')} ${columns.length === 1 ? 'is' : 'are'} gone`;

/** What an expression reads and the table does not have. Where that is not certain, only columns that the layer lists count. */
function missingIn(sql: string, { entity }: LayerEntity, table: TableDescription, database: ComparedDatabase) {
  const dimensions = entity.dimensions ?? [];
  const names = new Set(dimensions.map(({ name }) => name.toLowerCase()));
  const isGone = (name: string) => columnNamed(name, table, database) === undefined;
  const lost = dimensions
    .map((dimension) => plainColumn(dimension))
    .filter((name) => name !== undefined && isGone(name));
  const certain = (columnsIn(sql) ?? []).filter((name) => isGone(name) && !names.has(name));
  const mentioned = lost.filter((name) => name !== undefined && reads(sql, new Set([name.toLowerCase()])));
  return gone([...new Set([...certain, ...mentioned.map((name) => name?.toLowerCase() ?? '')])]);
}

function compareExpressions(
  item: LayerEntity,
  table: TableDescription,
  database: ComparedDatabase,
  report: Report,
): void {
  const { dimensions = [], measures = [], segments = [], query_patterns: patterns = [] } = item.entity;
  const expressions: (readonly [label: string, sql: string | undefined])[] = [
    ...dimensions.map(
      (dimension) =>
        [`dimension ${dimension.name}`, plainColumn(dimension) === undefined ? dimension.sql : undefined] as const,
    ),
    ...dimensions.map(({ name, mask }) => [`mask of ${name}`, mask] as const),
    ...measures.map(({ name, sql }) => [`measure ${name}`, sql] as const),
    ...segments.map(({ name, sql }) => [`segment ${name}`, sql] as const),
  ];
  for (const [label, sql] of expressions) {
    const problem = sql === undefined ? undefined : missingIn(sql, item, table, database);
    if (problem !== undefined) report('expression_broken', { layer: label, database: problem });
  }
  // Statements name other tables, too: only columns that this entity has lost are looked for.
  const lost = dimensions.flatMap((dimension) => {
    const name = plainColumn(dimension);
    return name === undefined || columnNamed(name, table, database) !== undefined ? [] : [name];
  });
  for (const { description, sql } of patterns) {
    const problem = gone(lost.filter((name) => reads(sql, new Set([name.toLowerCase()]))));
    if (problem !== undefined) report('expression_broken', { layer: `pattern "${description}"`, database: problem });
  }
}
