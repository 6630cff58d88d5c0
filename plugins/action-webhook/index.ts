/** Brings the action of posting JSON to a webhook. */
import { actionRequest, definePlugin, Type } from '../../kernel/index.ts';
import { defineAction } from '../actions/index.ts';
import { postWebhook } from '../delivery-kit/index.ts';
import { outbound } from '../outbound/index.ts';
import { ActionWebhookOptions } from './options.ts';

const TYPE = 'webhook';

const Call = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2_000, description: 'an http or https URL on the public internet' }),
    body: Type.Object({}, { additionalProperties: true, description: 'the JSON object that is sent' }),
  },
  { additionalProperties: false },
);

/** What follows the path may hold a secret. */
const withoutQuery = (url: string) => url.replace(/[?#].*$/, '');

export const actionWebhook = definePlugin({
  name: 'action-webhook',
  version: '1.0.0',
  type: 'action',
  description: 'Posts JSON to webhooks that the model asks for and a person approves.',
  needs: { outbound },
  options: ActionWebhookOptions,
  setup(ctx, { secret }, needs) {
    // Refused when it is asked for, so that no one is asked to approve what cannot be done.
    ctx.tap(actionRequest, async ({ type, payload }) => {
      if (type === TYPE) await needs.outbound.check((payload as { url: string }).url);
      return undefined;
    });
    defineAction(ctx, {
      type: TYPE,
      tool: 'call_webhook',
      description: 'Posts a JSON object to a webhook, a URL of another system.',
      input: Call,
      approval: 'manual',
      reversible: false,
      describe: ({ url, body }) => ({
        target: withoutQuery(url),
        summary: `Post JSON with the fields ${Object.keys(body).join(', ') || '(none)'} to ${withoutQuery(url)}.`,
      }),
      run: async ({ url, body }, { key, scope: { signal } }) => ({
        status: await postWebhook(needs.outbound, {
          url,
          secret,
          body: JSON.stringify(body),
          key,
          now: ctx.now(),
          signal,
        }),
      }),
    });
  },
});
