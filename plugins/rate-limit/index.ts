/** Refuses requests of users and addresses that make too many. */
import { AtlasError, definePlugin } from '../../kernel/index.ts';
import { addressKey, http, httpAdmit } from '../http/index.ts';
import { RateLimitOptions } from './options.ts';
import { SlidingWindow } from './sliding-window.ts';
import { userKey } from './user-key.ts';

export { SlidingWindow, type WindowOptions } from './sliding-window.ts';

const WINDOW_MS = 60_000;

export const rateLimit = definePlugin({
  name: 'rate-limit',
  version: '1.0.0',
  type: 'policy',
  description: 'Limits the requests of a user, or of an address without one, in any 60 seconds.',
  needs: { http },
  options: RateLimitOptions,
  setup(ctx, { requestsPerMinute: limit, maxUsers, maxAddresses }) {
    // Apart, so that a flood of addresses takes no room from users.
    const users = new SlidingWindow({ limit, windowMs: WINDOW_MS, maxKeys: maxUsers });
    const addresses = new SlidingWindow({ limit, windowMs: WINDOW_MS, maxKeys: maxAddresses });
    ctx.tap(httpAdmit, ({ route, ip }, { actor }) => {
      if (route.essential === true) return;
      // Not the time of day, whose steps would lock people out or let them in.
      const nowMs = performance.now();
      const waitMs = actor.id === null ? addresses.take(addressKey(ip), nowMs) : users.take(userKey(actor.id), nowMs);
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
