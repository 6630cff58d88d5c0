import { type Static, Type } from '../../kernel/index.ts';

const Origin = Type.String({
  pattern: '^https?://[^/\\s?#@*]+/?$',
  description: 'scheme, host and port: https://app.example.com',
});

const Provider = Type.Object(
  {
    clientId: Type.String({ minLength: 1, description: 'client id of the application at this provider' }),
    clientSecret: Type.String({ minLength: 1, description: 'client secret of the application at this provider' }),
  },
  { additionalProperties: false },
);

export const AuthManagedOptions = Type.Object(
  {
    secret: Type.String({
      minLength: 32,
      description: 'signs sessions: a random text of at least 32 characters, the same on every server',
    }),
    url: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s/?#@]+/?$',
        description: 'public address of the API; https makes cookies secure; default: the origin of `http.publicUrl`',
      }),
    ),
    trustedOrigins: Type.Array(Origin, {
      default: [],
      description: 'origins of browsers that may change something with a session cookie',
    }),
    corsOrigins: Type.Array(Type.String(), {
      default: [],
      description:
        'origins that may call from a browser; a common parent domain with `url` becomes the domain of cookies',
    }),
    adminEmail: Type.Optional(
      Type.String({
        pattern: '^[^\\s@]+@[^\\s@]+$',
        expected: 'an e-mail address',
        description: 'address whose user becomes an administrator at sign-up; without it the first user does',
      }),
    ),
    production: Type.Boolean({
      default: false,
      description: 'whether others reach this server: then no development account is created',
    }),
    signUp: Type.Boolean({ default: true, description: 'false: users cannot create their own accounts' }),
    signInAfterSignUp: Type.Boolean({
      default: false,
      description: 'true: sign-up opens a session, and then tells whether an address has an account',
    }),
    google: Type.Optional(Provider),
    github: Type.Optional(Provider),
    microsoft: Type.Optional(Provider),
  },
  { additionalProperties: false },
);
export type AuthManagedOptions = Static<typeof AuthManagedOptions>;

/** The social providers that are configured. */
export const providersOf = (options: AuthManagedOptions) =>
  (['google', 'github', 'microsoft'] as const).filter((provider) => options[provider] !== undefined);
