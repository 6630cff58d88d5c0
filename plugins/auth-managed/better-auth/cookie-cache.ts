/** The cookie in which a browser brings its session along, so that the database need not be asked. */
import { COOKIE_PREFIX } from './instance.ts';

/** A long one comes in numbered pieces. */
const CACHE = new RegExp(`^\\s*${COOKIE_PREFIX}\\.session_data(?:\\.(\\d{1,4}))?=(.*)$`);
const ENCODED = /^[\w-]+$/;
/** HMAC-SHA256 in base64url. */
const SIGNATURE = /^[\w-]{43}=?$/;

/** The cookies without that one where it is not even well-formed: the library fails on it instead of asking anew. */
export function withoutBrokenCache(cookie: string): string {
  const pairs = cookie.split(';');
  const pieces = pairs.flatMap((pair) => {
    const [, index = '0', value = ''] = CACHE.exec(pair) ?? [];
    return CACHE.test(pair) ? [{ index: Number(index), value: value.trim() }] : [];
  });
  if (pieces.length === 0) return cookie;
  pieces.sort((a, b) => a.index - b.index);
  if (isWellFormed(pieces.map(({ value }) => value).join(''))) return cookie;
  return pairs.filter((pair) => !CACHE.test(pair)).join(';');
}

function isWellFormed(value: string): boolean {
  if (!ENCODED.test(value)) return false;
  try {
    const cache: unknown = JSON.parse(Buffer.from(value, 'base64url').toString());
    const { session, signature } = (cache ?? {}) as { session?: unknown; signature?: unknown };
    return typeof session === 'object' && session !== null && SIGNATURE.test(String(signature));
  } catch {
    return false;
  }
}
