/** Declares what writes rows into a file of one format. */
import type { Cell, SinkType } from '../datasource-kit/index.ts';

export interface RowFile {
  /** Once, before the first row. */
  begin(columns: readonly string[], types: readonly SinkType[]): Promise<void>;
  /** Takes some rows; a promise resolves when it can take more. */
  write(rows: readonly Cell[][]): Promise<void> | undefined;
  /** Completes the file. */
  end(): Promise<void>;
  /** Stops at once; what there is of the file is for the caller to delete. Safe after anything. */
  abort(): Promise<void>;
}
