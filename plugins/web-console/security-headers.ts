/** Declares the headers of every page and file of the console. */

/**
 * Nothing of another origin is loaded or asked, no inline script or style runs, and no text becomes HTML or script, except
 * where the library with the policy named `trustedTypes` makes it.
 */
const contentSecurityPolicy = (trustedTypes: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes}`,
  ].join('; ');

export const FILE_HEADERS = { 'x-content-type-options': 'nosniff' };

export const PAGE_HEADERS = {
  ...FILE_HEADERS,
  'content-security-policy': contentSecurityPolicy("'none'"),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/** Vue shows the texts of its templates, which are those of the build, as HTML. */
export const DOCUMENTATION_HEADERS = { ...PAGE_HEADERS, 'content-security-policy': contentSecurityPolicy('vue') };
