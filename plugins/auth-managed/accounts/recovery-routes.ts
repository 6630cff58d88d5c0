/** Serves the endpoints by which people set a new password, and change the address of their account, by mail. */
import { Type } from '@sinclair/typebox';
import { AtlasError, defineRoute, type Route, type RouteRequest } from '../../../kernel/index.ts';
import { Done, Email } from '../better-auth/endpoint.ts';
import { BASE_PATH } from '../better-auth/instance.ts';
import { GivenPassword, NewPassword } from '../passwords/password-length.ts';
import type { AccountRecovery } from './account-recovery.ts';
import type { Origins } from './request-origins.ts';

export const MailToken = Type.String({ minLength: 1, maxLength: 1_100, description: 'as the link has it' });

const Requested = Type.Object({ status: Type.Boolean(), message: Type.String() });

export interface RecoveryRoutesInit {
  readonly recovery: AccountRecovery;
  readonly origins: Origins;
  /** Throws `not_available` where no mail can be sent. */
  mustMail(): void;
}

const DONE = { headers: { 'cache-control': 'no-store' }, body: { status: true } };

export function recoveryRoutes({ recovery, origins, mustMail }: RecoveryRoutesInit): Route[] {
  const shared = {
    method: 'POST',
    tag: 'Sign-in',
    right: 'public',
    bodyLimitBytes: 65_536,
    ready: mustMail,
    errors: ['forbidden', 'not_available'],
  } as const;
  /** A foreign page must not act for its visitors. */
  const checkOrigin = ({ headers }: Pick<RouteRequest, 'headers'>) => {
    if (headers.authorization === undefined) origins.check('POST', headers);
  };
  return [
    defineRoute({
      ...shared,
      path: `${BASE_PATH}/request-password-reset`,
      operationId: 'requestPasswordReset',
      summary: 'Have a link to set a new password mailed to you',
      body: Type.Object({ email: Email }),
      responses: { 200: Requested },
      async handle(request, scope) {
        checkOrigin(request);
        await recovery.requestReset(request.body.email, request.ip, scope);
        const message = 'If there is an account with this address, a mail with a link is on its way to it.';
        return { ...DONE, body: { status: true, message } };
      },
    }),
    defineRoute({
      ...shared,
      path: `${BASE_PATH}/reset-password`,
      operationId: 'resetPassword',
      summary: 'Set a new password by a link that was mailed to you, and end all of your sessions',
      body: Type.Object({ token: MailToken, newPassword: NewPassword }),
      responses: { 200: Done },
      errors: [...shared.errors, 'overloaded'],
      async handle(request, scope) {
        checkOrigin(request);
        await recovery.reset(request.body.token, request.body.newPassword, scope);
        return DONE;
      },
    }),
    defineRoute({
      ...shared,
      path: `${BASE_PATH}/change-email`,
      operationId: 'changeEmail',
      summary: 'Have a link to confirm a new address of your account mailed to that address',
      right: 'self',
      body: Type.Object({ newEmail: Email, password: GivenPassword }, { additionalProperties: false }),
      responses: { 200: Requested },
      errors: [...shared.errors, 'conflict', 'overloaded'],
      async handle(request, scope) {
        const { newEmail, password } = request.body;
        await recovery.requestEmailChange(scope, request.ip, newEmail, password);
        const message = 'If no other account has this address, a mail with a link is on its way to it.';
        return { ...DONE, body: { status: true, message } };
      },
    }),
    defineRoute({
      ...shared,
      path: `${BASE_PATH}/confirm-email`,
      operationId: 'confirmEmail',
      summary: 'Confirm the new address of your account by a link that was mailed to you',
      body: Type.Object({ token: MailToken }),
      responses: { 200: Done },
      errors: [...shared.errors, 'conflict'],
      async handle(request, scope) {
        checkOrigin(request);
        await recovery.confirmEmail(request.body.token, scope);
        return DONE;
      },
    }),
  ];
}

/** `isMailed`: whether the server sends mails. */
export function mailRequired(isMailed: boolean): void {
  if (isMailed) return;
  throw new AtlasError('This server sends no e-mail.', {
    code: 'not_available',
    hint: 'Ask an administrator; the operator sets SVC_SMTP_URL and SVC_EMAIL_FROM.',
  });
}
