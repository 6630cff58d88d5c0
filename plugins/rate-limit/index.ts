/** Refuses requests of users and addresses that make too many. */
import { AtlasError, definePlugin, optional } from '../../kernel/index.ts';
import { addressKey, http, httpAdmit } from '../http/index.ts';
import { localLimits, sharedLimits } from '../shared-limits/index.ts';
import { RateLimitOptions } from './options.ts';
import { userKey } from './user-key.ts';

const WINDOW_MS = 60_000;

export const rateLimit = definePlugin({
  name: 'rate-limit',
  version: '1.0.0',
  type: 'policy',
  description: 'Limits the requests of a user, or of an address without one, in any 60 seconds.',
  needs: { http, shared: optional(sharedLimits) },
  options: RateLimitOptions,
  setup(ctx, { requestsPerMinute: limit, maxUsers, maxAddresses }, { shared }) {
    const limits = shared ?? localLimits(ctx.now);
    // Apart, so that a flood of addresses takes no room from users.
    const users = limits.window('rate-limit.users', { limit, windowMs: WINDOW_MS, maxKeys: maxUsers });
    const addresses = limits.window('rate-limit.addresses', { limit, windowMs: WINDOW_MS, maxKeys: maxAddresses });
    ctx.tap(httpAdmit, ({ route, ip }, { actor }) => {
      if (route.essential === true) return;
      const waitMs = actor.id === null ? addresses.take(addressKey(ip)) : users.take(userKey(actor.id));
      if (waitMs === 0) return;
      throw new AtlasError(`More than ${limit} requests came in a minute.`, {
        code: 'rate_limited',
        reason: 'E_RATE_LIMITED',
        retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
        hint: 'Wait as long as Retry-After says.',
      });
    });
  },
});
