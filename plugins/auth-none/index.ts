/** Disables authentication: every request is an anonymous administrator's. */
import {
  authAuthorize,
  authResolve,
  definePlugin,
  type HealthItem,
  healthCheck,
  type Identity,
} from '../../kernel/index.ts';
import { authLookup, present } from '../auth-kit/index.ts';
import { httpSecurity } from '../http/index.ts';
import { NONE_MODE } from './mode.ts';

const ANONYMOUS_ADMINISTRATOR: Identity = Object.freeze({
  actor: Object.freeze({ id: null, label: null, role: 'admin', mode: 'none', claims: Object.freeze({}) }),
  orgId: null,
});

const HEALTH: HealthItem = { component: 'auth', status: 'ok', details: { mode: 'none', enabled: false } };

export { NONE_MODE } from './mode.ts';

export const authNone = definePlugin({
  name: 'auth-none',
  version: '1.0.0',
  type: 'auth',
  description: 'Accepts every request as an administrator, without credentials.',
  setup(ctx) {
    ctx.tap(authResolve, () => ANONYMOUS_ADMINISTRATOR);
    // An administrator may do everything, so there is nothing to refuse; the gate needs an answer all the same.
    ctx.tap(authAuthorize, () => {});
    ctx.tapKey(authLookup, NONE_MODE.name, () => present(ANONYMOUS_ADMINISTRATOR));
    ctx.tap(healthCheck, () => [HEALTH]);
    // No scheme: the server then protects itself from web pages of other origins.
    ctx.tap(httpSecurity, () => [{ name: NONE_MODE.name, errors: ['forbidden'], onPublicRoutes: true }]);
  },
});
