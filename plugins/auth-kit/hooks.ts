/** Declares the hook that looks up the present identity of an actor who is not making a request, and asks it. */
import { AtlasError, type Identity, keyed, type PluginContext } from '../../kernel/index.ts';

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

/** `refused` where the server has no plugin of that mode any more. */
export async function lookUpActor(
  ctx: Pick<PluginContext, 'callKey' | 'scope'>,
  mode: string,
  absent: AbsentActor,
): Promise<PresentIdentity> {
  try {
    return await ctx.callKey(authLookup, mode, absent, ctx.scope());
  } catch (error) {
    if (!(error instanceof AtlasError) || error.reason !== 'E_KEY_UNKNOWN') throw error;
    return refused(`Users of the authentication mode "${mode}" cannot be looked up here.`);
  }
}
