/** Posts reports of scheduled questions to webhooks, signed where the recipient has a secret. */
import { definePlugin, Type } from '../../kernel/index.ts';
import { defineChannel, postWebhook } from '../delivery-kit/index.ts';
import { outbound } from '../outbound/index.ts';

const Recipient = Type.Object({
  url: Type.String({ minLength: 1 }),
  headers: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  secret: Type.Optional(Type.String()),
});

export const deliverWebhook = definePlugin({
  name: 'deliver-webhook',
  version: '1.0.0',
  type: 'delivery',
  description: 'Posts reports of scheduled questions to webhooks.',
  needs: { outbound },
  setup(ctx, _options, needs) {
    defineChannel(ctx, {
      channel: 'webhook',
      recipient: Recipient,
      render: (_subject, report) => ({ body: report }),
      send: ({ body }, { url, headers, secret }, { key, signal }) =>
        postWebhook(needs.outbound, { url, headers, secret, body: JSON.stringify(body), key, now: ctx.now(), signal }),
    });
  },
});
