/** Closes the records of organizations to administrators of whom it is not known which tenant is theirs. */
import { type Access, AtlasError, type Scope } from '../../kernel/index.ts';
import { MODE } from './identity.ts';

/**
 * Records tell of tenants, and statements hold values of rows. With row security, an administrator whose token names no
 * organization is one of some tenant, and nothing says of which. Throws `forbidden` for such a one.
 */
export function refuseUnknownOrganization(
  { organizationData }: Access,
  { actor, orgId }: Scope,
  orgClaim: string,
): void {
  if (organizationData === undefined || orgId !== null || actor.mode !== MODE) return;
  throw new AtlasError(
    `${organizationData} is closed to you: your token names no organization (claim "${orgClaim}"), and row security keeps tenants apart.`,
    {
      code: 'forbidden',
      reason: 'E_TENANT_UNKNOWN',
      hint: 'Sign in with a token that has the claim, or have SVC_AUTH_ORG_CLAIM set to the claim that names the organization.',
    },
  );
}

/** What an operator should know at the start. */
export const closedWarning = (claims: readonly string[], orgClaim: string): string =>
  `Row security keeps tenants apart by "${claims.join('", "')}", so the audit log and the settings of organizations are closed to administrators whose token has no claim "${orgClaim}". Set SVC_AUTH_ORG_CLAIM to the claim that names their organization.`;
