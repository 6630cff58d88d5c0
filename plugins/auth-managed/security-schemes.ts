/** Describes how a user's requests carry the session. */
import type { SecurityScheme } from '../http/index.ts';

/** While a password has to be changed, all but that is `forbidden`. */
const errors = ['forbidden'];

export const SECURITY_SCHEMES: readonly SecurityScheme[] = [
  {
    name: 'session',
    scheme: {
      type: 'apiKey',
      in: 'cookie',
      name: 'authlib.session_token',
      description: 'The session of a browser. Over https the name begins with __Secure-.',
    },
    errors,
  },
  {
    name: 'sessionToken',
    scheme: { type: 'http', scheme: 'bearer', description: 'The token of a session, as sign-in answers it.' },
    errors,
  },
];
