/** Defines the hooks that show a delivery without sending it, and that say with which bot to send. */
import { type Delivery, first, keyed } from '../../kernel/index.ts';

/** What would be sent: `subject`, `html` and `text` of an e-mail, `text` and `blocks` for Slack, `body` of a webhook. */
export type DeliveryPreview = object;

export const deliverPreview = keyed<Delivery, DeliveryPreview>('deliver.preview', {
  summary: 'Renders a report as it would be sent, without sending it; the key is the channel.',
});

export const chatCredentials = first<{ readonly platform: string }, { readonly botToken: string }>('chat.credentials', {
  summary: "The organization's own bot of a chat platform, such as `slack`; without one the server's is used.",
});
