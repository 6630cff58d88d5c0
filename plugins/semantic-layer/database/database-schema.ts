/** Keeps what the connected databases have, tables and columns, and reads it again when there is reason to. */
import type { ConnectionInfo, DbType, TableDescription } from '../../../kernel/index.ts';
import { hashOf } from '../files/layer-file.ts';

/** The columns of a table by their names in lower case. */
export type TableColumns = ReadonlySet<string>;

export interface SchemaSource {
  connections(): Promise<readonly ConnectionInfo[]>;
  /** Rejects while the database cannot be asked. */
  describe(connectionId: string): Promise<readonly TableDescription[]>;
}

/** Engines that tell tables apart by capital letters, whatever the server is set to. */
const EXACT_TABLES: ReadonlySet<DbType> = new Set(['postgres']);
/** Where unqualified names are looked up when the connection names no schema. */
const USUAL_SCHEMAS: readonly (string | undefined)[] = [undefined, 'public', 'main'];
const SYSTEM_SCHEMA = /^(pg_|information_schema$)/i;
/** Of a database that did not answer or does not fit the layer: it may be mended at any time. */
const FAULTY_INTERVAL_MS = 5_000;
/** After statements that failed: one reason is a table that was dropped. */
const SUSPECT_INTERVAL_MS = 30_000;

/** The tables of one connection. */
export class ConnectionTables {
  readonly id: string;
  readonly #info: ConnectionInfo;
  /** By the name as it is written. */
  readonly #tables = new Map<string, TableColumns>();
  /** By the name in lower case, for engines that may find the table by it. */
  readonly #anyCase = new Map<string, TableColumns>();
  readonly #schemas = new Set<string | undefined>();

  constructor(info: ConnectionInfo, tables: readonly TableDescription[]) {
    this.id = info.id;
    this.#info = info;
    for (const { schema, name, columns } of tables) {
      this.#schemas.add(schema);
      const described = new Set(columns.map((column) => column.name.toLowerCase()));
      this.#tables.set(keyOf(schema, name), described);
      if (!EXACT_TABLES.has(info.dbType)) this.#anyCase.set(keyOf(schema, name).toLowerCase(), described);
    }
  }

  /** `missing`: there is none. `unknown`: it is in a schema that the database does not list, such as its own. */
  find(schema: string | undefined, name: string): TableColumns | 'missing' | 'unknown' {
    const own = this.#info.schema === undefined ? USUAL_SCHEMAS : [this.#info.schema, undefined];
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

/** What is known at one moment. */
export class KnownSchemas {
  /** Changes whenever any of it does. */
  readonly version: string;
  readonly #connections: ReadonlyMap<string, ConnectionTables | undefined>;

  constructor(version = '', connections: ReadonlyMap<string, ConnectionTables | undefined> = new Map()) {
    this.version = version;
    this.#connections = connections;
  }

  /** Of the connection of that name, or of the default one; `unknown` until it has answered. */
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
  #looking: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isFaulty = false;
  #isSuspect = false;

  constructor(source: SchemaSource) {
    this.#source = source;
  }

  get known(): KnownSchemas {
    return this.#known;
  }

  /** Whether every database has been asked once. */
  get wasRead(): boolean {
    return this.#lookedAt !== Number.NEGATIVE_INFINITY;
  }

  /** Says that a statement failed. */
  suspect(): void {
    this.#isSuspect = true;
  }

  /** Asks the databases where that is due. `fits`: nothing that the layer names is missing. Never rejects. */
  async refresh(fits: boolean): Promise<void> {
    const waitMs = !fits || this.#isFaulty ? FAULTY_INTERVAL_MS : this.#isSuspect ? SUSPECT_INTERVAL_MS : undefined;
    const isDue = !this.wasRead || (waitMs !== undefined && performance.now() - this.#lookedAt >= waitMs);
    if (!isDue && this.#looking === undefined) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#lookedAt = performance.now();
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    this.#isSuspect = false;
    let connections: readonly ConnectionInfo[] = [];
    try {
      connections = await this.#source.connections();
      this.#isFaulty = false;
    } catch {
      this.#isFaulty = true;
    }
    const found = await Promise.all(connections.map((info) => this.#describe(info)));
    const version = hashOf(JSON.stringify(found.map(({ info, tables }) => [info, tables?.map(shape)])));
    if (version === this.#known.version) return;
    const entries = found.map(({ info, tables }) => [info.id, tables && new ConnectionTables(info, tables)] as const);
    this.#known = new KnownSchemas(version, new Map(entries));
  }

  /** A database that does not answer is `undefined`: what it has is not known. */
  async #describe(info: ConnectionInfo) {
    try {
      return { info, tables: await this.#source.describe(info.id) };
    } catch {
      this.#isFaulty = true;
      return { info, tables: undefined };
    }
  }
}

const shape = ({ schema, name, columns }: TableDescription) => [schema, name, columns.map((column) => column.name)];
