/** Removes what the connected databases do not have from the layer's files, and reports it. */
import { didYouMean } from '../../../kernel/index.ts';
import { connectionOf, ownNameOf, physicalTable } from '../build/physical-table.ts';
import type { EntityItem, Finding, Item, LayerFile } from '../files/layer-file.ts';
import type { Path } from '../files/yaml.ts';
import { reads } from '../hidden-columns.ts';
import type { ModelDimension } from '../model.ts';
import type { ConnectionTables, KnownSchemas, TableColumns } from './database-schema.ts';
import { columnsIn } from './expression-columns.ts';

export interface MatchedLayer {
  readonly files: readonly LayerFile[];
  readonly findings: readonly Finding[];
  /** For users: what is missing, without the names of hidden and masked dimensions and their columns. */
  readonly notice: string | undefined;
  /** For everyone: how much is missing, without names. `undefined` when nothing is. */
  readonly summary: string | undefined;
}

/** The table of an entity, as the database describes it. */
interface KnownTable {
  readonly table: string;
  readonly columns: TableColumns;
  /** Columns that the entity's members read and the table lacks. */
  readonly missing: Set<string>;
  /** Hidden and masked dimensions. */
  readonly secrets: readonly ModelDimension[];
}

interface HasSql {
  readonly sql?: string;
}

const MOST_NAMED = 5;
const EMPTY = 'The database has no table that can be read. Check its name in the URL, and the rights of the login.';
const ADVICE = 'Generate a layer with "npx atlas-query init", or correct the files.';

export function removeSchemaDrift(files: readonly LayerFile[], schemas: KnownSchemas): MatchedLayer {
  return new DriftRemoval(schemas).run(files);
}

class DriftRemoval {
  readonly #schemas: KnownSchemas;
  readonly #findings: Finding[] = [];
  readonly #tables = new Map<string, KnownTable>();
  /** Names of the entities that were removed. */
  readonly #dropped = new Set<string>();
  readonly #missing = {
    connections: new Set<string>(),
    tables: new Set<string>(),
    columns: new Set<string>(),
    joins: new Set<string>(),
  };
  /** Columns of hidden and masked dimensions, which only the log names. */
  readonly #protected = new Set<string>();

  /** Connections whose login sees no table. */
  readonly #empty = new Set<string>();

  constructor(schemas: KnownSchemas) {
    this.#schemas = schemas;
  }

  run(files: readonly LayerFile[]): MatchedLayer {
    const fitted = files.map((file) => (file.kind === 'entity' ? this.#entityFile(file) : file));
    const complete = fitted.map((file) => (file.kind === 'entity' ? this.#joins(file) : this.#conditions(file)));
    return { files: complete, findings: this.#findings, notice: this.#notice(), summary: this.#summary() };
  }

  #report(file: LayerFile, path: Path, message: string): void {
    this.#findings.push({ file, path, message });
  }

  #entityFile(file: LayerFile): LayerFile {
    const entity = file.items[0]?.value as EntityItem | undefined;
    if (entity === undefined) return file;
    const connection = connectionOf(entity, file.source);
    const tables = this.#schemas.of(connection);
    if (tables === 'unknown') return file;
    if (tables === 'missing') {
      this.#missing.connections.add(connection ?? 'default');
      const message = `There is no connection \`${connection}\`; the entity is left out.`;
      this.#report(file, ['connection'], message);
      return this.#drop(file, entity);
    }
    return this.#onTable(file, entity, tables);
  }

  #drop(file: LayerFile, entity: EntityItem): LayerFile {
    const name = ownNameOf(entity).toLowerCase();
    this.#dropped.add(name).add(`${file.source}.${name}`);
    return withItems(file, []);
  }

  #onTable(file: LayerFile, entity: EntityItem, tables: ConnectionTables): LayerFile {
    const { schema, table } = physicalTable(entity);
    const columns = tables.find(schema, table);
    if (columns === 'unknown') return file;
    const shown = schema === undefined ? table : `${schema}.${table}`;
    if (columns === 'missing') {
      if (tables.isEmpty) this.#empty.add(tables.id);
      this.#missing.tables.add(shown);
      this.#report(file, ['table'], `The database "${tables.id}" has no table \`${shown}\`; the entity is left out.`);
      return this.#drop(file, entity);
    }
    const known: KnownTable = {
      table: shown,
      columns,
      missing: new Set(),
      secrets: (entity.dimensions ?? []).filter(isProtected),
    };
    const name = ownNameOf(entity).toLowerCase();
    this.#tables.set(`${file.source}.${name}`, known);
    if (!this.#tables.has(name)) this.#tables.set(name, known);
    return this.#members(file, entity, known);
  }

  /** Removes members that read missing columns. A hidden or masked dimension stays, hidden, to protect its column. */
  #members(file: LayerFile, entity: EntityItem, known: KnownTable): LayerFile {
    const { dimensions = [], measures = [], segments = [], query_patterns: patterns = [], freshness, ...rest } = entity;
    for (const [list, members] of Object.entries({ dimensions, measures, segments })) {
      members.forEach((member, index) => {
        const absent = missingIn(member, known);
        for (const column of absent) known.missing.add(column);
        if (absent.length > 0) this.#reportColumns(file, [list, index], known, absent);
      });
    }
    if (known.missing.size === 0) return file;
    const isThere = ({ sql }: HasSql) => !reads(sql, known.missing);
    return withItems(file, [
      {
        path: [],
        value: {
          ...rest,
          ...(freshness && !reads(freshness.column, known.missing) && { freshness }),
          dimensions: dimensions.flatMap((dimension) => {
            if (isThere(dimension)) return [dimension];
            return isProtected(dimension) ? [{ ...dimension, hidden: true }] : [];
          }),
          measures: measures.filter(isThere),
          segments: segments.filter(isThere),
          query_patterns: patterns.filter(isThere),
        },
      },
    ]);
  }

  #reportColumns(file: LayerFile, path: Path, known: KnownTable, absent: readonly string[]): void {
    for (const column of absent) {
      const name = `${known.table}.${column}`;
      const own = new Set([column]);
      this.#missing.columns.add(name);
      if (known.secrets.some((secret) => reads(secret.sql, own) || reads(secret.name, own))) this.#protected.add(name);
      const hint = didYouMean(column, known.columns) || '.';
      this.#report(
        file,
        path,
        `The table \`${known.table}\` has no column \`${column}\`; what reads it is left out${hint}`,
      );
    }
  }

  #tableOf(name: string | undefined, source: string): KnownTable | undefined {
    const key = (name ?? '').toLowerCase();
    return this.#tables.get(`${source}.${key}`) ?? this.#tables.get(key);
  }

  #isDropped(name: string, source: string): boolean {
    const key = name.toLowerCase();
    return (
      this.#tableOf(name, source) === undefined && (this.#dropped.has(`${source}.${key}`) || this.#dropped.has(key))
    );
  }

  /** Removes joins to removed entities and joins whose columns are missing on either side. */
  #joins(file: LayerFile): LayerFile {
    const entity = file.items[0]?.value as EntityItem | undefined;
    const own = entity && this.#tableOf(ownNameOf(entity), file.source);
    if (entity?.joins === undefined || own === undefined) return file;
    const dimensions = new Set(entity.dimensions?.map(({ name }) => name.toLowerCase()));
    const joins = entity.joins.filter((join, index) => {
      if (this.#isDropped(join.target, file.source)) return false;
      const far = this.#tableOf(join.target, file.source);
      const pairs = Array.isArray(join.on) ? join.on : [join.on];
      const absent = pairs.flatMap(({ from, to }) => [
        ...(has(own, from) || dimensions.has(from.toLowerCase()) ? [] : [`${own.table}.${from}`]),
        ...(far === undefined || has(far, to) ? [] : [`${far.table}.${to}`]),
      ]);
      if (absent.length === 0) return true;
      this.#missing.joins.add(`${ownNameOf(entity)} → ${join.target}`);
      const message = `There is no column ${absent.map((name) => `\`${name}\``).join(', ')}; the join is left out.`;
      this.#report(file, ['joins', index], message);
      return false;
    });
    return joins.length === entity.joins.length ? file : withItems(file, [{ path: [], value: { ...entity, joins } }]);
  }

  /** Removes metrics and terms of removed entities and those that read a missing column. */
  #conditions(file: LayerFile): LayerFile {
    if (file.kind === 'catalog') return file;
    const items = file.items.filter(({ value, path }) => {
      const { entity, sql } = value as { entity?: string; sql?: string };
      if (entity !== undefined && this.#isDropped(entity, file.source)) return false;
      const known = this.#tableOf(entity, file.source);
      if (known === undefined) return true;
      const absent = missingIn({ ...(sql !== undefined && { sql }) }, known);
      this.#reportColumns(file, path, known, absent);
      return absent.length === 0 && !reads(sql, known.missing);
    });
    return items.length === file.items.length ? file : withItems(file, items);
  }

  /** Every table that is missing is so because the login sees none. */
  get #isEmpty(): boolean {
    return this.#empty.size > 0 && this.#tables.size === 0;
  }

  #notice(): string | undefined {
    const { connections, tables, columns, joins } = this.#missing;
    const parts = [
      named(connections, 'connection', 'connections'),
      named(tables, 'table', 'tables'),
      named(columns.difference(this.#protected), 'column', 'columns'),
      named(joins, 'columns for the join', 'columns for the joins', 'are'),
    ].filter((part) => part !== undefined);
    if (parts.length === 0) return undefined;
    if (this.#isEmpty) return EMPTY;
    return `The semantic layer does not fit the database: ${parts.join('; ')}. ${ADVICE}`;
  }

  #summary(): string | undefined {
    const { connections, tables, columns, joins } = this.#missing;
    const parts = [
      counted(connections, 'connection'),
      counted(tables, 'table'),
      counted(columns, 'column'),
      counted(joins, 'join'),
    ].filter((part) => part !== undefined);
    if (parts.length === 0) return undefined;
    if (this.#isEmpty) return EMPTY;
    const all = new Intl.ListFormat('en').format(parts);
    return `The semantic layer does not fit the database: ${all} of it cannot be used; the log names what is missing. ${ADVICE}`;
  }
}

function named(names: ReadonlySet<string>, one: string, many: string, verb = names.size === 1 ? 'is' : 'are') {
  if (names.size === 0) return undefined;
  const shown = [...names].slice(0, MOST_NAMED).join(', ');
  const more = names.size > MOST_NAMED ? ` and ${names.size - MOST_NAMED} more` : '';
  return `there ${verb} no ${names.size === 1 ? one : many} ${shown}${more}`;
}

function counted({ size }: ReadonlySet<string>, one: string): string | undefined {
  return size === 0 ? undefined : `${size} ${one}${size === 1 ? '' : 's'}`;
}

const isProtected = ({ hidden, mask }: ModelDimension) => hidden === true || mask !== undefined;

const has = ({ columns }: KnownTable, name: string) => columns.has(name.toLowerCase());

/** Columns that are certainly read and certainly missing. */
function missingIn({ sql }: HasSql, known: KnownTable): string[] {
  const read = sql === undefined ? [] : (columnsIn(sql) ?? []);
  return [...new Set(read.filter((name) => !known.columns.has(name)))];
}

function withItems(file: LayerFile, items: readonly Item[]): LayerFile {
  return { ...file, items, isReduced: true };
}
