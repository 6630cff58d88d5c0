/** From the claims of a good token to who asks. */
import type { Identity, Logger, Role } from '../../kernel/index.ts';
import { isRole, roleAtLeast } from '../auth-roles/index.ts';
import { claimAt } from '../row-security/claims.ts';
import type { ByotOptions } from './options.ts';

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Looked at in this order when no claim is configured. */
const ROLE_CLAIMS = ['role', 'atlas_role'];

/** The role that a claim's value gives; of a list, as directories write groups, the highest. */
function roleIn(value: unknown): Role | undefined {
  const found = (Array.isArray(value) ? value : [value]).filter(isRole);
  return found.reduce<Role | undefined>((best, role) => (best && roleAtLeast(best, role) ? best : role), undefined);
}

/** Without a role of ours in the claims, whoever asks may only read. */
function roleOf(claims: Claims, roleClaim: string | undefined, log: Logger): Role {
  const names = roleClaim === undefined ? ROLE_CLAIMS : [roleClaim];
  const values = names.map((name) => claimAt(claims, name));
  const role = values.map(roleIn).find((found) => found !== undefined);
  if (role === undefined && values.some((value) => value !== undefined)) {
    log.debug({ claim: names.join(', ') }, 'A token names no role of Atlas; its bearer is a viewer.');
  }
  return role ?? 'viewer';
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0') ? value : null;
}

export function identityOf(
  claims: Claims,
  options: Pick<ByotOptions, 'roleClaim' | 'orgClaim'>,
  log: Logger,
): Identity {
  return {
    actor: {
      id: claims.sub,
      label: textOf(claims.email) ?? textOf(claims.name),
      role: roleOf(claims, options.roleClaim, log),
      mode: 'byot',
      claims: Object.freeze({ ...claims }),
    },
    orgId: textOf(claimAt(claims, options.orgClaim)),
  };
}
