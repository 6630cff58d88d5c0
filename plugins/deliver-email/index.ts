/** Sends reports of scheduled questions, and notices such as invitations, by e-mail. */
import { definePlugin, Type } from '../../kernel/index.ts';
import {
  defineChannel,
  EmailAddress,
  type EmailContent,
  EmailOptions,
  openMailer,
  renderEmail,
} from '../delivery-kit/index.ts';
import { requirePackages } from '../package-kit/index.ts';

export interface DeliverEmail {
  /** Whether there is a mail server to send through. */
  readonly isConfigured: boolean;
}

export const deliverEmail = definePlugin({
  name: 'deliver-email',
  version: '1.0.0',
  type: 'delivery',
  description: 'Sends reports of scheduled questions by e-mail.',
  options: EmailOptions,
  setup(ctx, options): DeliverEmail {
    if (options.smtpUrl !== undefined) requirePackages(['nodemailer'], import.meta.url);
    const mailer = openMailer(options);
    defineChannel(ctx, {
      channel: 'email',
      recipient: Type.Object({ address: EmailAddress }),
      render: renderEmail,
      hasPictures: true,
      renderNotice: (subject, { text }): EmailContent => ({ subject, text }),
      send: (message, { address }, { key, signal }) => mailer.send({ ...message, to: [address], key }, signal),
    });
    return { isConfigured: options.smtpUrl !== undefined && options.from !== undefined };
  },
});
