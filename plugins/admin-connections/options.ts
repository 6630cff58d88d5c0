import { type Static, Type } from '../../kernel/index.ts';

export const AdminConnectionsOptions = Type.Object(
  {
    filesDirs: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      expected: 'a comma-separated list of folders',
      description:
        'folders with the only SQLite and DuckDB files that stored connections may open, never the internal database; relative paths start in the first. Without it they may open none where the authentication mode is `none` and on the hosted platform, else every file that the server can read',
    }),
    privateHosts: Type.Optional(
      Type.Boolean({
        description:
          'whether stored connections may lead to this machine and to private networks; without it they may, on the hosted platform not. Link-local and metadata addresses are refused always',
      }),
    ),
    perOrganization: Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 100,
      description: 'Stored connections of one organization at most',
    }),
    inAll: Type.Integer({ minimum: 1, maximum: 100_000, default: 1_000, description: 'Stored connections at most' }),
    maxOpen: Type.Integer({
      minimum: 1,
      default: 100,
      description: 'Stored connections that are open at the same time; the longest unused one is closed for another',
    }),
    maxConnections: Type.Integer({
      minimum: 1,
      maximum: 32,
      default: 5,
      description: 'Statements of one stored connection that run at the same time',
    }),
    queueLimit: Type.Integer({
      minimum: 0,
      default: 200,
      description: 'Statements of one stored connection that may wait',
    }),
    idleTimeoutMs: Type.Integer({
      minimum: 100,
      default: 60_000,
      description: 'Time without work after which a stored connection is closed, in milliseconds',
    }),
    refreshMs: Type.Integer({
      minimum: 100,
      default: 2_000,
      description: 'Longest time until a change by another server is seen, in milliseconds',
    }),
  },
  { additionalProperties: false },
);
export type AdminConnectionsOptions = Static<typeof AdminConnectionsOptions>;
