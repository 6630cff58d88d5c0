/** Serves the pages that links in mails lead to. They show and change nothing: what a person does there is sent to the API. */
import { Type } from '@sinclair/typebox';
import { defineRoute, type Route } from '../../../kernel/index.ts';
import type { Invitations } from '../accounts/invitations.ts';
import { Id } from '../better-auth/endpoint.ts';
import { BASE_PATH } from '../better-auth/instance.ts';
import { invitationPage } from './invitation-page.ts';

const Page = Type.String({ contentMediaType: 'text/html' });

export interface PageRoutesInit {
  readonly invitations: Invitations;
  readonly signUp: boolean;
}

export function pageRoutes({ invitations, signUp }: PageRoutesInit): Route[] {
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
      handle: async ({ query }) => invitationPage(await invitations.pending(query.invitationId ?? ''), signUp),
    }),
  ];
}
