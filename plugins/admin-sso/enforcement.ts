/** Refuses passwords and social sign-in for addresses whose organization enforces single sign-on. */
import { AtlasError } from '../../kernel/index.ts';
import type { SignInAttempt } from '../auth-managed/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { domainOfEmail } from './domain.ts';
import { administersPlatform, userByEmail, userById } from './membership.ts';
import type { ProviderStore } from './providers.ts';

/**
 * The address decides, whether it has an account or not; of a known user the address of the account as well. Those who
 * administer the platform keep their password, so that a broken identity provider locks nobody out for good.
 */
export function signInCheck(providers: ProviderStore, db: InternalDb) {
  return async ({ email, userId }: SignInAttempt): Promise<void> => {
    const user = await db.run((knex) => (userId === undefined ? userByEmail(knex, email) : userById(knex, userId)));
    const domains = [email, user?.email ?? email].flatMap((address) => domainOfEmail(address) ?? []);
    if (domains.length === 0 || (await providers.enforcedBy(domains)) === undefined) return;
    if (user !== undefined && administersPlatform(user)) return;
    throw new AtlasError('Your organization requires single sign-on.', {
      code: 'forbidden',
      reason: 'E_SSO_REQUIRED',
      libraryCode: 'SSO_REQUIRED',
      hint: 'POST {"email", "callbackURL"} to /api/auth/sign-in/sso, and open the URL that it answers.',
    });
  };
}
