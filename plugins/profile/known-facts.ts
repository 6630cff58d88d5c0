/** Keeps the facts of the layers that are in use in memory, so that a question never waits for the internal database. */
import { type Awaitable, withTimeout } from '../../kernel/index.ts';
import type { FactSource, LayerFacts } from '../semantic-layer/index.ts';
import { type FactStore, textOf } from './store.ts';

const NONE: LayerFacts = new Map();
/** How long the first load of a layer waits for its facts. */
const FIRST_WAIT_MS = 1_000;
/** More than layers are kept; of the least recently used the facts are read again. */
const MAX_LAYERS = 256;
/** Facts that nobody could measure again for so long are not shown. */
const MAX_AGE_MS = 30 * 86_400_000;

interface Known {
  readonly facts: LayerFacts;
  /** `undefined` where there are none. */
  readonly version: string | undefined;
}

export class KnownFacts implements FactSource {
  readonly #store: FactStore;
  readonly #now: () => number;
  /** In order of last use. */
  readonly #known = new Map<string | null, Known>();
  readonly #reading = new Map<string | null, Promise<LayerFacts>>();

  constructor(store: FactStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  get #since(): number {
    return this.#now() - MAX_AGE_MS;
  }

  of(orgId: string | null): Awaitable<LayerFacts> {
    const known = this.#known.get(orgId);
    if (known === undefined) return this.#first(orgId);
    this.#known.delete(orgId);
    this.#known.set(orgId, known);
    return known.facts;
  }

  /** Reads again what another server, or this one, has measured since, and drops what is too old. Rejects when the database cannot be read. */
  async refresh(): Promise<void> {
    if (this.#known.size === 0) return;
    const versions = await this.#store.versions(this.#since);
    for (const [orgId, { version }] of [...this.#known])
      if (version !== versions.get(orgId)) await this.#read(orgId, versions.get(orgId));
  }

  /** The organization is deleted. */
  forget(orgId: string): void {
    this.#known.delete(orgId);
  }

  #first(orgId: string | null): Promise<LayerFacts> {
    const running = this.#reading.get(orgId);
    if (running !== undefined) return running;
    const read = async () => this.#read(orgId, (await this.#store.versions(this.#since, orgId)).get(orgId));
    const reading = withTimeout(read(), FIRST_WAIT_MS, () => undefined)
      .catch(() => undefined)
      .then(() => {
        this.#reading.delete(orgId);
        // Without an answer there are none until the next refresh.
        if (!this.#known.has(orgId)) this.#keep(orgId, { facts: NONE, version: 'unread' });
        return this.#known.get(orgId)?.facts ?? NONE;
      });
    this.#reading.set(orgId, reading);
    return reading;
  }

  async #read(orgId: string | null, version: string | undefined): Promise<void> {
    const facts = version === undefined ? NONE : await this.#store.facts(orgId, this.#since);
    const known = this.#known.get(orgId)?.facts ?? NONE;
    // The same object where nothing has changed: the layer is then not built anew.
    this.#keep(orgId, { facts: isSame(known, facts) ? known : facts, version });
  }

  #keep(orgId: string | null, known: Known): void {
    this.#known.set(orgId, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_LAYERS && oldest !== undefined) this.#known.delete(oldest);
  }
}

const isSame = (a: LayerFacts, b: LayerFacts) =>
  a.size === b.size &&
  [...a].every(([key, facts]) => {
    const other = b.get(key);
    return other !== undefined && textOf(other) === textOf(facts);
  });
