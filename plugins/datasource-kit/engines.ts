/** Types what a datasource plugin offers for connections that are made while the service runs. */
import type { TObject } from '@sinclair/typebox';
import type { Awaitable, DbType } from '../../kernel/index.ts';
import type { ServerDatabase } from './server/server-database.ts';

/** What every database can do. */
export type OpenDatabase = Pick<
  ServerDatabase,
  'info' | 'execute' | 'describe' | 'estimate' | 'views' | 'health' | 'check' | 'close'
>;

/** Where a URL leads: to a server, or to a file. */
export type Target =
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
      /** Further servers of the same URL, such as replicas. */
      readonly others?: readonly { readonly host: string; readonly port: number }[];
    }
  | { readonly path: string };

/** Bounds what a database that is opened may reach. */
export interface Reach {
  /** Folder of files: a relative path belongs to it. */
  readonly folder: string;
  /** Addresses of a host. Rejects for a host that must not be connected to. */
  addressesOf(host: string): Promise<readonly string[]>;
}

/** Opens databases of one engine, whose URLs may come from people without access to this server. */
export interface DatasourceEngine {
  readonly dbType: DbType;
  /** Schemes of its URLs, without the colon. */
  readonly schemes: readonly string[];
  /** Options of one connection, as in the plugin's own `connections`. */
  readonly options: TObject;
  /**
   * Reads a URL. Throws `configuration_error` for one that cannot be used, and for one that names a file or a socket of
   * this server, or sets what the service itself decides.
   */
  locate(url: string, reach: Reach): Target;
  /** Makes the database of `options`; nothing is connected yet. Rejects with `configuration_error`. */
  open(options: never, reach: Reach): Awaitable<OpenDatabase>;
}
