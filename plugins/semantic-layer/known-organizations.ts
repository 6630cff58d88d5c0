/** Records which organizations have had their own layer, in the internal database when there is one. */
import type { InternalDb } from '../internal-db/index.ts';
import { ORGANIZATIONS_TABLE } from './migrations.ts';

/** Rows per statement, within SQLite's limit of parameters. */
const BATCH = 500;

export class KnownOrganizations {
  readonly #db: InternalDb | undefined;
  readonly #ids = new Set<string>();
  readonly #unsaved = new Set<string>();
  #saving: Promise<void> | undefined;

  /** Without a configured database the record ends with the process. */
  constructor(db?: InternalDb) {
    this.#db = db?.configured ? db : undefined;
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  has(orgId: string): boolean {
    return this.#ids.has(orgId);
  }

  list(): readonly string[] {
    return [...this.#ids];
  }

  add(orgId: string): void {
    if (this.#ids.has(orgId)) return;
    this.#ids.add(orgId);
    if (this.#db !== undefined) this.#unsaved.add(orgId);
  }

  /** Reads the organizations of earlier runs. Rejects when the database cannot be read. */
  async load(): Promise<void> {
    const stored: string[] = (await this.#db?.run((db) => db(ORGANIZATIONS_TABLE).pluck('org_id'))) ?? [];
    for (const orgId of stored) {
      this.#ids.add(orgId);
      this.#unsaved.delete(orgId);
    }
  }

  /** Writes new organizations. Rejects when the database cannot be written; the next call tries again. */
  save(): Promise<void> {
    this.#saving ??= this.#write().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #write(): Promise<void> {
    while (this.#unsaved.size > 0) {
      const batch = [...this.#unsaved].slice(0, BATCH);
      const rows = batch.map((orgId) => ({ org_id: orgId }));
      await this.#db?.run((db) => db(ORGANIZATIONS_TABLE).insert(rows).onConflict('org_id').ignore());
      for (const orgId of batch) this.#unsaved.delete(orgId);
    }
  }
}
