/** Brings the action of opening a ticket with the help desk. */
import { AtlasError, definePlugin, Type } from 'atlas-query';
import { defineAction } from 'atlas-query/plugins/actions';
import { outbound } from 'atlas-query/plugins/outbound';

const Ticket = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: 200, description: 'what the ticket is about' }),
    text: Type.String({ minLength: 1, maxLength: 4_000, description: 'the figures, and what should be done' }),
  },
  { additionalProperties: false },
);

export const actionTicket = definePlugin({
  name: 'action-ticket',
  version: '1.0.0',
  type: 'action',
  description: 'Opens tickets with the help desk.',
  needs: { outbound },
  options: Type.Object(
    { url: Type.String({ minLength: 1, description: 'URL that takes tickets as JSON by POST' }) },
    { additionalProperties: false },
  ),
  setup(ctx, { url }, needs) {
    defineAction(ctx, {
      type: 'ticket',
      tool: 'open_ticket',
      description: 'Opens a ticket with the help desk.',
      input: Ticket,
      approval: 'manual',
      reversible: false,
      describe: ({ title }) => ({ target: 'help desk', summary: `Open the ticket "${title}".` }),
      async run(ticket, { key, scope }) {
        const { status } = await needs.outbound.fetch({
          url,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify(ticket),
          signal: scope.signal,
        });
        if (status >= 200 && status < 300) return { status };
        throw new AtlasError(`The help desk answered with the status ${status}.`, { code: 'unavailable' });
      },
    });
  },
});
