import { type Static, Type } from '../../kernel/index.ts';

export const InternalDbOptions = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'internal database for users, conversations and the audit log: "postgres://user:password@host:5432/database" or "sqlite:PATH"; without it those answer `not_available`',
      }),
    ),
    poolSize: Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 10,
      description: 'most connections to PostgreSQL; a SQLite file has one',
    }),
    acquireTimeoutMs: Type.Integer({
      minimum: 100,
      default: 5_000,
      description: 'longest wait for a free connection, and to open one, in milliseconds',
    }),
    statementTimeoutMs: Type.Integer({
      minimum: 100,
      default: 20_000,
      description:
        'longest time one statement on PostgreSQL may take before its connection is given up, in milliseconds',
    }),
    silenceMs: Type.Integer({
      minimum: 500,
      default: 2_500,
      description:
        'silence after which PostgreSQL counts as gone, so that what needs it is refused at once, in milliseconds',
    }),
    busyTimeoutMs: Type.Integer({
      minimum: 0,
      default: 3_000,
      description: 'longest wait for another process that writes to the SQLite file, in milliseconds',
    }),
    migrationWaitMs: Type.Integer({
      minimum: 0,
      default: 300_000,
      description: 'longest wait for another server that applies migrations, in milliseconds',
    }),
    encryptionKeys: Type.Array(
      Type.String({
        pattern: '^[A-Za-z0-9+/_-]{43}=?$',
        description: '32 bytes in base64, as "openssl rand -base64 32" prints them',
      }),
      {
        default: [],
        expected: '32 bytes in base64, or several such keys separated by commas',
        description:
          'keys for stored secrets: the first encrypts, all decrypt; without it one is derived from `deriveFrom`',
      },
    ),
    deriveFrom: Type.Optional(
      Type.String({
        minLength: 32,
        description: 'secret text from which a key is derived; it ranks after `encryptionKeys`',
      }),
    ),
  },
  { additionalProperties: false },
);
export type InternalDbOptions = Static<typeof InternalDbOptions>;
