/** Tokens of an identity provider that is already there: JWTs, checked with its public keys. */
import { authResolve, definePlugin, type HealthItem, healthCheck } from '../../kernel/index.ts';
import { bearerToken } from '../http/index.ts';
import { identityOf } from './identity.ts';
import { isOpenToOthers, readJwksUrl } from './jwks-url.ts';
import { IssuerKeys } from './keys.ts';
import { ByotOptions } from './options.ts';
import { looksLikeJwt, verifier } from './verify.ts';

export const authByot = definePlugin({
  name: 'auth-byot',
  version: '1.0.0',
  type: 'auth',
  description: 'Lets in whoever bears a JWT of the configured issuer.',
  options: ByotOptions,
  setup(ctx, options) {
    const url = readJwksUrl(options.jwksUrl);
    if (isOpenToOthers(url)) {
      ctx.log.warn({ host: url.host }, 'Token keys are fetched over http: whoever is on the way can let anybody in.');
    }
    const keys = new IssuerKeys({ url, options, log: ctx.log, now: () => performance.now() });
    const verify = verifier(keys.find, options, () => ctx.now());
    ctx.tap(authResolve, ({ headers }, scope) => {
      const token = bearerToken(headers);
      if (token === undefined || !looksLikeJwt(token)) return undefined;
      const log = ctx.logOf(scope);
      return verify(token, log).then((claims) => identityOf(claims, options, log));
    });
    ctx.tap(healthCheck, (): HealthItem[] => {
      const details = { mode: 'byot', enabled: true, keys: keys.count };
      const { problem } = keys;
      if (problem === undefined) return [{ component: 'auth', status: 'ok', details }];
      return [{ component: 'auth', status: keys.count > 0 ? 'degraded' : 'error', message: problem, details }];
    });
    // In the background: Atlas starts although the issuer is away, and the log says so.
    ctx.onReady(() => void keys.refresh());
    ctx.onClose(() => keys.close());
  },
});
