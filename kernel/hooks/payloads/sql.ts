/** Types statements, rows and tables. */

/** The name of the SQL dialect that a connection speaks; the plugin that brings the connection knows it. */
export type DbType = string;

export interface ConnectionInfo {
  /** Unique among the connections that an organization has. */
  readonly id: string;
  /** What the keyed hooks of the connection are called with, unique in the process: caches use it. Default: the id. */
  readonly key?: string;
  readonly dbType: DbType;
  readonly description?: string;
  /** Without password and without anything else that is secret. */
  readonly maskedUrl: string;
  /** Where tables are that are named without a schema (MySQL: a database); missing = the engine's own default. */
  readonly schema?: string;
}

export interface SqlLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
  /** Longest single value; longer ones are cut and noted. */
  readonly maxCellBytes: number;
  readonly timeoutMs: number;
}

export interface SqlRequest {
  readonly sql: string;
  /** Default: the connection named `default`, else the only one, else the first. */
  readonly connectionId?: string;
  readonly surface: string;
  readonly conversationId?: string;
}

/** A statement on its way, as `requested` and as it will run (`sql`); taps of `sql.before` return changed copies. */
export interface SqlStatement {
  /** The same from the first tap to the outcome, and no other statement's. Missing only in one that was made by hand. */
  readonly id?: string;
  readonly connection: ConnectionInfo;
  readonly requested: string;
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly surface: string;
  readonly conversationId?: string;
  /** Tables and functions it may use, as the engine names them. A driver refuses a statement that comes without tables. */
  readonly tables?: readonly string[];
  readonly columns?: readonly string[];
  readonly functions?: readonly string[];
  readonly limits?: SqlLimits;
  /** For the caller: `sql` without the literals of policies, and which policies narrow rows or replace values. */
  readonly shown?: { readonly sql: string; readonly policies: readonly ('rows' | 'values')[] };
  /** For the caller: what taps did to it or its rows. `fullReason`, with a policy's condition, is for administrators. */
  readonly changes?: readonly { readonly plugin: string; readonly reason: string; readonly fullReason?: string }[];
}

export interface SqlResult {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The JSON type of each column, beside nulls; `json`: objects, lists or a mixture; `null`: no value at all. */
  readonly columnTypes?: readonly ('number' | 'string' | 'boolean' | 'json' | 'null')[];
  /** True exactly when the database had more rows than these, or a value was cut. */
  readonly truncated: boolean;
  /** What was cut or converted, one sentence each. */
  readonly notes: readonly string[];
}

export interface SqlReply {
  readonly statement: SqlStatement;
  readonly result: SqlResult;
  readonly durationMs: number;
  readonly auditId?: string;
}

export interface SqlOutcome {
  readonly request: SqlRequest;
  /** Missing when the connection itself was unknown. */
  readonly statement: SqlStatement | undefined;
  /** `refused`: stopped by a rule before the database saw it. */
  readonly status: 'succeeded' | 'refused' | 'failed' | 'cancelled';
  readonly error: Error | undefined;
  readonly durationMs: number;
  readonly rowCount: number;
  readonly truncated: boolean;
}

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly comment?: string;
}

/** What has to be described besides the connection's own tables. `withUnreadable`: also what the login may not read. */
export interface DescribeRequest {
  /** Schemas, in MySQL databases, that statements name. A datasource that describes all of them anyway has no use for it. */
  readonly schemas: readonly string[];
  readonly withUnreadable?: boolean;
}

export interface TableDescription {
  readonly schema?: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly columns: readonly TableColumn[];
  readonly primaryKey: readonly string[];
  readonly uniqueKeys?: readonly (readonly string[])[];
  readonly foreignKeys: readonly {
    readonly columns: readonly string[];
    readonly table: string;
    readonly references: readonly string[];
  }[];
  readonly estimatedRows?: number;
  readonly comment?: string;
}
