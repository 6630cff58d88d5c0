/** Serves the bots of an organization to its administrators. */
import { defineRoute, type Route } from '../../kernel/index.ts';
import { SUCCEEDED, Success } from '../admin-kit/index.ts';
import type { Integrations } from './integrations.ts';
import { BotBody, BotTest, Installed, IntegrationList, PlatformParams } from './schemas.ts';

const PATH = '/api/v1/admin/integrations';

export interface IntegrationRoutesInit {
  readonly bots: Integrations;
}

export function integrationRoutes({ bots }: IntegrationRoutesInit): Route[] {
  const all = { tag: 'Integrations', right: 'admin:settings', organizationData: "The server's own bots" } as const;
  const one = { ...all, params: PlatformParams };
  return [
    {
      ...all,
      method: 'GET',
      path: PATH,
      operationId: 'listIntegrations',
      summary: 'Bots of chat platforms that the organization has brought, and the platforms that there are.',
      errors: ['forbidden'],
      responses: { 200: IntegrationList },
      async handle(_request, scope) {
        return { body: await bots.list(scope) };
      },
    },
    defineRoute({
      ...one,
      method: 'POST',
      path: `${PATH}/:chatapp/byot`,
      operationId: 'connectIntegration',
      summary:
        "Checks the token of the organization's own bot with the platform, and stores it in place of an earlier one.",
      errors: ['forbidden', 'not_found', 'configuration_error', 'invalid_bot_token', 'platform_unreachable'],
      body: BotBody,
      responses: { 200: Installed },
      async handle({ params, body }, scope) {
        return { body: await bots.connect(params.chatapp, body, scope) };
      },
    }),
    defineRoute({
      ...one,
      method: 'POST',
      path: `${PATH}/:chatapp/test`,
      operationId: 'testIntegration',
      summary: 'Asks the platform again whether the stored token works.',
      errors: ['forbidden', 'not_found', 'configuration_error', 'invalid_bot_token', 'platform_unreachable'],
      responses: { 200: BotTest },
      async handle({ params }, scope) {
        return { body: await bots.test(params.chatapp, scope) };
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      path: `${PATH}/:chatapp`,
      operationId: 'removeIntegration',
      summary: "Forgets the organization's bot; what the server itself sends with, if anything, is used again.",
      errors: ['forbidden', 'not_found'],
      responses: { 200: Success },
      async handle({ params }, scope) {
        await bots.remove(params.chatapp, scope);
        return SUCCEEDED;
      },
    }),
  ];
}
