/** Decides which headers leave: those that a user chose, and those that follow a redirect. */
// Not imported: the names that an import takes include those for which Node loads its WebSocket client, 50 ms at a start.
const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');

type Headers = Readonly<Record<string, string>>;

const MOST_USER_HEADERS = 50;
/** Those of one connection, those that carry credentials, and those that the client itself writes. */
const NOT_FOR_USERS =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|expect|proxy-.*|host|cookie|authorization|content-length|content-encoding)$/;
/** What another server than the first one may see: anything else may be a credential or a signature. */
const FOR_ANY_ORIGIN = /^(accept|content-type|user-agent)$/;
const ABOUT_THE_BODY = /^content-/;

/**
 * The headers of a user that may be sent, their names in lower case. Left out: headers of a connection, `Host`, `Cookie`,
 * `Authorization`, what describes the body's length, and what is not a valid name with a text.
 */
export function userHeaders(headers: Readonly<Record<string, unknown>> | undefined): Record<string, string> {
  const sent = Object.entries(headers ?? {})
    .slice(0, MOST_USER_HEADERS)
    .flatMap(([name, value]): [string, string][] =>
      isValid(name, value) ? [[name.toLowerCase(), value as string]] : [],
    );
  return Object.fromEntries(sent.filter(([name]) => !NOT_FOR_USERS.test(name)));
}

function isValid(name: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

export function redirectHeaders(headers: Headers, init: { isSameOrigin: boolean; keepsBody: boolean }): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([given]) => {
      const name = given.toLowerCase();
      return (init.isSameOrigin || FOR_ANY_ORIGIN.test(name)) && (init.keepsBody || !ABOUT_THE_BODY.test(name));
    }),
  );
}
