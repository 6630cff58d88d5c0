/** Leaves out of the layer's files what the connected databases do not have, and says what that is. */
import { didYouMean } from '../../../kernel/index.ts';
import type { ConnectionTables, KnownSchemas, TableColumns } from './database-schema.ts';
import { columnsIn } from './expression-columns.ts';
import type { EntityItem, Item, LayerFile } from '../files/layer-file.ts';
import type { ModelDimension } from '../model.ts';
import { connectionOf, ownNameOf, physicalTable } from '../build/physical-table.ts';
import { reads } from '../hidden-columns.ts';
import type { Path } from '../files/yaml.ts';

export interface Misfit {
  readonly file: LayerFile;
  readonly path: Path;
  readonly message: string;
}

export interface Fitted {
  readonly files: readonly LayerFile[];
  readonly misfits: readonly Misfit[];
  /** For users: one sentence or two, without names of hidden and masked dimensions and their columns. */
  readonly notice: string | undefined;
  /** For anybody: how much is missing, no names. `undefined` when everything is there. */
  readonly summary: string | undefined;
}

/** What is known of an entity's table. */
interface Fit {
  readonly table: string;
  readonly columns: TableColumns;
  /** Columns that members read and the table does not have. */
  readonly missing: Set<string>;
  /** Hidden and masked dimensions. */
  readonly secrets: readonly ModelDimension[];
}

interface HasSql {
  readonly sql?: string;
}

const MOST_NAMED = 5;
const ADVICE = 'Generate a layer with "npx atlas init", or correct the files.';

export function fitToDatabases(files: readonly LayerFile[], schemas: KnownSchemas): Fitted {
  return new Fitting(schemas).run(files);
}

class Fitting {
  readonly #schemas: KnownSchemas;
  readonly #misfits: Misfit[] = [];
  readonly #fits = new Map<string, Fit>();
  /** Names of the entities that are left out. */
  readonly #dropped = new Set<string>();
  readonly #missing = {
    connections: new Set<string>(),
    tables: new Set<string>(),
    columns: new Set<string>(),
    joins: new Set<string>(),
  };
  /** Columns of hidden and masked dimensions, which only the log names. */
  readonly #protected = new Set<string>();

  constructor(schemas: KnownSchemas) {
    this.#schemas = schemas;
  }

  run(files: readonly LayerFile[]): Fitted {
    const fitted = files.map((file) => (file.kind === 'entity' ? this.#entityFile(file) : file));
    const complete = fitted.map((file) => (file.kind === 'entity' ? this.#joins(file) : this.#conditions(file)));
    return { files: complete, misfits: this.#misfits, notice: this.#notice(), summary: this.#summary() };
  }

  #report(file: LayerFile, path: Path, message: string): void {
    this.#misfits.push({ file, path, message });
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
      this.#missing.tables.add(shown);
      this.#report(file, ['table'], `The database "${tables.id}" has no table \`${shown}\`; the entity is left out.`);
      return this.#drop(file, entity);
    }
    const fit: Fit = {
      table: shown,
      columns,
      missing: new Set(),
      secrets: (entity.dimensions ?? []).filter(isProtected),
    };
    const name = ownNameOf(entity).toLowerCase();
    this.#fits.set(`${file.source}.${name}`, fit);
    if (!this.#fits.has(name)) this.#fits.set(name, fit);
    return this.#members(file, entity, fit);
  }

  /** Without the members that read what is missing. What protects a column stays, and hides it. */
  #members(file: LayerFile, entity: EntityItem, fit: Fit): LayerFile {
    const { dimensions = [], measures = [], segments = [], query_patterns: patterns = [] } = entity;
    for (const [list, members] of Object.entries({ dimensions, measures, segments })) {
      members.forEach((member, index) => {
        const absent = missingIn(member, fit);
        for (const column of absent) fit.missing.add(column);
        if (absent.length > 0) this.#reportColumns(file, [list, index], fit, absent);
      });
    }
    if (fit.missing.size === 0) return file;
    const isThere = ({ sql }: HasSql) => !reads(sql, fit.missing);
    return withItems(file, [
      {
        path: [],
        value: {
          ...entity,
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

  #reportColumns(file: LayerFile, path: Path, fit: Fit, absent: readonly string[]): void {
    for (const column of absent) {
      const name = `${fit.table}.${column}`;
      const own = new Set([column]);
      this.#missing.columns.add(name);
      if (fit.secrets.some((secret) => reads(secret.sql, own) || reads(secret.name, own))) this.#protected.add(name);
      const hint = didYouMean(column, fit.columns) || '.';
      this.#report(
        file,
        path,
        `The table \`${fit.table}\` has no column \`${column}\`; what reads it is left out${hint}`,
      );
    }
  }

  #fitOf(name: string | undefined, source: string): Fit | undefined {
    const key = (name ?? '').toLowerCase();
    return this.#fits.get(`${source}.${key}`) ?? this.#fits.get(key);
  }

  #isDropped(name: string, source: string): boolean {
    const key = name.toLowerCase();
    return this.#fitOf(name, source) === undefined && (this.#dropped.has(`${source}.${key}`) || this.#dropped.has(key));
  }

  /** Without the joins to entities that are left out, and those whose columns are missing on either side. */
  #joins(file: LayerFile): LayerFile {
    const entity = file.items[0]?.value as EntityItem | undefined;
    const own = entity && this.#fitOf(ownNameOf(entity), file.source);
    if (entity?.joins === undefined || own === undefined) return file;
    const dimensions = new Set(entity.dimensions?.map(({ name }) => name.toLowerCase()));
    const joins = entity.joins.filter((join, index) => {
      if (this.#isDropped(join.target, file.source)) return false;
      const far = this.#fitOf(join.target, file.source);
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

  /** Metrics and terms without those of an entity that is left out, and those that read a missing column. */
  #conditions(file: LayerFile): LayerFile {
    if (file.kind === 'catalog') return file;
    const items = file.items.filter(({ value, path }) => {
      const { entity, sql } = value as { entity?: string; sql?: string };
      if (entity !== undefined && this.#isDropped(entity, file.source)) return false;
      const fit = this.#fitOf(entity, file.source);
      if (fit === undefined) return true;
      const absent = missingIn({ ...(sql !== undefined && { sql }) }, fit);
      this.#reportColumns(file, path, fit, absent);
      return absent.length === 0 && !reads(sql, fit.missing);
    });
    return items.length === file.items.length ? file : withItems(file, items);
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

const has = ({ columns }: Fit, name: string) => columns.has(name.toLowerCase());

/** Columns that certainly are read and certainly are not there. */
function missingIn({ sql }: HasSql, fit: Fit): string[] {
  const read = sql === undefined ? [] : (columnsIn(sql) ?? []);
  return [...new Set(read.filter((name) => !fit.columns.has(name)))];
}

function withItems(file: LayerFile, items: readonly Item[]): LayerFile {
  return { ...file, items, isReduced: true };
}
