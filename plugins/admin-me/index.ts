/** Routes for the caller's account: the password. */
import { Type } from '@sinclair/typebox';
import { AtlasError, definePlugin, defineRoute, httpRoutes, optional, type Route } from '../../kernel/index.ts';
import { Success } from '../admin-kit/index.ts';
import { type AuthManaged, authManaged, GivenPassword, NewPassword } from '../auth-managed/index.ts';

const Change = Type.Object(
  { currentPassword: GivenPassword, newPassword: NewPassword },
  { additionalProperties: false },
);

function routes(auth: AuthManaged | undefined): Route[] {
  const password = () => {
    if (auth !== undefined) return auth.password;
    throw new AtlasError('Passwords are not available: managed authentication is not in use.', {
      code: 'not_available',
      hint: 'Use managed authentication: SVC_AUTH_MODE=managed.',
    });
  };
  const shared = { tag: 'Account', right: 'self', ready: () => void password() } as const;
  return [
    {
      ...shared,
      method: 'GET',
      path: '/api/v1/admin/me/password-status',
      operationId: 'getPasswordStatus',
      summary: 'Whether you have to change your password.',
      responses: { 200: Type.Object({ passwordChangeRequired: Type.Boolean() }) },
      errors: ['not_available', 'unavailable'],
      async handle(_request, scope) {
        return { body: { passwordChangeRequired: await password().isChangeRequired(scope.actor) } };
      },
    },
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/v1/admin/me/password',
      operationId: 'changePassword',
      summary: 'Changes your password, and ends your other sessions.',
      body: Change,
      responses: { 200: Success },
      errors: ['not_available', 'unavailable', 'conflict', 'forbidden', 'overloaded'],
      async handle({ body, ip }, scope) {
        const { currentPassword, newPassword } = body;
        await password().change(scope, ip, currentPassword, newPassword);
        return { body: { success: true } };
      },
    }),
  ];
}

export const adminMe = definePlugin({
  name: 'admin-me',
  version: '1.0.0',
  type: 'admin',
  description: "Routes for one's own account: the password.",
  needs: { auth: optional(authManaged) },
  setup(ctx, _options, { auth }) {
    ctx.tap(httpRoutes, () => routes(auth));
  },
});
