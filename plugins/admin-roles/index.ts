/** Serves the roles of an organization to administrators. */
import { definePlugin, httpRoutes, optional } from '../../kernel/index.ts';
import { authManaged } from '../auth-managed/index.ts';
import { roleRoutes } from './routes.ts';

export type { ManagedRole, RoleMember } from './routes.ts';

export const adminRoles = definePlugin({
  name: 'admin-roles',
  version: '1.0.0',
  type: 'admin',
  description: 'Routes for roles: the built-in ones, custom ones of an organization, and who has them.',
  needs: { auth: optional(authManaged) },
  setup(ctx, _options, { auth }) {
    ctx.tap(httpRoutes, () => roleRoutes(auth));
  },
});
