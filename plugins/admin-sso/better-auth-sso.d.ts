/** Declares what is used of `@better-auth/sso`: its own types bring those of a browser into every file. */
import type { BetterAuthPlugin } from 'better-auth';

export type SSOUserResolution =
  | { readonly action: 'continue' }
  | { readonly action: 'link'; readonly userId: string; readonly profile: 'preserve' | 'update' }
  | { readonly action: 'reject'; readonly code: string; readonly message?: string };

export interface SSOUserResolutionInput {
  readonly providerId: string;
  readonly accountKey: { readonly issuer: string; readonly accountId: string };
  readonly providerUser: { readonly email: string };
  /** OpenID Connect only. */
  readonly providerClaims?: Readonly<Record<string, unknown>>;
  readonly verifiedIdTokenClaims?: Readonly<Record<string, unknown>>;
}

export interface SSOOptions {
  readonly modelName: string;
  readonly domainVerification: { readonly enabled: boolean };
  readonly trustEmailVerified: boolean;
  readonly resolveUser: (input: SSOUserResolutionInput) => Promise<SSOUserResolution>;
  readonly organizationProvisioning: { readonly disabled: boolean };
  readonly provisionUserOnEveryLogin: boolean;
  readonly provisionUser: (provisioned: {
    readonly user: { readonly id: string };
    readonly provider: { readonly organizationId?: string };
  }) => Promise<void>;
  readonly saml: {
    readonly allowIdpInitiated: boolean;
    /** Milliseconds. */
    readonly clockSkew: number;
    readonly requireTimestamps: boolean;
    readonly algorithms: { readonly onDeprecated: 'reject' };
  };
}

export function sso(options: SSOOptions): BetterAuthPlugin;
