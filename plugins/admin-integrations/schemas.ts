/** Describes bots of chat platforms. */
import { type Static, Type } from '@sinclair/typebox';
import { orNull } from '../admin-kit/index.ts';

const visible = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[\\x21-\\x7e]+$',
    errorMessage: `must be a text of 1 to ${maxLength} visible ASCII characters`,
    description,
  });

export const PlatformParams = Type.Object({
  chatapp: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Name of the platform: `slack`, `discord`, `teams`.',
  }),
});

export const BotBody = Type.Object(
  {
    botToken: visible(4_096, 'Token of the bot; of Microsoft Teams the client secret of its app.'),
    applicationId: visible(256, 'Id of the app at the platform.'),
    publicKey: visible(1_024, 'Key with which the platform signs; of Slack the signing secret.'),
  },
  { additionalProperties: false, title: 'ChatBot' },
);

export const Installed = Type.Object({ message: Type.String(), botUsername: Type.String() });

export const Integration = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    orgId: orNull(Type.String()),
    platform: Type.String(),
    applicationId: Type.String(),
    botUsername: Type.String(),
    botTokenMasked: Type.String(),
    createdBy: orNull(Type.String()),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'ChatIntegration' },
);
export type Integration = Static<typeof Integration>;

export const IntegrationList = Type.Object({
  integrations: Type.Array(Integration),
  platforms: Type.Array(Type.String(), { description: 'Those for which a bot can be brought.' }),
});

export const BotTest = Type.Object(
  {
    status: Type.Literal('ok'),
    botUsername: Type.String(),
    latencyMs: Type.Integer(),
    checkedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'ChatBotTest' },
);
