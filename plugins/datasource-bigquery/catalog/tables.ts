/** Reads tables, views, columns, keys and sizes by `tables.list` and `tables.get`, which run no query and cost nothing. */
import type { TableColumn, TableDescription } from '../../../kernel/index.ts';
import type { ViewDefinition } from '../../datasource-kit/index.ts';
import { type Field, typeOf } from '../values/fields.ts';
import { listOf } from '../values/values.ts';
import type { Json } from '../wire/client.ts';
import { BigqueryFault } from '../wire/fault.ts';

/** The answer to a GET below `/bigquery/v2/`. */
export type Get = (path: string, query?: Readonly<Record<string, string | number | undefined>>) => Promise<Json>;

interface Place {
  readonly project: string;
  readonly dataset: string;
}

const PER_PAGE = 1_000;
/** Requests at the same time. */
const AT_ONCE = 4;

const encoded = encodeURIComponent;

export const datasetPath = ({ project, dataset }: Place): string =>
  `projects/${encoded(project)}/datasets/${encoded(dataset)}`;

export const tablePath = (place: Place, table: string): string => `${datasetPath(place)}/tables/${encoded(table)}`;

/** `schemas`: further datasets that statements name, those of other projects as `project.dataset`. */
export async function describeDatasets(get: Get, own: Place, schemas: readonly string[]): Promise<TableDescription[]> {
  const places = new Map([own, ...schemas.map((name) => placeOf(name, own))].map((one) => [datasetPath(one), one]));
  const described: TableDescription[] = [];
  for (const place of places.values()) {
    const schema = place.project === own.project ? place.dataset : `${place.project}.${place.dataset}`;
    const tables = await tablesOf(get, place).catch((error: unknown) => {
      // A rule may name the dataset of another connection.
      if (place !== own && error instanceof BigqueryFault && error.reason === 'notFound') return [];
      throw error;
    });
    described.push(...tables.map((table) => describe(table, schema, place)));
  }
  return described;
}

/** Views and materialized views of the connection's dataset. */
export async function viewsOf(get: Get, place: Place): Promise<ViewDefinition[]> {
  const views = await tablesOf(get, place, ({ type }) => /VIEW$/.test(String(type)));
  return views.map((table) => {
    const { query } = (table.view ?? table.materializedView ?? {}) as { readonly query?: unknown };
    const sql = typeof query === 'string' && query !== '' ? query : undefined;
    return { schema: place.dataset, name: nameOf(table), ...(sql !== undefined && { sql }) };
  });
}

function placeOf(name: string, { project }: Place): Place {
  const dot = name.indexOf('.');
  return dot === -1 ? { project, dataset: name } : { project: name.slice(0, dot), dataset: name.slice(dot + 1) };
}

/** Every table of the dataset in full, or of those `chosen`. */
async function tablesOf(get: Get, place: Place, chosen: (table: Json) => boolean = () => true): Promise<Json[]> {
  const listed: Json[] = [];
  let pageToken: string | undefined;
  do {
    const page = await get(`${datasetPath(place)}/tables`, { maxResults: PER_PAGE, pageToken });
    listed.push(...(listOf(page.tables) as readonly Json[]).filter(chosen));
    pageToken = typeof page.nextPageToken === 'string' && page.nextPageToken !== '' ? page.nextPageToken : undefined;
  } while (pageToken !== undefined);
  const tables: (Json | undefined)[] = [];
  const names = listed.map(nameOf).filter((name) => name !== '');
  const next = names.entries();
  const worker = async () => {
    for (const [at, name] of next) tables[at] = await get(tablePath(place, name)).catch(gone);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return tables.filter((table) => table !== undefined);
}

/** A table may go between the list and the question. */
function gone(error: unknown): undefined {
  if (error instanceof BigqueryFault && error.reason === 'notFound') return undefined;
  throw error;
}

function nameOf({ tableReference }: Json): string {
  const { tableId } = (tableReference ?? {}) as { readonly tableId?: unknown };
  return typeof tableId === 'string' ? tableId : '';
}

function describe(table: Json, schema: string, place: Place): TableDescription {
  const { schema: columns, numRows, tableConstraints, type } = table;
  const { fields } = (columns ?? {}) as { readonly fields?: unknown };
  const { primaryKey, foreignKeys } = (tableConstraints ?? {}) as {
    readonly primaryKey?: { readonly columns?: readonly string[] };
    readonly foreignKeys?: readonly ForeignKey[];
  };
  const rows = rowsOf(numRows);
  const isView = /VIEW$/.test(String(type));
  const comment = commentOf(table);
  return {
    schema,
    name: nameOf(table),
    kind: isView ? 'view' : 'table',
    columns: (listOf(fields) as readonly Field[]).map(columnOf),
    primaryKey: primaryKey?.columns ?? [],
    foreignKeys: (foreignKeys ?? []).flatMap((key) => keyOf(key, place)),
    ...(rows !== undefined && !isView && { estimatedRows: rows }),
    ...(comment !== undefined && { comment }),
  };
}

/** `undefined` where it is not told, as of external tables. */
export const rowsOf = (numRows: unknown): number | undefined =>
  /^\d+$/.test(String(numRows)) ? Number(numRows) : undefined;

function columnOf(field: Field): TableColumn {
  const { name, mode, description } = field;
  return {
    name,
    type: typeOf(field),
    nullable: mode !== 'REQUIRED' && mode !== 'REPEATED',
    ...(typeof description === 'string' && description !== '' && { comment: description }),
  };
}

interface ForeignKey {
  readonly referencedTable?: { readonly projectId?: string; readonly datasetId?: string; readonly tableId?: string };
  readonly columnReferences?: readonly { readonly referencingColumn?: string; readonly referencedColumn?: string }[];
}

/** Keys to tables of the same dataset, as those of other engines are described. */
function keyOf({ referencedTable = {}, columnReferences = [] }: ForeignKey, { dataset }: Place) {
  const { datasetId, tableId } = referencedTable;
  if (datasetId !== dataset || tableId === undefined) return [];
  return [
    {
      columns: columnReferences.map(({ referencingColumn = '' }) => referencingColumn),
      table: tableId,
      references: columnReferences.map(({ referencedColumn = '' }) => referencedColumn),
    },
  ];
}

/** What people wrote, and by which columns a condition reads less of it. */
function commentOf({ description, timePartitioning, rangePartitioning, clustering }: Json): string | undefined {
  const time = timePartitioning as { readonly type?: unknown; readonly field?: unknown } | undefined;
  const range = rangePartitioning as { readonly field?: unknown } | undefined;
  const { fields: clustered } = (clustering ?? {}) as { readonly fields?: unknown };
  const sentences = [
    typeof description === 'string' && description !== '' ? description : undefined,
    time && `Partitioned by ${String(time.type ?? 'day').toLowerCase()} of ${String(time.field ?? '_PARTITIONTIME')}.`,
    range && `Partitioned by ranges of ${String(range.field)}.`,
    listOf(clustered).length > 0 ? `Clustered by ${listOf(clustered).join(', ')}.` : undefined,
  ].filter((one) => one !== undefined);
  return sentences.length === 0 ? undefined : sentences.join(' ');
}
