/** The users of managed authentication, for administrators. */
import { definePlugin, httpRoutes, optional } from '../../kernel/index.ts';
import { authManaged } from '../auth-managed/index.ts';
import { userRoutes } from './routes.ts';

export type { Invitation, User } from './routes.ts';

export const adminUsers = definePlugin({
  name: 'admin-users',
  version: '1.0.0',
  type: 'admin',
  description: 'Routes for users: list, role, ban, sessions, deletion.',
  needs: { auth: optional(authManaged) },
  setup(ctx, _options, { auth }) {
    ctx.tap(httpRoutes, () => userRoutes(auth));
  },
});
