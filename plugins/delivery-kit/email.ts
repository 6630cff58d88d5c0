/** Sends e-mail over SMTP with nodemailer, which is loaded with the first message. */
import type { Transporter } from 'nodemailer';
import { type Static, Type } from '../../kernel/index.ts';
import { truncate } from '../text-kit/index.ts';
import type { EmailContent } from './email-report.ts';
import { DeliveryError, notConfigured } from './errors.ts';
import { cellText } from './text-layout.ts';

export const EmailOptions = Type.Object(
  {
    smtpUrl: Type.Optional(
      Type.String({
        pattern: '^smtps?://[^\\s]+$',
        expected: 'a URL that begins with smtp: or smtps:',
        description: 'mail server: "smtp://user:password@host:587", or smtps: for TLS from the start',
      }),
    ),
    from: Type.Optional(
      Type.String({
        pattern: '^[^\\r\\n]*[^\\s@<>]+@[^\\s@<>]+>?$',
        expected: 'an e-mail address, such as Atlas <atlas@example.com>',
        description: 'sender of every e-mail, such as Atlas <atlas@example.com>',
      }),
    ),
  },
  { additionalProperties: false },
);

export type EmailOptions = Static<typeof EmailOptions>;

/** One address without a display name. */
export const EmailAddress = Type.String({
  pattern: '^[^\\s@<>(),:;"\\[\\]\\\\]+@[^\\s@<>(),:;"\\[\\]\\\\]+$',
  maxLength: 254,
  description: 'an e-mail address, such as ops@example.com',
});

export interface EmailMessage extends EmailContent {
  /** Valid addresses by `EmailAddress`. */
  readonly to: readonly string[];
  /** The same at every try; the `Message-ID` is made of it. */
  readonly key: string;
}

export interface SentEmail {
  readonly messageId: string;
  readonly accepted: readonly string[];
  readonly rejected: readonly string[];
}

export interface Mailer {
  /** Rejects with a `DeliveryError`. Resolves when the server took the message for one recipient at least. */
  send(message: EmailMessage, signal: AbortSignal): Promise<SentEmail>;
}

const TIMEOUT_MS = 20_000;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export function openMailer({ smtpUrl, from }: EmailOptions): Mailer {
  let connected: Promise<Transporter> | undefined;
  return {
    async send({ to, subject, text, html, pictures = [], key }, signal) {
      if (smtpUrl === undefined || from === undefined) {
        throw notConfigured('E-mail', ['SVC_SMTP_URL', 'SVC_EMAIL_FROM']);
      }
      connected ??= connect(smtpUrl);
      const transporter = await connected;
      try {
        const { messageId, accepted, rejected } = await transporter.sendMail({
          from,
          to: to.map((address) => ({ name: '', address })),
          subject: cellText(subject),
          text,
          ...(html !== undefined && { html }),
          attachments: pictures.map(({ cid, png }) => ({
            cid,
            filename: `${cid.replace(/@.*/, '')}.png`,
            contentType: 'image/png',
            contentDisposition: 'inline' as const,
            content: Buffer.from(png),
          })),
          messageId: `<${key}@${domainOf(from)}>`,
          // RFC 3834: keeps automatic answers away.
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal,
        });
        return { messageId, accepted: addressesOf(accepted), rejected: addressesOf(rejected) };
      } catch (error) {
        signal.throwIfAborted();
        throw failureOf(error as SmtpError);
      }
    },
  };
}

async function connect(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    // Messages are made of texts; none of them may name a file or a URL to be read.
    disableFileAccess: true,
    disableUrlAccess: true,
    // A relay on the same machine rarely has a certificate of an authority.
    ...(LOOPBACK.test(URL.parse(url)?.hostname ?? '') && { tls: { rejectUnauthorized: false } }),
  }) as Transporter;
}

const domainOf = (from: string) => /@([^\s@<>]+)>?$/.exec(from)?.[1] ?? 'localhost';

const addressesOf = (list: readonly (string | { address: string })[] | undefined) =>
  (list ?? []).map((item) => (typeof item === 'string' ? item : item.address));

interface SmtpError extends Error {
  readonly code?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/** 5xx of the server is final, and what is wrong with the message or the login; 4xx and lost connections are not. */
function failureOf(error: SmtpError): DeliveryError {
  const { code, response, responseCode } = error;
  const final =
    responseCode === undefined ? /^(EENVELOPE|EMESSAGE|EAUTH|ENOAUTH|ECONFIG)$/.test(code ?? '') : responseCode >= 500;
  const message =
    response === undefined
      ? `The mail server could not be used${code === undefined ? '' : ` (${code})`}.`
      : `The mail server answered: ${truncate(cellText(response).replace(/[\s.]+$/, ''), 200)}.`;
  return new DeliveryError(message, { final, cause: error });
}
