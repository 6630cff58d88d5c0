/** Compares the tables that an engine says a statement reads with those that it may read, those behind views included. */

const MAX_KNOWN = 500;
/** What a view shows may change. */
const VIEW_LIFE_MS = 60_000;

export interface EngineCheck {
  /** The statement with its tables, and who it runs as. */
  readonly key: string;
  /** Full names. */
  readonly allowed: ReadonlySet<string>;
  /** What the engine says that it reads. */
  read(): Promise<ReadonlySet<string>>;
  /** Those of the allowed names that may be views, which the engine lists by the tables behind them. */
  views(read: ReadonlySet<string>): Iterable<string>;
  /** What a view reads for this user; asked once a minute by `key`. */
  behind(view: string): { readonly key: string; read(): Promise<ReadonlySet<string>> };
}

/** Remembers statements that read allowed tables alone, and what views show. */
export class EngineTables {
  readonly #passed = new Set<string>();
  readonly #shown = new Map<string, { readonly tables: ReadonlySet<string>; readonly until: number }>();

  /** Tables that it reads but may not, and those that it may read with what is behind the views among them. */
  async check(check: EngineCheck): Promise<{ readonly others: string[]; readonly known: ReadonlySet<string> }> {
    const { key, allowed } = check;
    if (this.#passed.has(key)) return { others: [], known: allowed };
    const read = await check.read();
    const others = [...read].filter((table) => !allowed.has(table));
    if (others.length === 0) {
      if (this.#passed.size >= MAX_KNOWN) this.#passed.clear();
      this.#passed.add(key);
      return { others, known: allowed };
    }
    const known = new Set(allowed);
    for (const view of check.views(read)) for (const table of await this.#behind(check.behind(view))) known.add(table);
    return { others: others.filter((table) => !known.has(table)), known };
  }

  async #behind({ key, read }: ReturnType<EngineCheck['behind']>): Promise<ReadonlySet<string>> {
    const earlier = this.#shown.get(key);
    if (earlier !== undefined && earlier.until > performance.now()) return earlier.tables;
    const tables = await read();
    if (this.#shown.size >= MAX_KNOWN) this.#shown.clear();
    this.#shown.set(key, { tables, until: performance.now() + VIEW_LIFE_MS });
    return tables;
  }
}
