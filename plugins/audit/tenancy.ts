/** Decides which administrators may read records of all users when row security separates tenants by claims. */
import { AtlasError, type Scope } from '../../kernel/index.ts';
import type { AuthByot } from '../auth-byot/index.ts';
import type { RowSecurityService } from '../row-security/index.ts';

export interface Tenancy {
  /** Throws `forbidden` for an administrator whose organization is not known. */
  refuse(scope: Scope): void;
  /** What an operator should know at the start. */
  readonly warning: string | undefined;
}

/**
 * Records tell of tenants, and statements hold values of rows. With row security, an administrator whose token names no
 * organization is one of some tenant, and nothing says of which. `what`: the records, for messages: `The audit log`.
 */
export function tenancy(rows: RowSecurityService | undefined, tokens: AuthByot | undefined, what: string): Tenancy {
  if (tokens === undefined || rows === undefined || rows.claims.length === 0) {
    return { refuse: () => {}, warning: undefined };
  }
  const { orgClaim } = tokens;
  return {
    refuse({ actor, orgId }) {
      if (orgId !== null || !tokens.hasIssued(actor)) return;
      throw new AtlasError(
        `${what} is closed to you: your token names no organization (claim "${orgClaim}"), and row security keeps tenants apart.`,
        {
          code: 'forbidden',
          reason: 'E_AUDIT_TENANT',
          hint: 'Sign in with a token that has the claim, or have SVC_AUTH_ORG_CLAIM set to the claim that names the organization.',
        },
      );
    },
    warning: tokens.isOrgClaimGiven
      ? undefined
      : `Row security keeps tenants apart by "${rows.claims.join('", "')}", so ${what.charAt(0).toLowerCase()}${what.slice(1)} is closed to administrators whose token has no claim "${orgClaim}". Set SVC_AUTH_ORG_CLAIM to the claim that names their organization.`,
  };
}
