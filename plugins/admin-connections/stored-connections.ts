/** Knows the stored connections of each organization, and gives their databases to the hooks of datasources. */
import { type Awaitable, type ConnectionInfo, messageOf, type PluginContext } from '../../kernel/index.ts';
import { type OpenDatabase, tapDatabase } from '../datasource-kit/index.ts';
import { tooManyOpen } from './errors.ts';
import type { AdminConnectionsOptions } from './options.ts';
import type { ConnectionRow, ConnectionStore } from './store.ts';
import { StoredDatabase } from './stored-database.ts';

/** Organizations whose connections are kept in memory; of others they are read again. */
const MAX_ORGANIZATIONS = 1_000;
/** A statement on its way may still find a connection that has been changed; it is told so. */
const UNTAP_AFTER_MS = 30_000;

interface Listed {
  readonly infos: readonly ConnectionInfo[];
  readonly keys: ReadonlySet<string>;
  readonly readAt: number;
}

interface Tapped {
  readonly database: StoredDatabase;
  untap(): void;
}

export interface StoredConnectionsInit {
  readonly ctx: PluginContext;
  readonly store: ConnectionStore;
  readonly options: AdminConnectionsOptions;
  open(row: ConnectionRow): Promise<OpenDatabase>;
}

/** Unique in the process and new with every change, so that nothing that is cached by it outlives one. */
export const keyOf = ({ id, revision }: Pick<ConnectionRow, 'id' | 'revision'>) => `stored:${id}:${revision}`;

export function infoOf(row: ConnectionRow): ConnectionInfo {
  return {
    id: row.name,
    key: keyOf(row),
    dbType: row.db_type,
    maskedUrl: row.masked_url,
    ...(row.schema !== null && { schema: row.schema }),
    ...(row.description !== null && { description: row.description }),
  };
}

export class StoredConnections {
  readonly #init: StoredConnectionsInit;
  readonly #listed = new Map<string | null, Listed>();
  readonly #reading = new Map<string | null, Promise<Listed>>();
  readonly #tapped = new Map<string, Tapped>();
  /** Changed or deleted, and not yet closed. */
  readonly #retired = new Set<StoredDatabase>();
  /** Take the taps of retired ones away, by key. */
  readonly #untaps = new Map<string, () => void>();
  #open = 0;
  #isFailing = false;

  constructor(init: StoredConnectionsInit) {
    this.#init = init;
  }

  /** At most `refreshMs` old. While the internal database does not answer, those that were known. */
  list(orgId: string | null): Awaitable<readonly ConnectionInfo[]> {
    const listed = this.#listed.get(orgId);
    if (listed !== undefined && performance.now() - listed.readAt < this.#init.options.refreshMs) return listed.infos;
    return this.#read(orgId).then(
      ({ infos }) => {
        this.#isFailing = false;
        return infos;
      },
      (error: unknown) => {
        if (!this.#isFailing)
          this.#init.ctx.log.warn({ error: messageOf(error) }, 'Stored connections cannot be read.');
        this.#isFailing = true;
        return listed?.infos ?? [];
      },
    );
  }

  /** Reads the connections of an organization again: this server has changed one. */
  async changed(orgId: string | null): Promise<void> {
    await this.#reading.get(orgId)?.catch(() => undefined);
    await this.#read(orgId);
  }

  async close(): Promise<void> {
    const databases = [...[...this.#tapped.values()].map(({ database }) => database), ...this.#retired];
    await Promise.all(databases.map((database) => database.close()));
  }

  #read(orgId: string | null): Promise<Listed> {
    const running = this.#reading.get(orgId);
    if (running !== undefined) return running;
    const reading = this.#init.store
      .list(orgId)
      .then((rows) => this.#keep(orgId, rows))
      .finally(() => this.#reading.delete(orgId));
    this.#reading.set(orgId, reading);
    return reading;
  }

  #keep(orgId: string | null, rows: readonly ConnectionRow[]): Listed {
    const keys = new Set(rows.map(keyOf));
    for (const row of rows) if (!this.#tapped.has(keyOf(row))) this.#tap(row);
    this.#forget(orgId, keys);
    const listed = { infos: rows.map(infoOf), keys, readAt: performance.now() };
    this.#listed.set(orgId, listed);
    // In order of the last reading.
    const [oldest] = this.#listed.keys();
    if (this.#listed.size > MAX_ORGANIZATIONS && oldest !== undefined) this.#forget(oldest, new Set());
    return listed;
  }

  /** Retires what the organization does not have any more. */
  #forget(orgId: string | null, kept: ReadonlySet<string>): void {
    for (const key of this.#listed.get(orgId)?.keys ?? []) if (!kept.has(key)) this.#retire(key);
    this.#listed.delete(orgId);
  }

  #tap(row: ConnectionRow): void {
    const { ctx, open, options } = this.#init;
    this.#untaps.get(keyOf(row))?.();
    const database: StoredDatabase = new StoredDatabase({
      id: row.name,
      dbType: row.db_type,
      idleTimeoutMs: options.idleTimeoutMs,
      open: async () => {
        this.#makeRoom();
        this.#open += 1;
        try {
          return await open(row);
        } catch (error) {
          this.#open -= 1;
          throw error;
        }
      },
      closed: () => {
        this.#open -= 1;
        this.#retired.delete(database);
      },
      warn: (message) => ctx.log.warn({}, message),
    });
    this.#tapped.set(keyOf(row), { database, untap: tapDatabase(ctx, keyOf(row), database) });
  }

  #retire(key: string): void {
    const tapped = this.#tapped.get(key);
    if (tapped === undefined) return;
    this.#tapped.delete(key);
    if (tapped.database.isOpen) this.#retired.add(tapped.database);
    tapped.database.retire();
    const timer = setTimeout(() => this.#untaps.get(key)?.(), UNTAP_AFTER_MS).unref();
    this.#untaps.set(key, () => {
      clearTimeout(timer);
      this.#untaps.delete(key);
      tapped.untap();
    });
  }

  /** Closes the longest unused database when as many are open as may be. Throws when all are in use. */
  #makeRoom(): void {
    if (this.#open < this.#init.options.maxOpen) return;
    const idle = [...this.#tapped.values()].filter(({ database }) => database.isIdle);
    const [oldest] = idle.sort((a, b) => a.database.usedAt - b.database.usedAt);
    if (oldest === undefined) throw tooManyOpen();
    void oldest.database.close();
  }
}
