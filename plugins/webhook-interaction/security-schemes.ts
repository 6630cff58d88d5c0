/** Describes how requests of channels carry credentials, for the description of the interface. */
import type { SecurityScheme } from '../http/index.ts';

export const SECURITY_SCHEMES: readonly SecurityScheme[] = [
  {
    name: 'webhookSecret',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Webhook-Secret',
      description: 'The secret of a channel with `authType: "api-key"`.',
    },
    isOwn: true,
  },
  {
    name: 'webhookSignature',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Webhook-Signature',
      description:
        'The hex HMAC-SHA256 of the request body, with the secret of a channel with `authType: "hmac"`; on a channel with a replay window of `X-Webhook-Timestamp`, a dot and the body.',
    },
    isOwn: true,
  },
];
