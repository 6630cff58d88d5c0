/** Declares where the APIs of the chat platforms are. */
import { type Static, Type } from '../../kernel/index.ts';
import { SlackOptions } from '../delivery-kit/index.ts';

const apiUrl = (url: string, description: string) =>
  Type.String({ default: url, pattern: '^https?://[^\\s?#]+$', expected: 'an http or https URL', description });

export const AdminIntegrationsOptions = Type.Object(
  {
    slackApiUrl: SlackOptions.properties.apiUrl,
    discordApiUrl: apiUrl('https://discord.com/api/v10', 'base URL of the Discord API'),
    teamsApiUrl: apiUrl(
      'https://login.microsoftonline.com',
      'base URL of the service that gives bots of Microsoft Teams their tokens',
    ),
  },
  { additionalProperties: false },
);
export type AdminIntegrationsOptions = Static<typeof AdminIntegrationsOptions>;
