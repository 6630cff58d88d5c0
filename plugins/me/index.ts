/** Tells callers who they are, what they may do, and which parts of the interface they may use. */
import { definePlugin, httpRoutes, optional } from '../../kernel/index.ts';
import { authManaged } from '../auth-managed/index.ts';
import { http } from '../http/index.ts';
import { meRoute } from './routes.ts';

export type { Me } from './schemas.ts';

export const me = definePlugin({
  name: 'me',
  version: '1.0.0',
  type: 'interaction',
  description: 'Tells callers who they are and what they may use.',
  needs: { http, auth: optional(authManaged) },
  setup(ctx, _options, needs) {
    ctx.tap(httpRoutes, () => [meRoute({ ctx, ...needs })]);
  },
});
