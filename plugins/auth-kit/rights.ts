/** Decides by role, or by the rights of a custom role, who may do what: the one table of rights. */
import { type Access, type Actor, AtlasError, NOBODY, type Right, type Role } from '../../kernel/index.ts';
import { ROLE_TOO_LOW } from './errors.ts';
import { isRole, roleAtLeast } from './roles.ts';

/** The least role for a right; `null`: every authenticated user, whatever their role. */
const LEAST_ROLE: Readonly<Record<Exclude<Right, 'public' | `admin:${string}`>, Role | null>> = {
  self: null,
  query: 'viewer',
  approve: 'analyst',
  admin: 'admin',
};

/** An area of administration. Plugins may bring further ones, which administrators have, too. */
const AREA = /^admin:[a-z][a-z-]{0,62}$/;

/** Every right that a custom role may grant. */
export const grantableRights = [
  'query',
  'approve',
  'admin:users',
  'admin:roles',
  'admin:connections',
  'admin:semantic',
  'admin:audit',
  'admin:settings',
] as const satisfies readonly Right[];

type RightHolder = Pick<Actor, 'role' | 'rights'>;

/** `undefined`: there is no such right. */
function leastRoleFor(right: Right): Role | null | undefined {
  if (AREA.test(right)) return 'admin';
  return Object.hasOwn(LEAST_ROLE, right) ? LEAST_ROLE[right as keyof typeof LEAST_ROLE] : undefined;
}

/** Whether the role, or the custom role, grants the right. An unknown right or role does not. */
export function hasRight({ role, rights }: RightHolder, right: Right): boolean {
  const least = leastRoleFor(right);
  if (least === undefined || !isRole(role)) return false;
  if (least === null) return true;
  return rights === undefined ? roleAtLeast(role, least) : rights.includes(right);
}

/** Everything that the actor may do: also what no custom role grants. */
export function allRightsOf(actor: RightHolder): readonly Right[] {
  return (['self', ...grantableRights, 'admin'] as const).filter((right) => hasRight(actor, right));
}

/** What the actor has of the rights that a custom role may grant. */
export function rightsOf(actor: RightHolder): readonly Right[] {
  return grantableRights.filter((right) => hasRight(actor, right));
}

/** Throws `auth_error` unless the actor has the right. An unknown right or role refuses. */
export function authorize({ right, operation }: Access, actor: Actor): void {
  if (right === 'public') return;
  if (actor.mode === NOBODY.mode) {
    throw new AtlasError('Authentication is required.', { code: 'auth_error', hint: 'Send your credentials.' });
  }
  if (hasRight(actor, right)) return;
  const { role, rights } = actor;
  const least = leastRoleFor(right);
  const known = least !== undefined && isRole(role);
  const needed =
    rights === undefined ? `the role ${least}; yours is ${role}` : `the right ${right}, which your role lacks`;
  throw new AtlasError(known ? `${operation} needs ${needed}.` : `${operation} is not permitted.`, {
    code: 'auth_error',
    reason: ROLE_TOO_LOW,
    hint: known ? 'Ask an administrator for it.' : 'Ask an administrator for the role viewer, analyst or admin.',
  });
}
