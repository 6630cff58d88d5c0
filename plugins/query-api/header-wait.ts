/** Proxies and clients give up on a server that stays silent: headers must leave within a second. Tests set another wait. */
export const HEADERS_WITHIN_MS = 900;
