/** Declares the dialects of knex that this plugin extends; the library has no types for them. */

interface DialectQuery {
  sql: string;
  bindings?: readonly unknown[];
  response?: unknown;
  context?: unknown;
}

declare module 'knex/lib/dialects/postgres/index.js' {
  import type { Knex } from 'knex';
  import type { Client } from 'pg';

  export default class PostgresClient extends Knex.Client {
    _acquireOnlyConnection(): Promise<Client>;
    destroyRawConnection(client: Client): Promise<void>;
    _query(connection: Client, query: DialectQuery): Promise<DialectQuery>;
  }
}

declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex';

  export default class SqliteClient extends Knex.Client {
    _driver(): object;
    // biome-ignore lint/suspicious/noExplicitAny: the connection is that of the subclass
    acquireRawConnection(): Promise<any>;
    // biome-ignore lint/suspicious/noExplicitAny: the connection is that of the subclass
    destroyRawConnection(connection: any): Promise<void>;
    // biome-ignore lint/suspicious/noExplicitAny: the connection is that of the subclass
    validateConnection(connection: any): Promise<boolean>;
    // biome-ignore lint/suspicious/noExplicitAny: the connection is that of the subclass
    _query(connection: any, query: DialectQuery): Promise<DialectQuery>;
    // biome-ignore lint/suspicious/noExplicitAny: the library has no type for how a transaction begins
    transaction(container: unknown, config?: Knex.TransactionConfig, outer?: unknown): any;
    _formatBindings(bindings: readonly unknown[] | undefined): unknown[];
  }
}
