/** Authentication: the plugins of the mode that the environment asks for, with accounts and rate limit. */
import type { PluginEntry } from '../../kernel/index.ts';
import { adminMe } from '../../plugins/admin-me/index.ts';
import { adminUsers } from '../../plugins/admin-users/index.ts';
import { authApiKey } from '../../plugins/auth-api-key/index.ts';
import { authByot } from '../../plugins/auth-byot/index.ts';
import { authManaged } from '../../plugins/auth-managed/index.ts';
import { authNone } from '../../plugins/auth-none/index.ts';
import { authRoles } from '../../plugins/auth-roles/index.ts';
import { rateLimit } from '../../plugins/rate-limit/index.ts';
import { authModeOf, type Env } from '../env.ts';

const both = (clientId: string | undefined, clientSecret: string | undefined) =>
  clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret };

function mode(env: Env): PluginEntry[] {
  switch (authModeOf(env)) {
    case 'none':
      return [authNone()];
    case 'api-key':
      return [authRoles(), authApiKey({ keys: [{ key: env.apiKey, role: env.apiKeyRole, claims: env.rlsClaims }] })];
    case 'byot':
      return [
        authRoles(),
        authByot({
          jwksUrl: env.authJwksUrl,
          issuer: env.authIssuer,
          audience: env.authAudience,
          roleClaim: env.authRoleClaim,
          orgClaim: env.authOrgClaim,
        }),
      ];
    case 'managed':
      return [
        authRoles(),
        authManaged({
          secret: env.authSecret,
          url: env.authUrl,
          trustedOrigins: env.authTrustedOrigins,
          corsOrigins: env.corsOrigin,
          adminEmail: env.adminEmail,
          production: env.nodeEnv?.toLowerCase() === 'production',
          google: both(env.googleClientId, env.googleClientSecret),
          github: both(env.githubClientId, env.githubClientSecret),
          microsoft: both(env.microsoftClientId, env.microsoftClientSecret),
        }),
      ];
  }
}

export function authentication(env: Env): PluginEntry[] {
  const limit = env.rateLimitRpm === undefined ? [] : [rateLimit({ requestsPerMinute: env.rateLimitRpm })];
  return [...mode(env), adminMe(), adminUsers(), ...limit];
}
