/** Declares what an engine of backups provides, and the records of backups. */

/** A table's rows: how many there are, and a sum over what stands in them. */
export interface TableState {
  readonly name: string;
  readonly rows: number;
  readonly digest: string;
}

/** What a backup holds. */
export interface Content {
  readonly dialect: 'postgres' | 'sqlite';
  readonly tables: readonly TableState[];
  /** `plugin/name` of every migration that had been applied. */
  readonly migrations: readonly string[];
}

export interface BackupEngine {
  /** Ending of its files. */
  readonly extension: string;
  /** Rejects with `configuration_error` when this server cannot make backups: tools that are missing or too old. */
  check(signal: AbortSignal): Promise<void>;
  /** Writes all `tables` that exist into the file, as they are at one moment, and says what they held then. */
  dump(file: string, tables: readonly string[], signal: AbortSignal): Promise<readonly TableState[]>;
  /** Restores the file into a scratch database, and says what is in there. */
  inspect(file: string, tables: readonly string[], signal: AbortSignal): Promise<readonly TableState[]>;
  /** Replaces the tables by those of the file: all of them or, when it rejects, none. */
  restore(file: string, tables: readonly string[], signal: AbortSignal): Promise<void>;
}

export type BackupStatus = 'in_progress' | 'completed' | 'failed' | 'verified';
export type Operation = 'create' | 'verify' | 'restore';

/** A row of the table `backups`. */
export interface BackupRow {
  readonly id: string;
  readonly created_at: string;
  readonly status: BackupStatus;
  readonly size_bytes: number | string;
  readonly storage_path: string;
  readonly retention_expires_at: string;
  readonly error_message: string | null;
  readonly checksum: string | null;
  readonly verified_at: string | null;
  readonly content: string | null;
  /** The one that made it; `null`: it was made by a version that did not record that. */
  readonly installation: string | null;
  readonly operation: Operation | null;
  readonly slot: number | null;
  readonly lease_until: string | null;
}
