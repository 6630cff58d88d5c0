/** Keeps the rules in force of each organization for a moment, so that statements need no look-up of their own. */
import type { Awaitable } from '../../kernel/index.ts';
import type { Rule } from './schemas.ts';

/** After this a change on another server holds here. */
const FRESH_MS = 2_000;
/** Organizations whose rules are kept. */
const MAX_ENTRIES = 10_000;

interface Entry {
  readonly rules: readonly Rule[];
  readonly until: number;
}

export class RuleCache {
  readonly #load: (orgId: string | null) => Promise<readonly Rule[]>;
  readonly #entries = new Map<string | null, Entry>();
  readonly #loading = new Map<string | null, Promise<readonly Rule[]>>();

  constructor(load: (orgId: string | null) => Promise<readonly Rule[]>) {
    this.#load = load;
  }

  /** Rejects while the rules cannot be read: a statement must not pass because of that. */
  of(orgId: string | null): Awaitable<readonly Rule[]> {
    const known = this.#entries.get(orgId);
    if (known !== undefined && performance.now() < known.until) return known.rules;
    return this.#loading.get(orgId) ?? this.#fetch(orgId);
  }

  /** After a change was committed: what is being read may be from before it. */
  forget(orgId: string | null): void {
    this.#entries.delete(orgId);
    this.#loading.delete(orgId);
  }

  #fetch(orgId: string | null): Promise<readonly Rule[]> {
    const until = performance.now() + FRESH_MS;
    const loading = this.#load(orgId).then(
      (rules) => {
        if (this.#loading.get(orgId) === loading) {
          this.#loading.delete(orgId);
          this.#keep(orgId, { rules, until });
        }
        return rules;
      },
      (error: unknown) => {
        if (this.#loading.get(orgId) === loading) this.#loading.delete(orgId);
        throw error;
      },
    );
    this.#loading.set(orgId, loading);
    return loading;
  }

  #keep(orgId: string | null, entry: Entry): void {
    // The one that was read longest ago makes room.
    this.#entries.delete(orgId);
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.delete(this.#entries.keys().next().value as string | null);
    this.#entries.set(orgId, entry);
  }
}
