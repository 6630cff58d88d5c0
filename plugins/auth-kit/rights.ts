/** Decides by role who may do what: the one table of rights. */
import { type Access, type Actor, AtlasError, NOBODY, type Right, type Role } from '../../kernel/index.ts';
import { ROLE_TOO_LOW } from './errors.ts';
import { isRole, roleAtLeast } from './roles.ts';

/** The least role for a right; `null`: every authenticated user, whatever their role. */
const LEAST_ROLE: Readonly<Record<Exclude<Right, 'public'>, Role | null>> = {
  self: null,
  query: 'viewer',
  approve: 'analyst',
  admin: 'admin',
};

/** Throws `auth_error` unless the actor has the right. An unknown right or role refuses. */
export function authorize({ right, operation }: Access, { role, mode }: Actor): void {
  if (right === 'public') return;
  if (mode === NOBODY.mode) {
    throw new AtlasError('Authentication is required.', { code: 'auth_error', hint: 'Send your credentials.' });
  }
  const least = Object.hasOwn(LEAST_ROLE, right) ? LEAST_ROLE[right] : 'admin';
  const known = Object.hasOwn(LEAST_ROLE, right) && isRole(role);
  if (known && (least === null || roleAtLeast(role, least))) return;
  throw new AtlasError(
    known ? `${operation} needs the role ${least}; yours is ${role}.` : `${operation} is not permitted.`,
    {
      code: 'auth_error',
      reason: ROLE_TOO_LOW,
      hint: known ? 'Ask an administrator for it.' : 'Ask an administrator for the role viewer, analyst or admin.',
    },
  );
}
