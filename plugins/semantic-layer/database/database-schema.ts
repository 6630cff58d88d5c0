/** Reads the tables and columns of the connected databases, and again when they may have changed. */
import type { ConnectionInfo, TableDescription } from '../../../kernel/index.ts';
import { hashOf } from '../files/layer-file.ts';

/** The column names of a table, in lower case. */
export type TableColumns = ReadonlySet<string>;

export interface SchemaSource {
  connections(): Promise<readonly ConnectionInfo[]>;
  /** Rejects while the database is not available. */
  describe(connection: ConnectionInfo): Promise<readonly TableDescription[]>;
  /** Whether table names are case-sensitive whatever the server's settings. */
  hasExactNames(connection: ConnectionInfo): Promise<boolean>;
}

/** Schemas in which unqualified names are looked up when the connection names none. */
const DEFAULT_SCHEMAS: readonly (string | undefined)[] = [undefined, 'public', 'main'];
const SYSTEM_SCHEMA = /^(pg_|information_schema$)/i;
/** Time between two reads while a database does not answer or does not match the layer. */
const FAULTY_INTERVAL_MS = 5_000;
/** Time between two reads after a failed statement: a table may have been dropped. */
const FAILED_STATEMENT_INTERVAL_MS = 30_000;

/** The tables of one connection. */
export class ConnectionTables {
  readonly id: string;
  readonly #info: ConnectionInfo;
  /** By exact name. */
  readonly #tables = new Map<string, TableColumns>();
  /** By name in lower case, for engines whose table names may be case-insensitive. */
  readonly #anyCase = new Map<string, TableColumns>();
  readonly #schemas = new Set<string | undefined>();

  constructor(info: ConnectionInfo, tables: readonly TableDescription[], hasExactNames: boolean) {
    this.id = info.id;
    this.#info = info;
    for (const { schema, name, columns } of tables) {
      this.#schemas.add(schema);
      const described = new Set(columns.map((column) => column.name.toLowerCase()));
      this.#tables.set(keyOf(schema, name), described);
      if (!hasExactNames) this.#anyCase.set(keyOf(schema, name).toLowerCase(), described);
    }
  }

  /** The login sees no table at all. */
  get isEmpty(): boolean {
    return this.#tables.size === 0;
  }

  /** `unknown`: the table is in a schema that the database does not list, such as a system schema. */
  find(schema: string | undefined, name: string): TableColumns | 'missing' | 'unknown' {
    const own = this.#info.schema === undefined ? DEFAULT_SCHEMAS : [this.#info.schema, undefined];
    const isOwn = schema === undefined || own.some((known) => known?.toLowerCase() === schema.toLowerCase());
    for (const place of schema === undefined ? own : isOwn ? [schema, undefined] : [schema]) {
      const key = keyOf(place, name);
      const columns = this.#tables.get(key) ?? this.#anyCase.get(key.toLowerCase());
      if (columns !== undefined) return columns;
    }
    if (schema === undefined || isOwn) return 'missing';
    const listsOthers = this.#info.schema === undefined || this.#schemas.size > 1;
    return SYSTEM_SCHEMA.test(schema) || !listsOthers ? 'unknown' : 'missing';
  }
}

const keyOf = (schema: string | undefined, name: string) => `${schema ?? ''}\0${name}`;

/** The schemas known at one moment. */
export class KnownSchemas {
  /** Changes with any of the schemas. */
  readonly version: string;
  readonly #connections: ReadonlyMap<string, ConnectionTables | undefined>;

  constructor(version = '', connections: ReadonlyMap<string, ConnectionTables | undefined> = new Map()) {
    this.version = version;
    this.#connections = connections;
  }

  /** The tables of the named or default connection; `unknown` until it has answered. */
  of(connection: string | undefined): ConnectionTables | 'missing' | 'unknown' {
    if (this.#connections.size === 0) return 'unknown';
    const [first = ''] = this.#connections.keys();
    const id = connection ?? (this.#connections.has('default') ? 'default' : first);
    return this.#connections.has(id) ? (this.#connections.get(id) ?? 'unknown') : 'missing';
  }
}

export class DatabaseSchemas {
  readonly #source: SchemaSource;
  #known = new KnownSchemas();
  #reading: Promise<void> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #isFaulty = false;
  #hasFailedStatement = false;

  constructor(source: SchemaSource) {
    this.#source = source;
  }

  get known(): KnownSchemas {
    return this.#known;
  }

  /** Whether every database has been read once. */
  get wasRead(): boolean {
    return this.#readAt !== Number.NEGATIVE_INFINITY;
  }

  /** Makes the next refresh read the schemas again: a statement failed. */
  statementFailed(): void {
    this.#hasFailedStatement = true;
  }

  /** Reads the databases when that is due. `matches`: they have everything that the layer names. Never rejects. */
  async refresh(matches: boolean): Promise<void> {
    const waitMs =
      !matches || this.#isFaulty
        ? FAULTY_INTERVAL_MS
        : this.#hasFailedStatement
          ? FAILED_STATEMENT_INTERVAL_MS
          : undefined;
    const isDue = !this.wasRead || (waitMs !== undefined && performance.now() - this.#readAt >= waitMs);
    if (!isDue && this.#reading === undefined) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      this.#readAt = performance.now();
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    this.#hasFailedStatement = false;
    let connections: readonly ConnectionInfo[] = [];
    try {
      connections = await this.#source.connections();
      this.#isFaulty = false;
    } catch {
      this.#isFaulty = true;
    }
    const found = await Promise.all(connections.map((info) => this.#describe(info)));
    const version = hashOf(JSON.stringify(found.map(({ info, tables }) => [info, tables?.map(outline)])));
    if (version === this.#known.version) return;
    const entries = found.map(
      ({ info, tables, hasExactNames }) =>
        [info.id, tables && new ConnectionTables(info, tables, hasExactNames)] as const,
    );
    this.#known = new KnownSchemas(version, new Map(entries));
  }

  /** `tables` is `undefined` when the database does not answer. */
  async #describe(info: ConnectionInfo) {
    try {
      const hasExactNames = await this.#source.hasExactNames(info);
      return { info, hasExactNames, tables: await this.#source.describe(info) };
    } catch {
      this.#isFaulty = true;
      return { info, hasExactNames: false, tables: undefined };
    }
  }
}

const outline = ({ schema, name, columns }: TableDescription) => [schema, name, columns.map((column) => column.name)];
