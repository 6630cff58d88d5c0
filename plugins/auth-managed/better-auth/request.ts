/** Builds the request that the authentication library sees, from what the endpoint declares. */
import type { TObject } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AtlasError, type RouteRequest } from '../../../kernel/index.ts';
import { withoutBrokenCache } from './cookie-cache.ts';
import type { Endpoint } from './endpoint.ts';
import { BASE_PATH, CLIENT_IP_HEADER } from './instance.ts';

/** The library stores the user agent; a token and its signature are far shorter. */
const MAX_HEADER_CHARACTERS = 1_024;

/** What the library needs to know of a request. What a proxy or a client says about addresses it does not. */
const PASSED_ON = ['authorization', 'cookie', 'user-agent', 'accept-language'];

/** Only what the endpoint declares: nothing else that the library would understand has been reviewed. */
export function libraryRequest(endpoint: Endpoint, { params, query, body, headers, ip }: RouteRequest): Request {
  const { method, path } = endpoint;
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const url = new URL(`http://localhost${BASE_PATH}${filled}`);
  const declared = Object.keys((endpoint.query as TObject | undefined)?.properties ?? {});
  for (const name of declared) if (query[name] !== undefined) url.searchParams.set(name, String(query[name]));
  const passed = new Headers({ [CLIENT_IP_HEADER]: ip });
  for (const name of PASSED_ON) {
    const value = headers[name];
    // A token goes before the cookie, also where it is not good.
    const beside = name === 'cookie' && headers.authorization !== undefined;
    if (typeof value !== 'string' || beside) continue;
    passed.set(name, name === 'cookie' ? withoutBrokenCache(value) : value.slice(0, MAX_HEADER_CHARACTERS));
  }
  if (method === 'GET' || method === 'DELETE') return new Request(url, { method, headers: passed });
  passed.set('content-type', 'application/json');
  const declaredBody = endpoint.body === undefined ? {} : Value.Clean(endpoint.body, body);
  const withoutPrototype = (name: string, value: unknown) => (name === '__proto__' ? undefined : value);
  return new Request(url, { method, headers: passed, body: JSON.stringify(declaredBody, withoutPrototype) });
}

/** Where a browser is sent afterwards. */
const ADDRESSES = ['callbackURL', 'newUserCallbackURL', 'errorCallbackURL'];

/** Throws `invalid_request` for an address that no header can carry, before anything has been done. */
export function checkAddresses(body: unknown): void {
  for (const name of ADDRESSES) {
    const address = (body as Readonly<Record<string, unknown>> | undefined)?.[name];
    if (address === undefined || (typeof address === 'string' && /^[\x21-\x7e]+$/.test(address))) continue;
    throw new AtlasError(`${name} must be a URL in ASCII characters without spaces.`, {
      code: 'invalid_request',
      libraryCode: 'INVALID_CALLBACK_URL',
      hint: 'Write other characters percent-encoded, and other host names in Punycode.',
    });
  }
}
