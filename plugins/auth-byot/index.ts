/** Authenticates by JWTs of an existing identity provider, checked with its public keys. */
import {
  authAuthorize,
  authResolve,
  definePlugin,
  type HealthItem,
  healthCheck,
  optional,
} from '../../kernel/index.ts';
import { authLookup, bearerToken } from '../auth-kit/index.ts';
import { httpSecurity, type SecurityScheme } from '../http/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { identityOf, MODE } from './identity.ts';
import { isOpenToOthers, readJwksUrl } from './jwks-url.ts';
import { ByotOptions } from './options.ts';
import { closedWarning, refuseUnknownOrganization } from './tenancy.ts';

export { BYOT_MODE } from './mode.ts';

const ORG_CLAIM = 'org_id';

const SECURITY: SecurityScheme = {
  name: 'jwt',
  scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of the identity provider.' },
};

export const authByot = definePlugin({
  name: 'auth-byot',
  version: '1.0.0',
  type: 'auth',
  description: 'Authenticates requests by JWTs of the configured issuer.',
  needs: { rows: optional(rowSecurity) },
  options: ByotOptions,
  async setup(ctx, options, { rows }) {
    const orgClaim = options.orgClaim ?? ORG_CLAIM;
    const url = readJwksUrl(options.jwksUrl);
    if (isOpenToOthers(url)) {
      ctx.log.warn(
        { host: url.host },
        'Token keys are fetched over http: an attacker on the network could replace them and sign tokens.',
      );
    }
    // Both need jose, 46 modules that no other mode loads.
    const [{ IssuerKeys }, { looksLikeJwt, verifier }] = await Promise.all([
      import('./keys.ts'),
      import('./verify.ts'),
    ]);
    const keys = new IssuerKeys({ url, options, log: ctx.log, now: () => performance.now() });
    const verify = verifier(keys.find, options, () => ctx.now());
    ctx.tap(authResolve, ({ headers }, scope) => {
      const token = bearerToken(headers);
      if (token === undefined || !looksLikeJwt(token)) return undefined;
      const log = ctx.logOf(scope);
      return verify(token, log).then((claims) => identityOf(claims, { ...options, orgClaim }, log));
    });
    if (rows !== undefined && rows.claims.length > 0) {
      // After what looks at the right.
      const stage = 'post';
      ctx.tap(authAuthorize, (access, scope) => refuseUnknownOrganization(access, scope, orgClaim), { stage });
      if (options.orgClaim === undefined) ctx.log.warn({}, closedWarning(rows.claims, orgClaim));
    }
    ctx.tapKey(authLookup, MODE, () => ({ state: 'unknown' }));
    ctx.tap(healthCheck, (): HealthItem[] => {
      const details = { mode: MODE, enabled: true, keys: keys.count };
      const { problem } = keys;
      if (problem === undefined) return [{ component: 'auth', status: 'ok', details }];
      return [{ component: 'auth', status: keys.count > 0 ? 'degraded' : 'error', message: problem, details }];
    });
    ctx.tap(httpSecurity, () => [SECURITY]);
    // In the background: Atlas starts although the issuer is away, and the log says so.
    ctx.onReady(() => void keys.refresh());
    ctx.onClose(() => keys.close());
  },
});
