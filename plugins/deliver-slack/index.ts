/** Posts reports of scheduled questions to Slack. */
import { definePlugin, Type } from '../../kernel/index.ts';
import { defineChannel, openSlack, renderSlack, SlackOptions } from '../delivery-kit/index.ts';

export const deliverSlack = definePlugin({
  name: 'deliver-slack',
  version: '1.0.0',
  type: 'delivery',
  description: 'Posts reports of scheduled questions to Slack.',
  options: SlackOptions,
  setup(ctx, options) {
    const slack = openSlack(ctx, options);
    defineChannel(ctx, {
      channel: 'slack',
      recipient: Type.Object({ channel: Type.String({ minLength: 1, maxLength: 255 }) }),
      render: renderSlack,
      hasPictures: true,
      send: (message, { channel }, { key, scope }) => slack.post({ ...message, channel, key }, scope),
    });
  },
});
