/** Which pages a browser lets call Atlas, and what it lets them send and read. */
import type { IncomingHttpHeaders } from 'node:http';
import { AtlasError } from '../../kernel/index.ts';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const SENDABLE = ['Authorization', 'X-API-Key', 'Content-Type', 'x-request-id'];
const READABLE = 'Retry-After, x-conversation-id, x-request-id';
/** How long a browser may keep the answer to a preflight. */
const MAX_AGE_SECONDS = 600;

/** The headers for one answer. A page of an origin that is not allowed gets none that lets it in. */
export type Cors = (method: string | undefined, headers: IncomingHttpHeaders) => Record<string, string>;

/** As a browser writes it: no path, no default port, lower case. Schemes of apps stay as they are. */
function originOf(text: string): string {
  if (!URL.canParse(text)) {
    throw new AtlasError(`"${text}" in corsOrigins is not an origin.`, {
      code: 'configuration_error',
      reason: 'E_HTTP_CORS_ORIGIN',
      hint: 'Write it like https://app.example.com, without a path.',
    });
  }
  const { origin } = new URL(text);
  return origin === 'null' ? text.replace(/\/$/, '') : origin;
}

/** What the page asks to send, beside what it may send in any case. */
function sendable(asked: string | undefined): string {
  const names = (asked ?? '').split(',').map((name) => name.trim());
  const known = SENDABLE.map((name) => name.toLowerCase());
  const others = names.filter((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !known.includes(name.toLowerCase()));
  return [...SENDABLE, ...others].join(', ');
}

/**
 * Without origins, or with `*`, every page may call, without credentials; with origins only theirs, and with them.
 * Throws `configuration_error` for what is no origin.
 */
export function corsFor(origins: readonly string[]): Cors {
  const open = origins.length === 0 || origins.includes('*');
  const allowed = new Set(open ? [] : origins.map(originOf));
  return (method, headers) => {
    const { origin } = headers;
    const vary: string[] = open ? [] : ['Origin'];
    const answer: Record<string, string> = {};
    if (open || (origin !== undefined && allowed.has(origin))) {
      answer['access-control-allow-origin'] = open ? '*' : (origin as string);
      if (!open) answer['access-control-allow-credentials'] = 'true';
      if (method === 'OPTIONS') {
        vary.push('Access-Control-Request-Headers');
        answer['access-control-allow-methods'] = METHODS;
        answer['access-control-allow-headers'] = sendable(headers['access-control-request-headers']);
        answer['access-control-max-age'] = String(MAX_AGE_SECONDS);
      } else {
        answer['access-control-expose-headers'] = READABLE;
      }
    }
    if (vary.length > 0) answer.vary = vary.join(', ');
    return answer;
  };
}
