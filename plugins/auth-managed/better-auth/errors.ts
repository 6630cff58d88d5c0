/** From the authentication library's errors to Atlas': one code for each kind, and a sentence for people. */
import { AtlasError } from '../../../kernel/index.ts';
import { rejectedCredentials } from '../../auth-kit/index.ts';

interface LibraryError {
  readonly code?: unknown;
  readonly message?: unknown;
}

interface Kind {
  readonly code: string;
  readonly message?: string;
  readonly hint?: string;
}

const OWNERLESS: Kind = {
  code: 'forbidden',
  message: 'The only owner of an organization cannot leave it, be removed or get another role.',
  hint: 'An owner has to make another member owner first.',
};

const BY_CODE: Readonly<Record<string, Kind>> = {
  INVALID_EMAIL_OR_PASSWORD: {
    code: 'auth_error',
    message: 'The e-mail address or the password is wrong.',
    // Sign-up does not tell that an address is taken.
    hint: 'If you have just signed up, the address had an account already: use its password, or ask an administrator.',
  },
  BANNED_USER: { code: 'forbidden', message: 'This account is banned.', hint: 'Ask an administrator.' },
  INVALID_EMAIL: { code: 'validation_error', message: 'email must be a valid e-mail address.' },
  SESSION_NOT_FRESH: { code: 'forbidden', message: 'This needs a session of today.', hint: 'Sign in again.' },
  EMAIL_PASSWORD_SIGN_UP_DISABLED: {
    code: 'forbidden',
    message: 'Sign-up is disabled on this server.',
    hint: 'Ask an administrator.',
  },
  USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION: {
    code: 'forbidden',
    message: 'You do not belong to this organization.',
  },
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: OWNERLESS,
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER: OWNERLESS,
  PROVIDER_NOT_FOUND: { code: 'not_available', message: 'Sign-in with this provider is not configured.' },
};

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'auth_error',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  415: 'unsupported_media_type',
  422: 'validation_error',
  429: 'rate_limited',
};

function kindOf(status: number, code: string): string {
  if (status < 500 && code.endsWith('_NOT_FOUND')) return 'not_found';
  if (status < 500 && /(^|_)(ALREADY|TAKEN)(_|$)/.test(code)) return 'conflict';
  // The library has a 401 for some of these, and clients would end a session that is good.
  if (status < 500 && code.startsWith('YOU_ARE_NOT_ALLOWED_')) return 'forbidden';
  return BY_STATUS[status] ?? 'internal_error';
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** `body` is that of the library's answer with an error status. Its texts are written for clients. */
export function betterAuthError(status: number, body: unknown): AtlasError {
  const { code: given, message } = (typeof body === 'object' && body !== null ? body : {}) as LibraryError;
  const code = typeof given === 'string' ? given : '';
  const text = typeof message === 'string' && message !== '' ? message : `Authentication failed with status ${status}`;
  // The library's schemas say where: "[body.email] Invalid email address".
  const fault = /^\[(body|query)\.?([^\]]*)\] (.*)$/s.exec(text);
  if (fault !== null) {
    const [, part, path = '', why = ''] = fault;
    const where = path === '' ? '' : `${path}: `;
    return new AtlasError(asSentence(`The request is not valid: ${where}${why}`), {
      code: part === 'query' ? 'invalid_request' : 'validation_error',
      details: [{ path, message: why }],
      ...(code !== '' && { libraryCode: code }),
    });
  }
  const known = BY_CODE[code];
  const kind = known?.code ?? kindOf(status, code);
  return new AtlasError(asSentence(known?.message ?? text), {
    code: kind,
    reason: code === '' ? 'E_LIBRARY_REFUSED' : `E_${code}`,
    ...(code !== '' && { libraryCode: code }),
    ...(known?.hint !== undefined && { hint: known.hint }),
    ...(kind === 'validation_error' && { details: [{ path: code === 'INVALID_EMAIL' ? 'email' : '', message: text }] }),
  });
}

/** The refusal of a sign-in, as the library words it. */
export function wrongPassword(): AtlasError {
  return betterAuthError(401, { code: 'INVALID_EMAIL_OR_PASSWORD' });
}

/** The refusal of a session that is none, or none any more. */
export function sessionEnded(): AtlasError {
  return rejectedCredentials('The session is not valid or has ended.', 'Sign in again.');
}

/** Codes for what exists already, and for what belongs to something that has just been deleted. */
const LOST_RACES: readonly unknown[] = [
  '23505',
  '23503',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  'SQLITE_CONSTRAINT_FOREIGNKEY',
];

/** For what came out of the library that is no refusal: two requests that changed the same thing at the same moment. */
export function databaseFailure(error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown };
  if (!LOST_RACES.includes(code)) return error;
  return new AtlasError('Another request has just changed the same data.', {
    code: 'conflict',
    hint: 'Look at the current state, then try again.',
    cause: error,
  });
}
