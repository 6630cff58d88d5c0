/** Refuses requests from addresses that are not on the list of the actor's organization. */
import { type Access, AtlasError, type Scope } from '../../kernel/index.ts';
import { FreshValues } from '../admin-kit/index.ts';
import type { Network } from './cidr.ts';

/** Reads the networks of an organization; `null`: those of the platform. */
type Load = (orgId: string | null) => Promise<readonly Network[]>;

export class AllowlistGate {
  readonly #lists: FreshValues<readonly Network[]>;

  constructor(load: Load) {
    this.#lists = new FreshValues((orgId) => load(orgId).catch(refuse));
  }

  /** Throws `ip_not_allowed`; `unavailable` while the list cannot be read. Work that no client asks for passes. */
  async check({ ip }: Access, { orgId }: Pick<Scope, 'orgId'>): Promise<void> {
    if (ip === undefined) return;
    const networks = await this.#lists.of(orgId);
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
    this.#lists.forget(orgId);
  }
}

function refuse(cause: unknown): never {
  if (cause instanceof AtlasError) throw cause;
  throw new AtlasError('The IP allowlist could not be read, so the request was refused.', {
    code: 'unavailable',
    reason: 'E_IP_ALLOWLIST_UNREADABLE',
    hint: 'Try again shortly; if it stays, look at the internal database.',
    cause,
  });
}
