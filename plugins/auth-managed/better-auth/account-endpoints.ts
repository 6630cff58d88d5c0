/** Sign-up, sign-in, sessions and one's own account. */
import { Type } from '@sinclair/typebox';
import { DeclaredPassword, GivenPassword } from '../passwords/password-length.ts';
import { Done, Email, type Endpoint, Id, Name, Picture, Session, Url, User } from './endpoint.ts';

const FromProvider = Type.Optional(Type.String({ description: 'what the provider says' }));
const RememberMe = Type.Optional(
  Type.Boolean({ description: 'false: the session ends with the browser, or after a day' }),
);

export const accountEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/sign-up/email',
    summary: 'Create an account',
    right: 'public',
    // Nothing else is taken: role and the like are not for the person who signs up to say.
    body: Type.Object(
      {
        email: Email,
        password: DeclaredPassword,
        name: Name,
        image: Type.Optional(Picture),
        callbackURL: Type.Optional(Url),
        rememberMe: RememberMe,
      },
      { additionalProperties: false },
    ),
    reply: Type.Object({ token: Type.Union([Type.String(), Type.Null()]), user: User }),
    errors: ['conflict', 'overloaded'],
  },
  {
    method: 'POST',
    path: '/sign-in/email',
    summary: 'Sign in with e-mail address and password',
    right: 'public',
    body: Type.Object({
      email: Email,
      password: GivenPassword,
      callbackURL: Type.Optional(Url),
      rememberMe: RememberMe,
    }),
    reply: Type.Object({
      redirect: Type.Boolean(),
      token: Type.String(),
      url: Type.Optional(Type.String()),
      user: User,
    }),
    errors: ['auth_error', 'conflict', 'overloaded'],
  },
  {
    method: 'POST',
    path: '/sign-out',
    summary: 'End the session',
    right: 'public',
    body: Type.Object(
      { callbackURL: Type.Optional(Url), disableRedirect: Type.Optional(Type.Boolean()) },
      { default: {}, errorMessage: 'must be a JSON object' },
    ),
    reply: Type.Object({ success: Type.Boolean() }),
  },
  {
    method: 'GET',
    path: '/get-session',
    summary: 'The current session and its user, or null',
    right: 'public',
    query: Type.Object({
      disableCookieCache: Type.Optional(Type.Boolean({ description: 'true: ask the database' })),
      disableRefresh: Type.Optional(Type.Boolean({ description: 'true: do not renew the session' })),
    }),
    reply: Type.Union([Type.Object({ session: Session, user: User }), Type.Null()]),
    errors: ['ip_not_allowed'],
  },
  {
    method: 'GET',
    path: '/list-sessions',
    summary: 'Your sessions',
    right: 'self',
    area: 'account',
    reply: Type.Array(Session),
  },
  {
    method: 'POST',
    path: '/revoke-session',
    summary: 'End one of your sessions',
    right: 'self',
    body: Type.Object({
      token: Type.String({ minLength: 1, maxLength: 256, description: 'as list-sessions gives it' }),
    }),
    reply: Done,
  },
  { method: 'POST', path: '/revoke-sessions', summary: 'End all of your sessions', right: 'self', reply: Done },
  {
    method: 'POST',
    path: '/revoke-other-sessions',
    summary: 'End all of your sessions but this one',
    right: 'self',
    reply: Done,
  },
  {
    method: 'POST',
    path: '/update-user',
    summary: 'Change your name or picture',
    right: 'self',
    body: Type.Object(
      { name: Type.Optional(Name), image: Type.Optional(Type.Union([Picture, Type.Null()])) },
      { additionalProperties: false },
    ),
    reply: Done,
  },
  {
    method: 'GET',
    path: '/ok',
    summary: 'Whether authentication is mounted',
    right: 'public',
    reply: Type.Object({ ok: Type.Boolean() }),
  },
  {
    method: 'POST',
    path: '/sign-in/social',
    summary: 'Begin to sign in with Google, GitHub or Microsoft',
    right: 'public',
    body: Type.Object({
      provider: Type.Union([Type.Literal('google'), Type.Literal('github'), Type.Literal('microsoft')]),
      callbackURL: Type.Optional(Url),
      newUserCallbackURL: Type.Optional(Url),
      errorCallbackURL: Type.Optional(Url),
      disableRedirect: Type.Optional(Type.Boolean()),
    }),
    reply: Type.Object({ url: Type.String(), redirect: Type.Boolean() }),
    social: true,
  },
  {
    method: 'GET',
    path: '/callback/:id',
    summary: 'Where a social provider sends the browser back to',
    right: 'public',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      code: FromProvider,
      state: FromProvider,
      error: FromProvider,
      error_description: FromProvider,
      device_id: FromProvider,
      user: FromProvider,
      iss: FromProvider,
    }),
    reply: Type.Unknown(),
    status: 302,
    social: true,
  },
  {
    method: 'GET',
    path: '/error',
    summary: 'What went wrong at a social or identity provider',
    right: 'public',
    query: Type.Object({ error: FromProvider, error_description: FromProvider }),
    reply: Type.String({ contentMediaType: 'text/html' }),
  },
  {
    method: 'GET',
    path: '/list-accounts',
    summary: 'The ways in which you can sign in',
    right: 'self',
    reply: Type.Array(Type.Object({ id: Type.String(), providerId: Type.String(), accountId: Type.String() })),
    social: true,
  },
  {
    method: 'POST',
    path: '/link-social',
    summary: 'Begin to add a social provider to your account',
    right: 'self',
    body: Type.Object({
      provider: Type.Union([Type.Literal('google'), Type.Literal('github'), Type.Literal('microsoft')]),
      callbackURL: Type.Optional(Url),
      errorCallbackURL: Type.Optional(Url),
      disableRedirect: Type.Optional(Type.Boolean()),
    }),
    reply: Type.Object({ url: Type.String(), redirect: Type.Boolean() }),
    social: true,
  },
  {
    method: 'POST',
    path: '/unlink-account',
    summary: 'Remove a way in which you can sign in',
    right: 'self',
    body: Type.Object({ providerId: Id, accountId: Type.Optional(Id) }),
    reply: Done,
    social: true,
  },
];
