/** Shared parts of deliveries and of the actions that send: reports, rendering, senders, errors. */
export { type Channel, defineChannel, type Sending } from './channel.ts';
export { EmailAddress, type EmailMessage, EmailOptions, type Mailer, openMailer, type SentEmail } from './email.ts';
export { type EmailContent, renderEmail } from './email-report.ts';
export { DeliveryError, type DeliveryErrorInit, deliveryErrorOf, notConfigured } from './errors.ts';
export { chatCredentials, type DeliveryPreview, deliverPreview } from './hooks.ts';
export { type Dataset, datasetOf, MAX_REPORT_ROWS, Report, reportOf, reportSubject } from './report.ts';
export { openSlack, type Slack, type SlackMessage, SlackOptions } from './slack.ts';
export { escapedForSlack, renderSlack, type SlackContent } from './slack-report.ts';
export { postWebhook, type WebhookCall, webhookSignature } from './webhook.ts';
