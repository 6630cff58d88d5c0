/** Defines the hook that shows a delivery without sending it. */
import { type Delivery, keyed } from '../../kernel/index.ts';

/** What would be sent: `subject`, `html` and `text` of an e-mail, `text` and `blocks` for Slack, `body` of a webhook. */
export type DeliveryPreview = object;

export const deliverPreview = keyed<Delivery, DeliveryPreview>('deliver.preview', {
  summary: 'Renders a report as it would be sent, without sending it; the key is the channel.',
});
