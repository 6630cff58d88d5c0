/** Gets access tokens from Google by the optional package, which is loaded when the first is needed. */
import type { BigqueryTarget, ServiceKey } from '../url.ts';
import { NoToken } from './fault.ts';

const SCOPE = 'https://www.googleapis.com/auth/bigquery';
const GOOGLE = 'https://oauth2.googleapis.com/token';

type Auth = () => Promise<string | null | undefined>;

export class Tokens {
  readonly #key: ServiceKey | undefined;
  readonly #endpoint: URL | undefined;
  #auth: Promise<Auth> | undefined;

  constructor({ key, tokenEndpoint }: Pick<BigqueryTarget, 'key' | 'tokenEndpoint'>) {
    this.#key = key;
    this.#endpoint = tokenEndpoint;
  }

  /** The library keeps a token as long as it is good. Throws `NoToken`. */
  async token(): Promise<string> {
    this.#auth ??= this.#load();
    try {
      const token = await (await this.#auth)();
      if (typeof token === 'string' && token !== '') return token;
      throw new NoToken('Google gave no token');
    } catch (error) {
      // What was wrong may be put right where the place gives the credentials.
      this.#auth = undefined;
      throw error instanceof NoToken ? error : new NoToken('Google gave no token', { cause: error });
    }
  }

  async #load(): Promise<Auth> {
    const { GoogleAuth, JWT } = await import('google-auth-library');
    const endpoint = this.#endpoint;
    const options = endpoint !== undefined && {
      transporterOptions: {
        fetchImplementation: (input: Parameters<typeof fetch>[0], init?: RequestInit) =>
          fetch(String(input) === GOOGLE ? endpoint : input, init),
      },
    };
    if (this.#key === undefined) {
      const auth = new GoogleAuth({ scopes: SCOPE, ...(options && { clientOptions: options }) });
      return () => auth.getAccessToken();
    }
    const client = new JWT({ ...this.#key, scopes: [SCOPE], ...options });
    return async () => (await client.getAccessToken()).token;
  }
}
