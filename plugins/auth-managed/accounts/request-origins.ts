/** Refuses cross-site request forgery: requests that a foreign web page makes with a user's cookie. */
import { AtlasError } from '../../../kernel/index.ts';

export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

function one(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What browsers send for a page without an origin, such as a sandboxed frame. */
const OPAQUE = 'null';

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? OPAQUE;
}

export class Origins {
  readonly #trusted: ReadonlySet<string>;
  readonly #secure: boolean;

  /** `url` is the public address of the API. */
  constructor(url: string | undefined, trusted: readonly string[]) {
    const origins = [...(url === undefined ? [] : [url]), ...trusted].map(originOf);
    // What has no origin must not make pages trusted that hide theirs: any page can be shown in such a frame.
    this.#trusted = new Set(origins.filter((origin) => origin !== OPAQUE));
    this.#secure = url?.startsWith('https:') === true;
  }

  /**
   * Throws `forbidden` for a request that changes something and comes from a page that is not trusted. What names no
   * origin at all is no browser: browsers do for every such request to another site.
   */
  check(method: string, headers: RequestHeaders): void {
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
    // An empty one names a page, though an unknown one.
    const origin = headers.origin === '' ? '' : one(headers, 'origin');
    const referer = one(headers, 'referer');
    if (origin !== undefined || referer !== undefined) {
      if (this.#allows(origin ?? originOf(referer ?? ''), headers)) return;
    } else {
      const site = one(headers, 'sec-fetch-site');
      if (site === undefined || site === 'same-origin' || site === 'none') return;
    }
    throw new AtlasError('The request comes from a web page that may not change anything here.', {
      code: 'forbidden',
      reason: 'E_ORIGIN_UNTRUSTED',
      hint: 'Name its origin in AUTHLIB_TRUSTED_ORIGINS, and the public address of the API in AUTHLIB_URL.',
    });
  }

  #allows(origin: string, headers: RequestHeaders): boolean {
    if (this.#trusted.has(origin)) return true;
    const page = URL.parse(origin);
    const own = page !== null && page.host === one(headers, 'host')?.toLowerCase();
    // A page without TLS could have been changed on its way.
    return own && (page.protocol === 'https:' || !this.#secure);
  }
}
