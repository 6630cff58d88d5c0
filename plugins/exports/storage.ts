/** Declares where finished files are kept. */

export interface Storage {
  /** Where files are written before they are kept. */
  readonly workDir: string;
  /** Throws `configuration_error` where something has to be installed. */
  require?(): void;
  /** Moves a whole file to its place under this name. */
  keep(path: string, name: string, signal: AbortSignal): Promise<void>;
  /** Rejects with `conflict` when it is not there. */
  read(name: string): Promise<AsyncIterable<Uint8Array>>;
  /** Does nothing when there is none. */
  remove(name: string): Promise<void>;
  /** Deletes what is older, whatever the list of exports says. */
  removeOlderThan(time: number): Promise<void>;
}
