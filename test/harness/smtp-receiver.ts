/** Starts an SMTP server on loopback that keeps the messages it gets. */
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedEmail {
  readonly from: string;
  readonly to: readonly string[];
  /** Unfolded; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded bodies by content type: `text/plain`, `text/html`. */
  readonly parts: Readonly<Record<string, string>>;
  readonly raw: string;
}

export interface SmtpReceiver extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly received: ReceivedEmail[];
}

/** `options` are the library's: `onRcptTo` to refuse recipients, `onAuth` for a login. */
export async function startSmtpReceiver(options: SMTPServerOptions = {}): Promise<SmtpReceiver> {
  const received: ReceivedEmail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData(stream, { envelope }, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope;
        const from = mailFrom === false || mailFrom === undefined ? '' : mailFrom.address;
        received.push(
          emailOf(
            from,
            rcptTo.map(({ address }) => address),
            Buffer.concat(pieces).toString(),
          ),
        );
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', () => ready()));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    received,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

function emailOf(from: string, to: readonly string[], raw: string): ReceivedEmail {
  const { headers, body } = entityOf(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1];
  const entities =
    boundary === undefined
      ? [{ headers, body }]
      : body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((part) => entityOf(part.trimStart()));
  const parts = entities.map((part) => [part.headers['content-type']?.split(';')[0] ?? 'text/plain', decoded(part)]);
  return { from, to, headers, parts: Object.fromEntries(parts), raw };
}

interface Entity {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function entityOf(text: string): Entity {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]);
  return { headers: Object.fromEntries(headers), body: rest.join('\r\n\r\n') };
}

function decoded({ headers, body }: Entity): string {
  const encoding = headers['content-transfer-encoding']?.toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
