/** Declares the options. */
import { Type } from '../../kernel/index.ts';

export const ActionWebhookOptions = Type.Object(
  {
    secret: Type.Optional(
      Type.String({
        minLength: 16,
        description: 'signs the webhooks of actions: hex HMAC-SHA256 of `timestamp.body` in X-Atlas-Signature',
      }),
    ),
  },
  { additionalProperties: false },
);
