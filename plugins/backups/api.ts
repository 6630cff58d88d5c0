/** Declares what an engine of backups provides, and the records of backups. */
import type { RowOf } from '../admin-kit/index.ts';
import type { Backup } from './schemas.ts';

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

export type Operation = NonNullable<Backup['operation']>;

/** A row of the table `backups`. */
export interface BackupRow extends RowOf<Backup> {
  readonly content: string | null;
  readonly slot: number | null;
  readonly lease_until: string | null;
}
