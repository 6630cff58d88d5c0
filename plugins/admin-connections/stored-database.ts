/** Opens the database of one stored connection when it is used, and closes it when it has not been used for a while. */
import { AtlasError, type HealthItem, messageOf, type SqlStatement } from '../../kernel/index.ts';
import { discreet, healthOf, type OpenDatabase } from '../datasource-kit/index.ts';
import { gone } from './errors.ts';

export interface StoredDatabaseInit {
  readonly id: string;
  readonly dbType: string;
  /** Makes the database; rejects with `overloaded` while too many are open. */
  open(): Promise<OpenDatabase>;
  /** Called once for each that `open` gave, when it has ended. */
  closed(): void;
  readonly idleTimeoutMs: number;
  warn(message: string): void;
}

export class StoredDatabase {
  readonly #init: StoredDatabaseInit;
  #opened: Promise<OpenDatabase> | undefined;
  #uses = 0;
  #isRetired = false;
  #idling: NodeJS.Timeout | undefined;
  #closing: Promise<void> = Promise.resolve();
  /** When it was last used, on the monotonic clock. */
  usedAt = 0;

  constructor(init: StoredDatabaseInit) {
    this.#init = init;
  }

  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  get isIdle(): boolean {
    return this.isOpen && this.#uses === 0;
  }

  readonly execute: OpenDatabase['execute'] = (statement: SqlStatement, ...rest) =>
    this.#use((database) => database.execute(statement, ...rest));

  readonly describe: OpenDatabase['describe'] = (signal, ...rest) =>
    this.#use((database) => database.describe(signal, ...rest));

  readonly estimate: OpenDatabase['estimate'] = (...given) => this.#use((database) => database.estimate(...given));

  readonly views: OpenDatabase['views'] = (signal) => this.#use((database) => database.views(signal));

  health(): Promise<HealthItem> {
    const { id, dbType } = this.#init;
    return healthOf({ id, dbType, maskedUrl: '' }, () => this.#use((database) => database.check()));
  }

  /** Takes no more work, and closes the database when what runs has ended. */
  retire(): void {
    this.#isRetired = true;
    if (this.#uses === 0) void this.close();
  }

  /** Closes the database at once, with what runs. It is opened anew when it is used again, unless it is retired. */
  close(): Promise<void> {
    clearTimeout(this.#idling);
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return this.#closing;
    const end = async () => {
      try {
        await (await opened).close();
      } catch (error) {
        this.#init.warn(`The connection "${this.#init.id}" did not close: ${messageOf(error)}`);
      }
      this.#init.closed();
    };
    this.#closing = Promise.all([this.#closing, end()]).then(() => undefined);
    return this.#closing;
  }

  async #use<T>(work: (database: OpenDatabase) => Promise<T>): Promise<T> {
    if (this.#isRetired) throw gone(this.#init.id);
    clearTimeout(this.#idling);
    this.#uses += 1;
    try {
      return await work(await this.#database());
    } catch (error) {
      throw named(discreet(error), this.#init.id);
    } finally {
      this.#uses -= 1;
      this.usedAt = performance.now();
      if (this.#uses === 0) this.#rest();
    }
  }

  async #database(): Promise<OpenDatabase> {
    this.#opened ??= this.#init.open();
    const opening = this.#opened;
    try {
      return await opening;
    } catch (error) {
      if (this.#opened === opening) this.#opened = undefined;
      throw error;
    }
  }

  #rest(): void {
    if (this.#isRetired) void this.close();
    else this.#idling = setTimeout(() => void this.close(), this.#init.idleTimeoutMs).unref();
  }
}

/** What is wrong with the configuration of a stored connection concerns that connection alone. */
function named(error: unknown, id: string): unknown {
  if (error instanceof AtlasError && error.code === 'configuration_error' && !error.message.includes(`"${id}"`)) {
    error.message = `Connection "${id}": ${error.message}`;
  }
  return error;
}
