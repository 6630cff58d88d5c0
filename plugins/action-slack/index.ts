/** Brings the action of posting a message to Slack. */
import { definePlugin, Type } from '../../kernel/index.ts';
import { defineAction } from '../actions/index.ts';
import { escapedForSlack, openSlack, SlackOptions } from '../delivery-kit/index.ts';

const Message = Type.Object(
  {
    channel: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'id of the channel, such as C024BE91L, or its name, such as #reports',
    }),
    text: Type.String({ minLength: 1, maxLength: 4_000, description: 'the whole message' }),
  },
  { additionalProperties: false },
);

export const actionSlack = definePlugin({
  name: 'action-slack',
  version: '1.0.0',
  type: 'action',
  description: 'Posts messages to Slack that the model asks for and a person approves.',
  options: SlackOptions,
  setup(ctx, options) {
    const slack = openSlack(ctx, options);
    defineAction(ctx, {
      type: 'slack',
      tool: 'post_to_slack',
      description: 'Posts a message to a Slack channel.',
      input: Message,
      approval: 'manual',
      reversible: false,
      describe: ({ channel, text }) => ({ target: channel, summary: `Post to Slack in ${channel}: ${text}` }),
      run: ({ channel, text }, { key, scope }) => slack.post({ channel, text: escapedForSlack(text), key }, scope),
    });
  },
});
