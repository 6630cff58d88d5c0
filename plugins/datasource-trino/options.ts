import { type Static, Type } from '../../kernel/index.ts';
import { connectionOptions } from '../datasource-kit/index.ts';

const closed = { additionalProperties: false };

export const TrinoConnectionOptions = Type.Object(
  {
    ...connectionOptions,
    url: Type.String({
      minLength: 1,
      description:
        '"trino://user@host:8080/catalog/schema", with TLS "trinos://user:password@host:8443/catalog/schema"',
    }),
    impersonate: Type.Boolean({
      default: false,
      description:
        'Whether each statement runs as the user who asks, by label; the login must be allowed to impersonate',
    }),
    timeZone: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$',
        description: 'Time zone of the session, such as "Europe/Vienna"; without it, that of the cluster',
      }),
    ),
    clientTags: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z0-9_.:/-]{1,100}$' }), {
        maxItems: 20,
        description: 'Tags by which resource groups of the cluster choose their queries',
      }),
    ),
  },
  closed,
);
export type TrinoConnectionOptions = Static<typeof TrinoConnectionOptions>;

export const DatasourceTrinoOptions = Type.Object({ connections: Type.Array(TrinoConnectionOptions) }, closed);
