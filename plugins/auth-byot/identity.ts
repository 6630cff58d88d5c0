/** Makes the identity of a request from the claims of a valid token. */
import type { Identity, Logger, Role } from '../../kernel/index.ts';
import { claimAt, isRole, rejectedCredentials, roleAtLeast } from '../auth-kit/index.ts';
import type { ByotOptions } from './options.ts';

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** The authentication mode of actors that a token made. */
export const MODE = 'byot';

/** Looked at in this order when no claim is configured. */
const ROLE_CLAIMS = ['role', 'atlas_role'];

/** The role that a claim's value gives; of a list, as directories write groups, the highest. */
function roleIn(value: unknown): Role | undefined {
  const found = (Array.isArray(value) ? value : [value]).filter(isRole);
  return found.reduce<Role | undefined>((best, role) => (best && roleAtLeast(best, role) ? best : role), undefined);
}

/** Without a known role in the claims the actor is a viewer. */
function roleOf(claims: Claims, roleClaim: string | undefined, log: Logger): Role {
  const names = roleClaim === undefined ? ROLE_CLAIMS : [roleClaim];
  const values = names.map((name) => claimAt(claims, name));
  const role = values.map(roleIn).find((found) => found !== undefined);
  if (role === undefined && values.some((value) => value !== undefined)) {
    log.debug({ claim: names.join(', ') }, 'A token names no role of Atlas; its bearer is a viewer.');
  }
  return role ?? 'viewer';
}

/** A text of this size is no name. */
const MAX_ORGANIZATION_LENGTH = 255;
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * The one organization that a claim names: a text, or a whole number, which is the same as the text of its digits.
 * `null`: none. Throws `auth_error` for anything else, as it would be a guess which organization is meant.
 */
function organizationIn(value: unknown, claim: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return String(value);
  if (
    typeof value === 'string' &&
    value !== '' &&
    value === value.trim() &&
    value.length <= MAX_ORGANIZATION_LENGTH &&
    value.isWellFormed() &&
    !CONTROL_CHARACTER.test(value)
  ) {
    return value;
  }
  throw rejectedCredentials(
    `The claim "${claim}" of the token is not valid: it must name one organization.`,
    'Ask the operator of the identity provider for a token with a text or a whole number there, or without the claim.',
  );
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0') ? value : null;
}

export function identityOf(
  claims: Claims,
  options: Pick<ByotOptions, 'roleClaim'> & { readonly orgClaim: string },
  log: Logger,
): Identity {
  return {
    actor: {
      id: claims.sub,
      label: textOf(claims.email) ?? textOf(claims.name),
      role: roleOf(claims, options.roleClaim, log),
      mode: MODE,
      claims: Object.freeze({ ...claims }),
    },
    orgId: organizationIn(claimAt(claims, options.orgClaim), options.orgClaim),
  };
}
