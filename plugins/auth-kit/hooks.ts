/** Declares the hook that looks up the present identity of an actor who is not making a request. */
import { type Identity, keyed } from '../../kernel/index.ts';

/** The owner of work that runs while no one is there, such as a scheduled question. */
export interface AbsentActor {
  readonly actorId: string | null;
  readonly orgId: string | null;
}

/**
 * `refused`: the actor may do nothing any more, and why in one sentence. `unknown`: this mode cannot look anybody up, and
 * what the actor last presented is all there is.
 */
export type PresentIdentity =
  | { readonly state: 'present'; readonly identity: Identity }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'unknown' };

export const present = (identity: Identity): PresentIdentity => ({ state: 'present', identity });
export const refused = (reason: string): PresentIdentity => ({ state: 'refused', reason });

export const authLookup = keyed<AbsentActor, PresentIdentity>('auth.lookup', {
  summary:
    'Looks up the present role, claims and organization of an actor who is not there; the key is the authentication mode.',
});
