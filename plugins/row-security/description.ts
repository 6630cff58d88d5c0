import {
  AtlasError,
  type ConnectionInfo,
  messageOf,
  type TableColumn,
  type TableDescription,
} from '../../kernel/index.ts';
import type { AllowedTable } from '../sql-guard/index.ts';

const fold = (name: string) => name.toLowerCase();

/** One database as it described itself. */
export class Description {
  private readonly all: readonly TableDescription[];
  private readonly byName: ReadonlyMap<string, readonly TableDescription[]>;

  constructor(tables: readonly TableDescription[]) {
    this.all = tables;
    this.byName = Map.groupBy(tables, ({ name }) => fold(name));
  }

  /**
   * The table's column of that name, or `undefined` when it has none or it is not certain which is meant. The exact
   * name counts before one in other letters.
   */
  column(table: AllowedTable, name: string, defaultSchema: string): TableColumn | undefined {
    const described = this.table(table, defaultSchema)?.columns ?? [];
    return only(described, ({ name: column }) => column, name);
  }

  /** Names of the table's columns as they are; none where it is not certain which table is meant. */
  columns(table: AllowedTable, defaultSchema: string): readonly string[] {
    return (this.table(table, defaultSchema)?.columns ?? []).map(({ name }) => name);
  }

  /** Types of the table's columns, by their names as they are. */
  types(table: AllowedTable, defaultSchema: string): ReadonlyMap<string, string> {
    const columns = this.table(table, defaultSchema)?.columns ?? [];
    return new Map(columns.map(({ name, type }) => [name, type]));
  }

  /** Columns of the table's primary key; `undefined` where there is none. */
  key(table: AllowedTable, defaultSchema: string): readonly string[] | undefined {
    return this.table(table, defaultSchema)?.primaryKey;
  }

  /** Whether there is such a table, written `name` or `schema.name`, in any letters. */
  has(written: string): boolean {
    return this.all.some((table) => isNamed(table, written));
  }

  /** Whether one of the tables, or of all, has a column of that name, in any letters. */
  hasColumn(column: string, tables: readonly string[] | undefined): boolean {
    return this.all.some(
      (table) =>
        (tables === undefined || tables.some((written) => isNamed(table, written))) &&
        table.columns.some(({ name }) => fold(name) === fold(column)),
    );
  }

  get names(): readonly string[] {
    return this.all.map(({ name }) => name);
  }

  get columnNames(): readonly string[] {
    return [...new Set(this.all.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  }

  private table({ schema, name }: AllowedTable, defaultSchema: string): TableDescription | undefined {
    const all = this.byName.get(fold(name)) ?? [];
    const wanted = fold(schema ?? defaultSchema);
    const inSchema = all.filter((table) => fold(table.schema ?? defaultSchema) === wanted);
    // An engine may call its default schema by another name than the guard does.
    const candidates = inSchema.length === 0 && schema === undefined ? all : inSchema;
    return only(candidates, (table) => table.name, name);
  }
}

/** What an engine calls the schema of tables that it describes without one. */
const UNNAMED_SCHEMA = 'main';

function isNamed({ schema, name }: TableDescription, written: string): boolean {
  const full = schema === '' ? name : `${schema ?? UNNAMED_SCHEMA}.${name}`;
  return [fold(name), fold(full)].includes(fold(written));
}

function only<T>(items: readonly T[], nameOf: (item: T) => string, name: string): T | undefined {
  const alike = items.filter((item) => fold(nameOf(item)) === fold(name));
  const exact = alike.filter((item) => nameOf(item) === name);
  const found = exact.length > 0 ? exact : alike;
  return found.length === 1 ? found[0] : undefined;
}

/** Descriptions that are kept; others are read again. */
const MAX_DESCRIPTIONS = 500;

interface Kept {
  readonly description: Description;
  readonly readAt: number;
}

export interface DescriptionsOptions {
  /** Asks the database. */
  readonly describe: (
    connection: ConnectionInfo,
    schemas: readonly string[],
  ) => PromiseLike<readonly TableDescription[]>;
  readonly now: () => number;
  readonly describeEveryMs: number;
  readonly recheckMs: number;
  readonly warn: (problem: string) => void;
}

/**
 * What the databases look like, each read once and then anew from time to time. An old description leads to a refusal
 * or to an error of the engine, never to a row too many, so only the first reading is waited for.
 */
export class Descriptions {
  private readonly options: DescriptionsOptions;
  private readonly kept = new Map<string, Kept>();
  private readonly pending = new Map<string, Promise<Description>>();
  private readonly incomplete = new WeakSet<Description>();

  constructor(options: DescriptionsOptions) {
    this.options = options;
  }

  /** With the tables of `schemas`. Rejects with an `AtlasError` while the database has never described itself. */
  get(connection: ConnectionInfo, schemas: readonly string[] = []): Description | Promise<Description> {
    const key = [connection.key ?? connection.id, ...schemas].join('\0');
    const kept = this.kept.get(key);
    if (kept === undefined) return this.read(key, connection, schemas);
    const { describeEveryMs, recheckMs, now, warn } = this.options;
    const maxAgeMs = this.incomplete.has(kept.description) ? Math.min(recheckMs, describeEveryMs) : describeEveryMs;
    if (now() - kept.readAt >= maxAgeMs) {
      this.read(key, connection, schemas).catch((error: unknown) => warn(messageOf(error)));
    }
    return kept.description;
  }

  /** Something that a policy needs is not there: the next reading comes sooner. */
  markIncomplete(description: Description): void {
    this.incomplete.add(description);
  }

  private read(key: string, connection: ConnectionInfo, schemas: readonly string[]): Promise<Description> {
    const running = this.pending.get(key);
    if (running !== undefined) return running;
    const reading = this.ask(key, connection, schemas).finally(() => this.pending.delete(key));
    this.pending.set(key, reading);
    return reading;
  }

  private async ask(key: string, connection: ConnectionInfo, schemas: readonly string[]): Promise<Description> {
    try {
      const description = new Description(await this.options.describe(connection, schemas));
      // In order of the last reading.
      this.kept.delete(key);
      this.kept.set(key, { description, readAt: this.options.now() });
      const [oldest] = this.kept.keys();
      if (this.kept.size > MAX_DESCRIPTIONS && oldest !== undefined) this.kept.delete(oldest);
      return description;
    } catch (error) {
      throw new AtlasError(
        `Row security cannot read the columns of connection "${connection.id}": ${messageOf(error)}`,
        {
          code: 'datasource_unavailable',
          retryAfterSeconds: 5,
          reason: 'E_ROW_SECURITY_DESCRIPTION',
          hint: 'Try again; if it stays, an administrator has to look at the connection.',
          cause: error,
        },
      );
    }
  }
}
