/** Reads an actor's claims. */
import type { Actor } from '../../kernel/index.ts';

type Claims = Readonly<Record<string, unknown>>;

/** The actor's own claims; the static ones stand in only for an actor who has none at all. */
export function claimsOf(actor: Actor, staticClaims: Claims | undefined): Claims {
  return staticClaims === undefined || Object.keys(actor.claims).length > 0 ? actor.claims : staticClaims;
}

/**
 * The claim of that name, or at that path: `tenant`, `org.tenant_id`, `https://example.com/tenant`. At each level the
 * longest name that exists is taken, so a name may itself hold dots. `undefined` when there is none; only own
 * properties count.
 */
export function claimAt(claims: unknown, path: string): unknown {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return undefined;
  if (Object.hasOwn(claims, path)) return (claims as Claims)[path];
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(claims, name)) return claimAt((claims as Claims)[name], path.slice(dot + 1));
  }
  return undefined;
}
