/** Refuses requests from addresses that are not on the list of the actor's organization. */
import { LRUCache } from 'lru-cache';
import { type Access, AtlasError, type Scope } from '../../kernel/index.ts';
import type { Network } from './cidr.ts';

/** How long a list counts that another server may have changed. */
const FRESH_MS = 2_000;
const MOST_LISTS = 10_000;

/** Reads the networks of an organization; `null`: those of the platform. */
type Load = (orgId: string | null) => Promise<readonly Network[]>;

export class AllowlistGate {
  readonly #load: Load;
  readonly #lists = new LRUCache<string, Promise<readonly Network[]>>({ max: MOST_LISTS, ttl: FRESH_MS });

  constructor(load: Load) {
    this.#load = load;
  }

  /** Throws `ip_not_allowed`; `unavailable` while the list cannot be read. Work that no client asks for passes. */
  async check({ ip }: Access, { orgId }: Pick<Scope, 'orgId'>): Promise<void> {
    if (ip === undefined) return;
    const networks = await this.#networks(orgId);
    if (networks.length === 0 || networks.some((network) => network.holds(ip))) return;
    throw new AtlasError(
      `The address ${ip} is not on the IP allowlist${orgId === null ? '' : ' of your organization'}.`,
      {
        code: 'ip_not_allowed',
        reason: 'E_IP_NOT_ALLOWED',
        hint: 'Connect from an allowed network, or ask an administrator to add yours.',
      },
    );
  }

  /** After a change on this server: counts for the next request. */
  forget(orgId: string | null): void {
    this.#lists.delete(orgId ?? '');
  }

  #networks(orgId: string | null): Promise<readonly Network[]> {
    const key = orgId ?? '';
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const loading = this.#load(orgId).catch((cause: unknown) => {
      if (this.#lists.peek(key) === loading) this.#lists.delete(key);
      if (cause instanceof AtlasError) throw cause;
      throw new AtlasError('The IP allowlist could not be read, so the request was refused.', {
        code: 'unavailable',
        reason: 'E_IP_ALLOWLIST_UNREADABLE',
        hint: 'Try again shortly; if it stays, look at the internal database.',
        cause,
      });
    });
    this.#lists.set(key, loading);
    return loading;
  }
}
