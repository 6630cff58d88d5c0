/** Puts what other tools say about tables over what the database says: its columns count, their names and texts win. */

import { withNames } from '../files/existing-names.ts';
import type { Content } from '../files/merge.ts';
import { columnOf, hasTemplate } from './expressions.ts';
import {
  findings,
  type ImportedDimension,
  type ImportedEntity,
  type ImportedJoin,
  present,
  type Report,
} from './project.ts';
import type { NamedProject } from './read-project.ts';
import { expandable } from './references.ts';

type Item = Readonly<Record<string, unknown>>;

export interface Overlaid {
  readonly files: Map<string, Content>;
  /** Parts that do not follow the database: items, and keys as `path/key`. */
  readonly said: ReadonlySet<unknown>;
  /** One line for each thing that was not taken over. */
  readonly notTaken: readonly string[];
  readonly entities: number;
  readonly metrics: number;
}

const items = (content: Content | undefined, key: string) => (content?.[key] ?? []) as readonly Item[];
const lower = (text: unknown) => String(text).toLowerCase();
const columnIn = ({ sql, name }: Item) => lower(columnOf(String(sql ?? name)) ?? name);
const entityName = ({ name, table }: Content) => String(name ?? table);

export function overlay(generated: ReadonlyMap<string, Content>, project: NamedProject): Overlaid {
  const { notTaken, report } = findings(project.notTaken);
  const said = new Set<unknown>();
  const places = new Map<ImportedEntity, string>();
  for (const entity of project.entities) {
    const [path] =
      [...generated].find(([name, content]) => name.startsWith('entities/') && isSameTable(content, entity)) ?? [];
    if (path === undefined) report(entity.name, `the database has no table ${entity.table}, or it was not read`);
    else if ([...places.values()].includes(path)) report(entity.name, `the table ${entity.table} is described twice`);
    else places.set(entity, path);
  }
  const names = chosenNames(generated, places);
  const renamed = new Map(
    [...places].map(([entity, path]) => [entityName(generated.get(path) ?? {}), names.get(entity.name) ?? entity.name]),
  );
  const files = withNames(generated, new Map(), renamed);
  for (const [entity, path] of places) {
    const before = files.get(path) ?? {};
    const name = names.get(entity.name) ?? entity.name;
    if (entityName(before) !== name) said.add(`${path}/name`);
    const { dimensions, references } = overlaidDimensions(before, entity, said, report);
    const taken: Record<string, unknown> = {};
    for (const [key, value] of Object.entries({ ...before, dimensions })) {
      if (key !== 'name') taken[key] = value;
      if (key === 'table' && (name !== before.table || before.name !== undefined)) taken.name = name;
    }
    for (const key of ['description', 'synonyms'] as const) {
      if (entity[key] === undefined) continue;
      taken[key] = entity[key];
      said.add(`${path}/${key}`);
    }
    taken.measures = overlaidMeasures(before, entity, dimensions, references, said, report);
    taken.segments = [
      ...items(before, 'segments'),
      ...entity.segments.filter((segment) => {
        const isUsable = expandable(segment.sql, dimensions) && !hasTemplate(segment.sql);
        if (!isUsable) report(`${entity.name}.${segment.name}`, 'its sql needs what was not taken');
        else said.add(segment);
        return isUsable;
      }),
    ];
    files.set(path, taken);
  }
  for (const [entity, path] of places) {
    const content = files.get(path) ?? {};
    const joins = overlaidJoins(content, entity, { files, places, names }, said, report);
    files.set(path, inOrder({ ...content, joins }));
  }
  describeInCatalog(files, places, names, said);
  const metrics = overlaidMetrics(files, project, { places, names }, said, report);
  for (const query of project.verified ?? []) {
    const path = `verified/${query.name}.yml`;
    files.set(path, { ...query });
    for (const key of Object.keys(query)) said.add(`${path}/${key}`);
  }
  return { files, said, notTaken, entities: places.size, metrics };
}

const ORDER = ['table', 'name', 'schema', 'connection', 'type', 'grain', 'description', 'synonyms'];

/** As generated, with the texts before the lists. */
function inOrder(content: Content): Content {
  const first = ORDER.map((key) => [key, content[key]] as const);
  return present({ ...Object.fromEntries(first), ...content });
}

function isSameTable({ table, schema }: Content, entity: ImportedEntity): boolean {
  if (lower(table) !== lower(entity.table)) return false;
  return schema === undefined || entity.schema === undefined || lower(schema) === lower(entity.schema);
}

/** The imported names, except those that another entity has. */
function chosenNames(
  files: ReadonlyMap<string, Content>,
  places: ReadonlyMap<ImportedEntity, string>,
): Map<string, string> {
  const taken = new Map<string, string>();
  for (const [path, content] of files) if (path.startsWith('entities/')) taken.set(lower(entityName(content)), path);
  const names = new Map<string, string>();
  for (const [entity, path] of places) {
    const owner = taken.get(lower(entity.name));
    const name = owner === undefined || owner === path ? entity.name : entityName(files.get(path) ?? {});
    taken.set(lower(name), path);
    names.set(entity.name, name);
  }
  return names;
}

function overlaidDimensions(before: Content, entity: ImportedEntity, said: Set<unknown>, report: Report) {
  const dimensions = [...items(before, 'dimensions')];
  const hasKey = dimensions.some(({ primary_key: isKey }) => isKey === true);
  const references = new Map<string, string>();
  const computed: ImportedDimension[] = [];
  for (const dimension of entity.dimensions) {
    const column = columnOf(dimension.sql ?? dimension.name);
    if (column === undefined) {
      computed.push(dimension);
      continue;
    }
    const index = dimensions.findIndex((known) => columnIn(known) === lower(column));
    const known = dimensions[index];
    if (known === undefined) {
      report(`${entity.name}.${dimension.name}`, `the table ${entity.table} has no column ${column}`);
      continue;
    }
    const isTaken = dimensions.some((other) => other !== known && lower(other.name) === lower(dimension.name));
    const name = isTaken ? String(known.name) : dimension.name;
    if (isTaken) report(`${entity.name}.${dimension.name}`, `another column has this name, so it stays ${name}`);
    references.set(String(known.name), name);
    const { description, synonyms, sample_values: values, hidden } = dimension;
    const merged = present({
      ...known,
      name,
      sql: known.sql ?? (name === known.name ? undefined : known.name),
      description: description ?? known.description,
      primary_key: known.primary_key ?? (hasKey ? undefined : dimension.primary_key),
      hidden: known.hidden ?? hidden,
      sample_values: known.hidden === true || hidden === true ? undefined : (known.sample_values ?? values),
      synonyms: synonyms ?? known.synonyms,
      range: known.hidden === true || hidden === true ? undefined : known.range,
    });
    if (JSON.stringify(merged) === JSON.stringify(known)) continue;
    dimensions[index] = merged;
    said.add(merged);
  }
  for (const dimension of computed) {
    const isTaken = dimensions.some((other) => lower(other.name) === lower(dimension.name));
    const sql = dimension.sql ?? '';
    if (isTaken) report(`${entity.name}.${dimension.name}`, 'a column has this name');
    else if (hasTemplate(sql)) report(`${entity.name}.${dimension.name}`, 'its sql has a template');
    else {
      dimensions.push({ ...dimension });
      said.add(dimensions.at(-1));
    }
  }
  // What refers to a dimension that was not taken cannot be used either.
  const usable = dimensions.filter((dimension) => {
    if (!said.has(dimension) || expandable(dimension.sql, dimensions)) return true;
    report(`${entity.name}.${String(dimension.name)}`, 'its sql needs what was not taken');
    return false;
  });
  return { dimensions: usable, references };
}

const measureSql = (sql: unknown) => lower(sql ?? '').replace(/[{}"`\s]/g, '');

function overlaidMeasures(
  before: Content,
  entity: ImportedEntity,
  dimensions: readonly Item[],
  references: ReadonlyMap<string, string>,
  said: Set<unknown>,
  report: Report,
): Item[] {
  const imported = entity.measures.filter(({ name, sql }) => {
    const isUsable = expandable(sql, dimensions) && !hasTemplate(sql ?? '');
    if (!isUsable) report(`${entity.name}.${name}`, 'its sql needs what was not taken');
    return isUsable;
  });
  for (const measure of imported) said.add(measure);
  const isReplaced = (measure: Item) =>
    imported.some(
      ({ name, type, sql }) =>
        lower(name) === lower(measure.name) || (type === measure.type && measureSql(sql) === measureSql(measure.sql)),
    );
  const kept = items(before, 'measures').filter((measure) => !isReplaced(measure));
  return [...imported, ...kept.map((measure) => referring(measure, references))];
}

/** The measure with the new names of dimensions. */
function referring(measure: Item, references: ReadonlyMap<string, string>): Item {
  const sql = String(measure.sql ?? '').replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const known = references.get(name);
    return known === undefined ? whole : `{${known}}`;
  });
  return measure.sql === undefined || sql === measure.sql ? measure : { ...measure, sql };
}

interface Known {
  readonly files: ReadonlyMap<string, Content>;
  readonly places: ReadonlyMap<ImportedEntity, string>;
  readonly names: ReadonlyMap<string, string>;
}

const columns = (content: Content | undefined) => new Set(items(content, 'dimensions').map(columnIn));
const keyOf = (join: Item) => JSON.stringify([join.target, join.on]);

function overlaidJoins(
  content: Content,
  entity: ImportedEntity,
  { files, places, names }: Known,
  said: Set<unknown>,
  report: Report,
): Item[] {
  const joins = [...items(content, 'joins')];
  for (const join of entity.joins) {
    const target = [...places].find(([other]) => other.name === join.target)?.[1];
    const label = `${entity.name} to ${join.target}`;
    if (target === undefined) {
      report(label, 'the entity joined to was not taken');
      continue;
    }
    const [own, theirs] = [columns(content), columns(files.get(target))];
    if (join.on.some(({ from, to }) => !own.has(lower(from)) || !theirs.has(lower(to)))) {
      report(label, 'its columns are not in the database');
      continue;
    }
    const named: ImportedJoin = { ...join, target: names.get(join.target) ?? join.target };
    const reverse = named.on.map(({ from, to }) => ({ from: to, to: from }));
    const back = keyOf({ target: entityName(content), on: reverse });
    const isKnown =
      joins.some((known) => keyOf(known) === keyOf({ ...named })) ||
      (join.relationship === 'one_to_many' && items(files.get(target), 'joins').some((known) => keyOf(known) === back));
    if (isKnown) continue;
    const isNameTaken = joins.some(({ name, target: to }) => (name ?? to) === (named.name ?? named.target));
    const added = isNameTaken ? { ...named, name: `${named.target}_${named.on[0]?.from}` } : { ...named };
    if (joins.some(({ name }) => name === added.name && name !== undefined)) continue;
    joins.push(added);
    said.add(added);
  }
  return joins;
}

function describeInCatalog(
  files: Map<string, Content>,
  places: ReadonlyMap<ImportedEntity, string>,
  names: ReadonlyMap<string, string>,
  said: Set<unknown>,
): void {
  const catalog = files.get('catalog.yml');
  if (catalog === undefined) return;
  const entities = items(catalog, 'entities').map((entry) => {
    const entity = [...places.keys()].find(({ name }) => names.get(name) === entry.name);
    if (entity?.description === undefined) return entry;
    const described = { ...entry, description: entity.description };
    said.add(described);
    return described;
  });
  files.set('catalog.yml', { ...catalog, entities });
}

function overlaidMetrics(
  files: Map<string, Content>,
  { metrics, tool }: NamedProject,
  { places, names }: Omit<Known, 'files'>,
  said: Set<unknown>,
  report: Report,
): number {
  const taken = metrics.flatMap(({ entity, ...metric }) => {
    const path = [...places].find(([known]) => known.name === entity)?.[1];
    const content = path === undefined ? undefined : files.get(path);
    const dimensions = items(content, 'dimensions');
    const isUsable =
      metric.measure === undefined
        ? expandable(metric.sql, dimensions) && !hasTemplate(metric.sql ?? '')
        : items(content, 'measures').some(({ name }) => name === metric.measure);
    if (content === undefined || !isUsable) {
      report(
        `metric ${metric.id}`,
        content === undefined ? `its entity ${entity} was not taken` : 'it needs what was not taken',
      );
      return [];
    }
    const item = { ...metric, entity: names.get(entity) ?? entity };
    said.add(item);
    return [item];
  });
  const ids = new Set(taken.map(({ id }) => lower(id)));
  for (const [path, content] of files) {
    if (!path.startsWith('metrics/')) continue;
    const kept = items(content, 'metrics').filter(({ id }) => !ids.has(lower(id)));
    if (kept.length === 0) files.delete(path);
    else files.set(path, { ...content, metrics: kept });
  }
  if (taken.length > 0) files.set(`metrics/${tool}.yml`, { metrics: taken });
  return taken.length;
}
