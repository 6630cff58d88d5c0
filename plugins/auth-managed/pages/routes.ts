/** Serves the pages that links in mails lead to. They show and change nothing: what a person does there is sent to the API. */
import { Type } from '@sinclair/typebox';
import { defineRoute, type Route } from '../../../kernel/index.ts';
import type { AccountRecovery } from '../accounts/account-recovery.ts';
import type { Invitations } from '../accounts/invitations.ts';
import { MailToken } from '../accounts/recovery-routes.ts';
import { Id } from '../better-auth/endpoint.ts';
import { BASE_PATH } from '../better-auth/instance.ts';
import { type InvitationPageInit, invitationPage } from './invitation-page.ts';
import { emailConfirmationPage, passwordRequestPage, passwordResetPage } from './recovery-pages.ts';

const Page = Type.String({ contentMediaType: 'text/html' });

export interface PageRoutesInit extends Omit<InvitationPageInit, 'home'> {
  readonly invitations: Invitations;
  readonly recovery: AccountRecovery;
  readonly hasHome: () => boolean;
}

const byToken = Type.Object({ token: Type.Optional(MailToken) });

export function pageRoutes({ invitations, recovery, hasHome, ...shown }: PageRoutesInit): Route[] {
  /** From the path of a page, which may be reached below another path. */
  const home = (depth: number) => (hasHome() ? '../'.repeat(depth) : undefined);
  const mailed = {
    method: 'GET',
    tag: 'Sign-in',
    right: 'public',
    responses: { 200: Page, 404: Page },
  } as const;
  return [
    defineRoute({
      method: 'GET',
      path: `${BASE_PATH}/organization/accept-invitation`,
      operationId: 'showInvitation',
      summary: 'The page that an invitation links to, where the invited person joins',
      tag: 'Organizations',
      right: 'public',
      query: Type.Object({ invitationId: Type.Optional(Id) }),
      responses: { 200: Page, 404: Page },
      handle: async ({ query }) =>
        invitationPage(await invitations.pending(query.invitationId ?? ''), { ...shown, home: home(3) }),
    }),
    {
      ...mailed,
      path: `${BASE_PATH}/request-password-reset`,
      operationId: 'showPasswordRequest',
      summary: 'The page to ask for a link to set a new password',
      handle: async () => passwordRequestPage(shown.isMailed),
    },
    defineRoute({
      ...mailed,
      path: `${BASE_PATH}/reset-password`,
      operationId: 'showPasswordReset',
      summary: 'The page that a mail links to, where a new password is set',
      query: byToken,
      async handle({ query: { token = '' } }) {
        return passwordResetPage(token, (await recovery.find('reset-password', token))?.email, home(2));
      },
    }),
    defineRoute({
      ...mailed,
      path: `${BASE_PATH}/confirm-email`,
      operationId: 'showEmailConfirmation',
      summary: 'The page that a mail links to, where a new address is confirmed',
      query: byToken,
      async handle({ query: { token = '' } }) {
        const proven = await recovery.find('confirm-email', token);
        return emailConfirmationPage(token, proven && { before: proven.account.email, after: proven.email }, home(2));
      },
    }),
  ];
}
