/** An identity provider: a real HTTP server that gives its keys, rotates them and can be away. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export const NOW = new Date('2026-01-15T12:00:00Z');
export const NOW_SECONDS = NOW.getTime() / 1000;

export interface IssuerKey {
  readonly kid: string | undefined;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

export async function makeKey(kid: string | undefined, alg = 'RS256'): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), alg, use: 'sig', ...(kid !== undefined && { kid }) };
  return { kid, alg, privateKey, publicKey, jwk };
}

export class Issuer {
  /** What is served; anything but a key set makes it a broken issuer. A function gives it piece by piece. */
  served: { status?: number; body: unknown } = { body: {} };
  fetches = 0;
  /** Milliseconds before it answers. */
  delayMs = 0;
  readonly #server = createServer((_request, response) => {
    this.fetches += 1;
    const { status = 200, body } = this.served;
    const timer = setTimeout(() => {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close', location: '/other' });
      if (typeof body === 'function')
        return void Readable.from(body())
          .on('error', () => {})
          .pipe(response);
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    }, this.delayMs);
    response.on('close', () => clearTimeout(timer));
  }).on('connection', (socket) => {
    if (this.#isAway) socket.destroy();
  });
  #isAway = false;
  url = '';

  static async start(...keys: readonly IssuerKey[]): Promise<Issuer> {
    const issuer = new Issuer();
    issuer.serve(...keys);
    await new Promise<void>((resolve) => issuer.#server.listen(0, '127.0.0.1', resolve));
    issuer.url = `http://127.0.0.1:${(issuer.#server.address() as AddressInfo).port}`;
    return issuer;
  }

  get jwksUrl(): string {
    return `${this.url}/.well-known/jwks.json`;
  }

  serve(...keys: readonly IssuerKey[]): void {
    this.served = { body: { keys: keys.map(({ jwk }) => jwk) } };
  }

  /** From now on it ends each connection as soon as it is made. It keeps its port, so that no other process can take it. */
  away(): void {
    this.#isAway = true;
    this.#server.closeAllConnections();
  }

  back(): void {
    this.#isAway = false;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** A token as the issuer would sign it, with these claims instead; `undefined` leaves one out. */
export function sign(key: IssuerKey, claims: JWTPayload = {}, header: Record<string, unknown> = {}): Promise<string> {
  const payload = {
    iss: 'https://id.example.com/',
    aud: 'atlas',
    sub: 'ann',
    iat: NOW_SECONDS,
    exp: NOW_SECONDS + 300,
  };
  const merged = Object.entries({ ...payload, ...claims }).filter(([, value]) => value !== undefined);
  const protectedHeader = { alg: key.alg, ...(key.kid !== undefined && { kid: key.kid }), ...header };
  return new SignJWT(Object.fromEntries(merged)).setProtectedHeader(protectedHeader).sign(key.privateKey);
}

const encode = (part: string | object) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

/** A token put together by hand; `signature` gets what would be signed. */
export function forge(
  header: string | object,
  claims: string | object,
  signature: (input: string) => string | Buffer = () => '',
): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${Buffer.from(signature(input)).toString('base64url')}`;
}
