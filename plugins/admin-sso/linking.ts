/** Decides which user somebody is who comes from an identity provider. */
import type { SSOUserResolution, SSOUserResolutionInput } from '@better-auth/sso';
import { AUTH_TABLES, type LibraryHost } from '../auth-managed/index.ts';
import { domainOfEmail } from './domain.ts';
import { join, refusalOf, takeOver, userByEmail, userById } from './membership.ts';
import { PROVIDERS } from './migrations.ts';

const reject = (code: string, message: string): SSOUserResolution => ({ action: 'reject', code, message });

/**
 * A provider vouches for addresses of its verified domain only, and for users who belong to its organization or to none.
 * Runs in the transaction that makes the session.
 */
export function userResolver(host: LibraryHost) {
  return async ({
    providerId,
    accountKey,
    providerUser,
    ...said
  }: SSOUserResolutionInput): Promise<SSOUserResolution> => {
    const email = providerUser.email.toLowerCase();
    const { provider, user, isLinked } = await host.run(async (db) => {
      const found = await db(PROVIDERS).where({ providerId, domainVerified: true }).first('organizationId', 'domain');
      const account = { providerId, accountId: accountKey.accountId };
      const linked = await db(AUTH_TABLES.account).where(account).first('userId');
      const known = linked === undefined ? await userByEmail(db, email) : await userById(db, linked.userId);
      return { provider: found, user: known, isLinked: linked !== undefined };
    });
    if (provider === undefined) return reject('sso_domain_unverified', 'The domain of the provider is not verified.');
    const { organizationId, domain } = provider as { organizationId: string; domain: string };
    if (domainOfEmail(email) !== domain) {
      return reject('sso_domain_mismatch', `The provider may sign in addresses at ${domain} only.`);
    }
    // Many say nothing about it; who denies it lets people register with addresses of others.
    const isDenied = [said.providerClaims, said.verifiedIdTokenClaims].some(
      (claims) => String(claims?.email_verified) === 'false',
    );
    if (isDenied && !isLinked) {
      return reject('sso_email_unverified', 'The identity provider says that the address is not verified.');
    }
    if (user === undefined) return { action: 'continue' };
    const refusal = await host.run((db) => refusalOf(db, user, organizationId));
    if (refusal !== undefined) return reject('sso_account_refused', refusal);
    // A member was let in by the organization under this address, and keeps the password.
    const isNew = await host.run((db) => join(db, user.id, organizationId));
    if (isNew && !isLinked) await takeOver(host, user.id);
    return { action: 'link', userId: user.id, profile: 'preserve' };
  };
}
