/** Authorizes by role: viewer, analyst and admin. */
import { authAuthorize, definePlugin } from '../../kernel/index.ts';
import { authorize } from '../auth-kit/index.ts';

export const authRoles = definePlugin({
  name: 'auth-roles',
  version: '1.0.0',
  type: 'auth',
  description: 'Decides by role who may query, approve and administer.',
  setup(ctx) {
    ctx.tap(authAuthorize, (access, scope) => authorize(access, scope.actor));
  },
});
