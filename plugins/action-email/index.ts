/** Brings the action of sending an e-mail. */
import { definePlugin, Type } from '../../kernel/index.ts';
import { defineAction } from '../actions/index.ts';
import { EmailAddress, EmailOptions, openMailer } from '../delivery-kit/index.ts';
import { requirePackages } from '../package-kit/index.ts';

const Email = Type.Object(
  {
    to: Type.Array(EmailAddress, { minItems: 1, maxItems: 20, uniqueItems: true, description: 'the recipients' }),
    subject: Type.String({ minLength: 1, maxLength: 200, description: 'the subject, one line' }),
    body: Type.String({ minLength: 1, maxLength: 50_000, description: 'the whole message as plain text' }),
  },
  { additionalProperties: false },
);

export const actionEmail = definePlugin({
  name: 'action-email',
  version: '1.0.0',
  type: 'action',
  description: 'Sends e-mails that the model asks for and a person approves.',
  options: EmailOptions,
  setup(ctx, options) {
    if (options.smtpUrl !== undefined) requirePackages(['nodemailer'], import.meta.url);
    const mailer = openMailer(options);
    defineAction(ctx, {
      type: 'email',
      tool: 'send_email',
      description: 'Sends an e-mail as plain text.',
      input: Email,
      approval: 'manual',
      reversible: false,
      describe: ({ to, subject }) => ({
        target: to.join(', '),
        summary: `Send an e-mail with the subject "${subject}" to ${to.length === 1 ? to[0] : `${to.length} recipients`}.`,
      }),
      run: ({ to, subject, body }, { key, scope }) => mailer.send({ to, subject, text: body, key }, scope.signal),
    });
  },
});
