/** Lists the authentication modes, and builds the plugins of the one that is chosen. */
import type { PluginEntry } from '../../kernel/index.ts';
import { adminMe } from '../../plugins/admin-me/index.ts';
import { adminRoles } from '../../plugins/admin-roles/index.ts';
import { adminUsers } from '../../plugins/admin-users/index.ts';
import { API_KEY_MODE, authApiKey } from '../../plugins/auth-api-key/index.ts';
import { authByot, BYOT_MODE } from '../../plugins/auth-byot/index.ts';
import { authManaged, MANAGED_MODE } from '../../plugins/auth-managed/index.ts';
import { authNone, NONE_MODE } from '../../plugins/auth-none/index.ts';
import { authRoles } from '../../plugins/auth-roles/index.ts';
import { alternative, type Chosen, httpOrigin, httpOrigins, httpUrl, named, origins, production } from '../variable.ts';

/** The first whose variable `chosenBy` is set is taken, unless SVC_AUTH_MODE names another. */
export const AUTH_MODES = [
  alternative({ ...BYOT_MODE, chosenBy: 'SVC_AUTH_JWKS_URL' }, authByot, {
    jwksUrl: named('SVC_AUTH_JWKS_URL', httpUrl),
    issuer: 'SVC_AUTH_ISSUER',
    audience: 'SVC_AUTH_AUDIENCE',
    roleClaim: 'SVC_AUTH_ROLE_CLAIM',
    orgClaim: 'SVC_AUTH_ORG_CLAIM',
  }),
  alternative({ ...MANAGED_MODE, chosenBy: 'AUTHLIB_SECRET', needs: ['DATABASE_URL'] }, authManaged, {
    secret: 'AUTHLIB_SECRET',
    url: named('AUTHLIB_URL', httpOrigin),
    trustedOrigins: named('AUTHLIB_TRUSTED_ORIGINS', httpOrigins),
    corsOrigins: named('SVC_CORS_ORIGIN', origins),
    adminEmail: 'SVC_ADMIN_EMAIL',
    production: named('NODE_ENV', production),
    google: { clientId: 'GOOGLE_CLIENT_ID', clientSecret: 'GOOGLE_CLIENT_SECRET' },
    github: { clientId: 'GITHUB_CLIENT_ID', clientSecret: 'GITHUB_CLIENT_SECRET' },
    microsoft: { clientId: 'MICROSOFT_CLIENT_ID', clientSecret: 'MICROSOFT_CLIENT_SECRET' },
  }),
  alternative({ ...API_KEY_MODE, chosenBy: 'SVC_API_KEY' }, authApiKey, {
    keys: [{ key: 'SVC_API_KEY', role: 'SVC_API_KEY_ROLE', claims: 'SVC_RLS_CLAIMS' }],
  }),
  alternative(NONE_MODE, authNone, {}),
] as const;

/** The plugin of the mode, roles unless it is open to everybody, and the routes for accounts. */
export function authentication({ authMode: { isOpen, plugin } }: { readonly authMode: Chosen }): PluginEntry[] {
  return [...(isOpen ? [] : [authRoles()]), plugin, adminMe(), adminUsers(), adminRoles()];
}
