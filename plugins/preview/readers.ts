/** Finds the reader as whom an administrator asks, and refuses one who is beyond the administrator's organization. */
import { type Actor, AtlasError, type Identity, type PluginContext, type Scope } from '../../kernel/index.ts';
import { authLookup, claimAt, type PresentIdentity, roleAtLeast } from '../auth-kit/index.ts';
import type { Reader } from './schemas.ts';

export interface ReadersInit {
  readonly ctx: Pick<PluginContext, 'callKey'>;
  /** Names or paths of the claims that decide which rows a reader sees. */
  readonly rowClaims: readonly string[];
  /** Organizations share this server, whatever way the administrator came. */
  readonly hasOrganizations: boolean;
}

const noSuchUser = () =>
  new AtlasError('There is no such user of your organization who could ask.', {
    code: 'not_found',
    hint: 'GET /api/v1/admin/users lists the users; one who is banned cannot ask.',
  });

const notLookedUp = (mode: string) =>
  new AtlasError(`Users cannot be looked up in the authentication mode "${mode}".`, {
    code: 'not_available',
    hint: 'Give claims and role instead of userId.',
  });

/** Throws `not_found` also for a user of another organization, and for one who is banned. */
async function userOf(ctx: ReadersInit['ctx'], userId: string, scope: Scope): Promise<Identity> {
  const { actor, orgId } = scope;
  let found: PresentIdentity;
  try {
    found = await ctx.callKey(authLookup, actor.mode, { actorId: userId, orgId }, scope);
  } catch (error) {
    if (error instanceof AtlasError && error.reason === 'E_KEY_UNKNOWN') throw notLookedUp(actor.mode);
    throw error;
  }
  if (found.state === 'unknown') throw notLookedUp(actor.mode);
  // A mode without users says the same of every id.
  const identity = found.state === 'present' ? found.identity : undefined;
  if (identity?.actor.id !== userId || identity.orgId !== orgId) throw noSuchUser();
  return identity;
}

const values = (claim: unknown) => (Array.isArray(claim) ? claim : [claim]).map((value) => JSON.stringify(value));

/** Names of the caller's claims that hold the active organization. */
const organizationClaims = ({ actor, orgId }: Scope): string[] =>
  orgId === null ? [] : Object.keys(actor.claims).filter((name) => String(actor.claims[name]) === orgId);

/**
 * Organizations are kept apart by claims, so that a claim of another one would open its rows: of those that decide about
 * rows, a preview may narrow what the administrator has, and never widen it.
 */
function refuseForeign(claims: Readonly<Record<string, unknown>>, rowClaims: readonly string[], scope: Scope): void {
  for (const path of ['org_id', ...organizationClaims(scope), ...rowClaims]) {
    const given = claimAt(claims, path);
    if (given === undefined) continue;
    const own = new Set(values(claimAt(scope.actor.claims, path)));
    if (values(given).every((value) => own.has(value))) continue;
    throw new AtlasError(`The claim "${path}" has a value that your own does not have, so it may be of others.`, {
      code: 'forbidden',
      reason: 'E_PREVIEW_CLAIM',
      hint: 'Give a value that you have yourself, or the userId of a user of your organization.',
    });
  }
}

function withClaims(
  { rowClaims, hasOrganizations }: ReadersInit,
  as: Exclude<Reader, { userId: string }>,
  scope: Scope,
) {
  const { role, claims } = as;
  const label = `${role} with given claims`;
  const reader: Actor = { id: null, label, role, mode: scope.actor.mode, claims };
  if (scope.orgId === null && !hasOrganizations) return { actor: reader, orgId: null };
  refuseForeign(claims, rowClaims, scope);
  // Never without any claim: static ones stand in for those who have none.
  return { actor: { ...reader, claims: { ...claims, role } }, orgId: scope.orgId };
}

/** Rejects with `forbidden` for a role above the caller's, and for claims beyond the caller's organization. */
export async function readerOf(init: ReadersInit, as: Reader, scope: Scope): Promise<Identity> {
  const reader = 'userId' in as ? await userOf(init.ctx, as.userId, scope) : withClaims(init, as, scope);
  if (roleAtLeast(scope.actor.role, reader.actor.role)) return reader;
  throw new AtlasError(`You cannot ask as ${reader.actor.role}: your role is ${scope.actor.role}.`, {
    code: 'forbidden',
    reason: 'E_PREVIEW_ROLE',
    hint: 'Ask as a reader whose role is not above yours.',
  });
}
